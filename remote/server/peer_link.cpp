#include <remote/server/peer_link.hpp>

#include <remote/server/mark.hpp>

#include <array>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace tasuki::remote {

enum class PeerLink::Says : u32 {
  puts = 1,  // pieces for `place`, `box` follow
  asks = 2,  // for pieces of it
  gives = 3, // they follow
  // So many bytes follow. None: that end's device has failed with `status`, and nothing more comes of this copy.
  piece = 4,
  done = 5, // what was put has arrived, or has failed with `status`
  signal = 6,
};

struct PeerLink::Head {
  Says what = Says::piece;
  i32 status = 0;
  u64 number = 0; // of the copy, or the signal
  u64 bytes = 0;
  Place place;
  Box box;
};

// Memory of this process for bytes on their way from or to the device, in slots that are used in turn, and the stream by which
// they are copied.
class PeerLink::Ring {
public:
  static constexpr std::size_t slots_at_once = 3;
  struct Slot {
    unsigned char* data = nullptr;
    std::unique_ptr<Mark> copied;
    bool busy = false;
  };

  explicit Ring(Device& device) : device_(device), stream_(device.create_stream(beside, 0)) {
    memory_.resize(slots_at_once * piece_bytes);
    try {
      device_.register_host(memory_.data(), memory_.size());
      registered_ = true;
    } catch (const DeviceError&) {
      // copies are slower without, and the same
    }
    for (std::size_t n = 0; n < slots_.size(); ++n) {
      slots_[n].data = memory_.data() + n * piece_bytes;
      slots_[n].copied = std::make_unique<Mark>(device_, Mark::no_times);
    }
  }
  ~Ring() {
    try {
      device_.synchronize(stream_);
      for (Slot& slot : slots_) slot.copied.reset();
      device_.destroy_stream(stream_);
      if (registered_) device_.unregister_host(memory_.data());
    } catch (const DeviceError&) {
      // the device is faulted, and its process ends
    }
  }

  Slot& slot(std::size_t n) { return slots_[n % slots_.size()]; }
  // Copies a piece out of the device, or into it.
  void out(Slot& slot, const Place& from, const Box& part) {
    if (part.bytes() == part.width)
      device_.copy_out(slot.data, from.address, part.width, stream_);
    else
      copy_planes(packed(slot, part), from, part);
    record(slot);
  }
  void in(Slot& slot, const Place& to, const Box& part) {
    if (part.bytes() == part.width)
      device_.copy_in(to.address, slot.data, part.width, stream_);
    else
      copy_planes(to, packed(slot, part), part);
    record(slot);
  }
  void wait(Slot& slot) {
    if (!std::exchange(slot.busy, false)) return;
    device_.synchronize_event(slot.copied->id());
  }
  void wait() {
    for (Slot& one : slots_) wait(one);
  }
  // After a failure: no slot is waited for any more, and none is still written.
  void settle() {
    for (Slot& one : slots_) one.busy = false;
    try {
      device_.synchronize(stream_);
    } catch (const DeviceError&) {
      // it writes no more
    }
  }

private:
  static constexpr unsigned beside = 1; // the default stream waits for none of it, nor it for that
  static Place packed(const Slot& slot, const Box& part) {
    return {reinterpret_cast<u64>(slot.data), part.width, part.width * part.height};
  }
  void copy_planes(const Place& to, const Place& from, const Box& part) {
    for (u64 z = 0; z < part.depth; ++z)
      device_.copy_2d({to.address + z * to.slice, to.pitch, from.address + z * from.slice, from.pitch,
                       part.width, part.height},
                      stream_);
  }
  void record(Slot& slot) {
    device_.record(slot.copied->id(), stream_);
    slot.busy = true;
  }

  Device& device_;
  const StreamId stream_;
  std::vector<unsigned char> memory_;
  bool registered_ = false;
  std::array<Slot, slots_at_once> slots_;
};

void PeerLink::nonsense() {
  throw LinkLost("a worker of another device sent what is no copy", "install the same Tasuki on all hosts");
}

PeerLink::PeerLink(Device& device, Range own, std::function<std::unique_ptr<Link>()> connect, Told connected)
    : device_(device),
      own_(own),
      connect_(std::move(connect)),
      connected_(std::move(connected)),
      sender_([this] { send_all(); }) {}

