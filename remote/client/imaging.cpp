#include <remote/client/imaging.hpp>
#include <remote/fatbin/variables.hpp>
#include <remote/wire/digest.hpp>

#include <algorithm>
#include <cstdio>

namespace tasuki::remote {

namespace {

constexpr std::chrono::milliseconds moment{2};
constexpr int moments = 100;         // that are tried for a quiet one
constexpr std::size_t under_way = 4; // copies at a time

template <class Fields>
Fields fields_of(const Log::Entry& entry, View& tail) {
  Fields fields;
  decode({entry.frame() + sizeof(CallHead), entry.bytes - sizeof(CallHead)}, fields, tail);
  return fields;
}

} // namespace

bool Imaging::due(const Log& log) const {
  const auto now = std::chrono::steady_clock::now();
  if (!wanted() || now < not_before_ || log.bytes() <= kept_) return false;
  return (rule_.bytes && log.bytes() - kept_ >= rule_.bytes) ||
         (rule_.time.count() && now - last_ >= rule_.time);
}

void Imaging::later() { not_before_ = std::chrono::steady_clock::now() + 2 * rule_.looks; }

void Imaging::taken(const Log& log) {
  last_ = std::chrono::steady_clock::now();
  kept_ = log.bytes();
}

void Imaging::refuse(const std::string& why) {
  std::fprintf(stderr, "tasuki: device %d has no images of its memory: %s\n", device_, why.c_str());
  refused_ = true;
}

void Imaging::come_home(const std::string& why) {
  std::fprintf(stderr, "tasuki: device %d keeps images of its memory on this host from now on: %s\n", device_,
               why.c_str());
  home_ = true;
}

std::unique_ptr<Image> Imaging::begin() {
  if (rule_.elsewhere && !home_) {
    try {
      return std::make_unique<Image>(rule_.elsewhere());
    } catch (const Error& e) {
      come_home(e.what());
    }
  }
  return std::make_unique<Image>(in_folder(rule_.folder));
}

template <class Call>
u64 Imaging::ask(Worker& worker, const Call& call) {
  std::vector<unsigned char> out;
  frame(++own_, true, call, 0, out);
  held_->unlock();
  try {
    const auto order = sending_ ? std::unique_lock(*sending_) : std::unique_lock<std::mutex>();
    worker.place.visit.link->write({out.data(), out.size()});
  } catch (const LinkLost&) {
    worker.place.visit.link->shut(); // its reader says so
  }
  held_->lock();
  return own_;
}

std::optional<Message> Imaging::answer(Worker& worker, u64 number) {
  changed_->wait(*held_, [&] { return *over_ || !worker.usable() || worker.own.count(number); });
  const auto come = worker.own.find(number);
  if (come == worker.own.end()) return std::nullopt;
  Message message = std::move(come->second);
  worker.own.erase(come);
  return message;
}

bool Imaging::drained(Held& held, const Workers& workers, std::condition_variable& changed, const bool& over,
                      std::mutex* sending) {
  sending_ = sending;
  held_ = &held;
  workers_ = &workers;
  changed_ = &changed;
  over_ = &over;
  std::vector<u64> numbers;
  for (const auto& worker : workers) numbers.push_back(ask(*worker, call::WaitDevice{}));
  bool well = true;
  for (std::size_t n = 0; n < workers.size(); ++n) {
    const auto come = answer(*workers[n], numbers[n]);
    well = well && come && !come->head.error;
  }
  return well && !over;
}

std::unique_lock<std::mutex> Imaging::quiet(Held& held, std::mutex& sending, const Log& log,
                                            std::condition_variable& changed, const bool& over) {
  for (int n = 0; n < moments && !over; ++n) {
    held.unlock();
    std::unique_lock order(sending);
    held.lock();
    if (!log.stops() && !log.captures()) return order;
    order.unlock(); // the call that lets a stream go on is still to be written
    changed.wait_for(held, moment);
  }
  return {};
}

// What is mapped, and the variables of modules, as the log has made them.
std::optional<Imaging::Contents> Imaging::contents_of(const Log& log) {
  Contents contents;
  std::map<u64, std::vector<unsigned char>> images;
  for (Log::Place at = log.begin(); const Log::Entry* e = log.at(at); log.next(at)) {
    View tail;
    if (e->kind != Log::Kind::call) continue;
    if (e->is(Call::WordOperation)) {
      refuse("its streams wait for words of memory");
      return std::nullopt;
    }
    if (e->is(Call::Map)) {
      const auto map = fields_of<call::Map>(*e, tail);
      contents.ranges[map.address] = map.bytes;
    } else if (e->is(Call::Unmap)) {
      contents.ranges.erase(fields_of<call::Unmap>(*e, tail).address);
    } else if (e->is(Call::ModuleBytes)) {
      const auto module = fields_of<call::ModuleBytes>(*e, tail).module;
      if (names_.count(module)) continue;
      const auto* bytes = static_cast<const unsigned char*>(tail.data);
      images[module].insert(images[module].end(), bytes, bytes + tail.size);
    } else if (e->is(Call::Load)) {
      const auto module = fields_of<call::Load>(*e, tail).module;
      if (!names_.count(module)) names_[module] = variables_of(images[module].data(), images[module].size());
      if (!names_[module]) {
        refuse("it has a module without PTX, whose variables have no names");
        return std::nullopt;
      }
      contents.variables[module] = *names_[module];
    } else if (e->is(Call::Unload)) {
      contents.variables.erase(fields_of<call::Unload>(*e, tail).module);
    }
  }
  return contents;
}

// A range of all workers; the first one's bytes are kept. False: they differ, or one is gone.
bool Imaging::copy(Image& image, u64 address, u64 bytes, bool zeros_too) {
  struct Way {
    u64 address;
    std::vector<u64> numbers; // a worker each
  };
  std::deque<Way> ways;
  const auto take_first = [&] {
    const Way way = std::move(ways.front());
    ways.pop_front();
    std::optional<Message> first;
    for (std::size_t n = 0; n < workers_->size(); ++n) {
      auto come = answer(*(*workers_)[n], way.numbers[n]);
      if (!come || come->head.error) return false;
      if (n == 0)
        first = std::move(come);
      else if (rule_.tolerance)
        differed_ = differed_ || rule_.tolerance->beyond(first->body, come->body) > 0;
      else if (message_of<answer::Number>(come->body).value !=
               digest_of({first->body.data(), first->body.size()}))
        differed_ = true;
    }
    if (differed_) return false;
    held_->unlock();
    try {
      image.add(way.address, {first->body.data(), first->body.size()}, zeros_too);
    } catch (...) {
      held_->lock();
      throw;
    }
    held_->lock();
    return true;
  };
  bool well = true;
  for (u64 done = 0; done < bytes && well; done += tail_limit) {
    const u64 size = std::min<u64>(tail_limit, bytes - done);
    Way way{address + done, {}};
    for (const auto& worker : *workers_)
      way.numbers.push_back(worker == workers_->front() || rule_.tolerance
                                ? ask(*worker, call::CopyOut{address + done, size, 0})
                                : ask(*worker, call::Digest{address + done, size, size, size, 1, 1, 0}));
    ways.push_back(std::move(way));
    if (ways.size() == under_way) well = take_first();
  }
  while (!ways.empty()) well = take_first() && well;
  return well;
}

std::unique_ptr<Image> Imaging::take(Held& held, const Workers& workers, const Log& log,
                                     std::condition_variable& changed, const bool& over,
                                     const std::function<bool()>& called) {
  later();
  differed_ = false;
  if (!drained(held, workers, changed, over)) return nullptr;
  changed.wait(held, [&] { return !log.waits() || called(); });
  if (log.waits() || called()) return nullptr;
  const std::optional<Contents> contents = contents_of(log);
  if (!contents) return nullptr;
  try {
    auto image = begin();
    for (const auto& [module, names] : contents->variables)
      for (const std::string& name : names) {
        std::optional<answer::Variable> place;
        for (const auto& worker : workers) {
          const auto come = answer(*worker, ask(*worker, call::FindVariable{module, name}));
          if (!come) return nullptr;
          if (come->head.error) continue; // nothing of the module uses it
          const auto here = message_of<answer::Variable>(come->body);
          if (place && place->address != here.address) return nullptr;
          place = here;
        }
        if (!place) continue;
        image->add({module, name, *place});
        if (!copy(*image, place->address, place->bytes, true)) return nullptr;
      }
    for (const auto& [address, bytes] : contents->ranges)
      if (!copy(*image, address, bytes, false)) return nullptr;
    held.unlock();
    try {
      image->settle();
    } catch (...) {
      held.lock();
      throw;
    }
    held.lock();
    return image;
  } catch (const Error& e) {
    if (rule_.elsewhere && !home_)
      come_home(e.what()); // the next one
    else
      refuse(e.what());
    return nullptr;
  }
}

} // namespace tasuki::remote