PeerLink::~PeerLink() {
  end("its worker ends");
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  sender_.join();
  if (reader_.joinable()) reader_.join();
}

void PeerLink::put(Outgoing item) {
  const std::lock_guard<std::mutex> guard(mutex_);
  outgoing_.push_back(std::move(item));
  changed_.notify_all();
}

void PeerLink::end(const std::string& why) {
  std::map<u64, UnderWay> copies;
  std::map<u64, Told> awaited;
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (!over_) why_ = why;
    over_ = true;
    copies.swap(copies_);
    awaited.swap(awaited_);
    if (link_) link_->shut();
    changed_.notify_all();
  }
  for (const auto& [number, copy] : copies) copy.told(devices_unavailable, why);
  for (const auto& [token, told] : awaited) told(devices_unavailable, why);
}

void PeerLink::finish(u64 number, const Result& result) {
  Told told;
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    const auto at = copies_.find(number);
    if (at == copies_.end()) return; // it has failed already
    told = std::move(at->second.told);
    copies_.erase(at);
  }
  told(result.status, result.what);
}

void PeerLink::copy(const PeerCopy& copy, Told done) {
  auto told = std::make_shared<Told>(std::move(done));
  const auto send = [this, copy, told] {
    u64 number;
    {
      const std::lock_guard<std::mutex> guard(mutex_);
      number = ++number_;
      copies_[number] = {copy, *told};
    }
    Head head;
    head.what = copy.way == PeerCopy::Way::out ? Says::puts : Says::asks;
    head.number = number;
    head.place = copy.there;
    head.box = copy.box;
    write(head);
    if (copy.way == PeerCopy::Way::out) send_box(number, copy.here, copy.box);
  };
  put({send, [this, told] { (*told)(devices_unavailable, why_); }});
}

void PeerLink::signal(u64 token) {
  put({[this, token] {
         Head head;
         head.what = Says::signal;
         head.number = token;
         write(head);
       },
       {}});
}

void PeerLink::await(u64 token, Told done) {
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (!over_ && !signalled_.erase(token)) {
      awaited_[token] = std::move(done);
      return;
    }
  }
  // By the thread that sends: whoever calls this may be one that must make no call.
  put({[done] { done(Status::success, ""); }, [this, done] { done(devices_unavailable, why_); }});
}

void PeerLink::send_all() {
  try {
    auto link = connect_();
    std::unique_lock<std::mutex> hold(mutex_);
    link_ = std::move(link);
    if (over_) {
      link_->shut();
    } else {
      out_ = std::make_unique<Ring>(device_);
      in_ = std::make_unique<Ring>(device_);
      reader_ = std::thread([this] { read_all(); });
    }
    hold.unlock();
    connected_(Status::success, "");
  } catch (const std::exception& error) {
    end(error.what());
    connected_(Status::not_supported, error.what());
  }
  std::unique_lock<std::mutex> hold(mutex_);
  for (;;) {
    changed_.wait(hold, [this] { return stop_ || !outgoing_.empty(); });
    if (outgoing_.empty()) return;
    const Outgoing item = std::move(outgoing_.front());
    outgoing_.pop_front();
    const bool over = over_;
    hold.unlock();
    if (!over) {
      try {
        item.send();
      } catch (const Error& error) {
        end(error.what());
      }
    } else if (item.fail) {
      item.fail();
    }
    hold.lock();
  }
}

void PeerLink::write(const Head& head, const void* bytes, std::size_t size) {
  const Piece pieces[] = {bytes_of(head), {bytes, size}};
  link_->write(pieces, size ? 2 : 1);
}

// Pieces ahead of the one that is sent are copied out meanwhile.
void PeerLink::send_box(u64 number, const Place& from, const Box& box) {
  Head head;
  head.number = number;
  std::deque<std::pair<Ring::Slot*, std::size_t>> ahead;
  std::size_t next = 0;
  const auto send_first = [&] {
    const auto [slot, bytes] = ahead.front();
    ahead.pop_front();
    out_->wait(*slot);
    head.bytes = bytes;
    write(head, slot->data, bytes);
  };
  try {
    in_parts(box, [&](u64 x, u64 y, u64 z, const Box& part) {
      if (ahead.size() == Ring::slots_at_once) send_first();
      Ring::Slot& slot = out_->slot(next++);
      out_->out(slot, moved(from, x, y, z), part);
      ahead.emplace_back(&slot, part.bytes());
    });
    while (!ahead.empty()) send_first();
  } catch (const DeviceError& error) {
    out_->settle();
    head.bytes = 0;
    head.status = static_cast<i32>(error.status());
    write(head);
  }
}

PeerLink::Result PeerLink::elsewhere(i32 status) {
  if (status == 0) return {};
  return {static_cast<Status>(status), "a copy between two devices has failed at the other one"};
}

// What the other sends is read to its end, whatever becomes of it here.
PeerLink::Result PeerLink::land(const Place& to, const Box& box) {
  Result result;
  std::size_t next = 0;
  bool given_up = false; // by the other end
  const auto failed = [&](const DeviceError& error) {
    if (result.status == Status::success) result = {error.status(), error.what()};
    in_->settle();
  };
  in_parts(box, [&](u64 x, u64 y, u64 z, const Box& part) {
    if (given_up) return;
    Head head;
    link_->read(&head, sizeof head, sizeof head);
    if (head.what != Says::piece) nonsense();
    if (head.bytes == 0) {
      result = elsewhere(head.status);
      given_up = true;
      return;
    }
    if (head.bytes != part.bytes()) nonsense();
    Ring::Slot& slot = in_->slot(next++);
    try {
      in_->wait(slot);
    } catch (const DeviceError& error) {
      failed(error);
    }
    link_->read(slot.data, head.bytes, head.bytes);
    if (result.status != Status::success) return;
    try {
      in_->in(slot, moved(to, x, y, z), part);
    } catch (const DeviceError& error) {
      failed(error);
    }
  });
  try {
    in_->wait();
  } catch (const DeviceError& error) {
    failed(error);
  }
  return result;
}

PeerLink::Result PeerLink::ours(const Place& place, const Box& box) const {
  try {
    const u64 bytes = checked_span(place, box), at = place.address - own_.begin;
    if (place.address < own_.begin || at > own_.bytes || bytes > own_.bytes - at)
      refuse(Status::invalid_value, "a copy from or to what is no memory of the other device",
             "give addresses of cudaMalloc's");
    return {};
  } catch (const DeviceError& error) {
    return {error.status(), error.what()};
  }
}

void PeerLink::read_all() {
  try {
    for (;;) {
      Head head;
      link_->read(&head, sizeof head, sizeof head);
      take(head);
    }
  } catch (const Error& error) {
    end(error.what());
  }
}

void PeerLink::take(const Head& head) {
  switch (head.what) {
    case Says::puts: {
      // A client asks for no such copy, and the pieces of a box that cannot be are not to be counted.
      if (ours(head.place, head.box).status != Status::success) nonsense();
      const Result result = land(head.place, head.box);
      put({[this, number = head.number, result] {
             Head back;
             back.what = Says::done;
             back.number = number;
             back.status = static_cast<i32>(result.status);
             write(back);
           },
           {}});
      return;
    }
    case Says::asks:
      put({[this, head, may = ours(head.place, head.box)] {
             Head back;
             back.what = Says::gives;
             back.number = head.number;
             write(back);
             if (may.status == Status::success) return send_box(head.number, head.place, head.box);
             back.what = Says::piece;
             back.status = static_cast<i32>(may.status);
             write(back);
           },
           {}});
      return;
    case Says::gives: {
      PeerCopy copy;
      {
        const std::lock_guard<std::mutex> guard(mutex_);
        const auto at = copies_.find(head.number);
        if (at == copies_.end() || at->second.copy.way != PeerCopy::Way::in) nonsense();
        copy = at->second.copy;
      }
      finish(head.number, land(copy.here, copy.box));
      return;
    }
    case Says::done: finish(head.number, elsewhere(head.status)); return;
    case Says::signal: {
      Told told;
      {
        const std::lock_guard<std::mutex> guard(mutex_);
        if (const auto at = awaited_.find(head.number); at != awaited_.end()) {
          told = std::move(at->second);
          awaited_.erase(at);
        } else {
          if (signalled_.size() >= signals_at_most) nonsense();
          signalled_.insert(head.number);
        }
      }
      if (told) told(Status::success, "");
      return;
    }
    case Says::piece: break;
  }
  nonsense();
}

} // namespace tasuki::remote
