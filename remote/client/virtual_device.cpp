#include <remote/client/virtual_device.hpp>
#include <remote/fatbin/callees.hpp>
#include <remote/wire/reserve.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>

namespace tasuki::remote {

std::atomic<int> VirtualDevice::pending_{0}, VirtualDevice::sharing_{0};

namespace {
thread_local bool function_runs = false;

// Once, of the first device that it is so for: addresses are then other ones than those of a run without it.
void say_moved(u64 taken, u64 instead) {
  static std::atomic<bool> said{false};
  if (!said.exchange(true))
    std::fprintf(
        stderr,
        "tasuki: something of this program lies among the addresses of devices, at 0x%llx or behind it; they "
        "have others, from 0x%llx on\n",
        static_cast<unsigned long long>(taken), static_cast<unsigned long long>(instead));
}

// Once, of the first device that it is so for.
void say_smaller(const std::string& name, u64 memory, u64 own) {
  static std::atomic<bool> said{false};
  if (!said.exchange(true))
    std::fprintf(
        stderr,
        "tasuki: %s has %.1f GB, and so many devices leave addresses for %.1f GB of each; with fewer "
        "devices the program sees all\n",
        name.c_str(), static_cast<double>(memory) / 1e9, static_cast<double>(own) / 1e9);
}
} // namespace

bool VirtualDevice::in_function() { return function_runs; }

VirtualDevice::VirtualDevice(int index, std::unique_ptr<Link> link, std::string name,
                             const std::vector<ArenaPlace>& places, const Manner& manner,
                             std::unique_ptr<Heartbeat> watch)
    : index_(index),
      strict_(manner.strict),
      name_(std::move(name)),
      watch_(std::move(watch)),
      peers_(*this, manner.entrance, manner.lanes),
      played_again_(manner.played_again) {
  Connection::Handlers handlers;
  handlers.trouble = [this, standing = manner.standing](Status status, bool sticks, const std::string& what) {
    int none = 0;
    if (sticks) {
      if (fault_.compare_exchange_strong(none, static_cast<int>(status)) && standing) standing->fault();
    } else {
      told_.compare_exchange_strong(none, static_cast<int>(status));
    }
    const bool of_a_link = !sticks && status == devices_unavailable; // to another device
    if (of_a_link) peers_.lost();
    if ((sticks || of_a_link) && !what.empty())
      std::fprintf(stderr, "tasuki: device %d (%s): %s\n", index_, name_.c_str(), what.c_str());
  };
  handlers.reached = [this](u64 token) {
    std::lock_guard hold(tasks_mutex_);
    const auto task = [&](std::function<void()> function) {
      tasks_.push_back([this, token, function = std::move(function)] {
        run_function(function);
        --pending_;
        release_hold(token);
      });
      tasks_changed_.notify_one();
    };
    if (const auto again = again_.find(token); again != again_.end()) {
      task(again->second.function);
      if (--again->second.announced <= 0 && again->second.forgotten) again_.erase(again);
      return;
    }
    const auto at = functions_.find(token);
    if (at == functions_.end()) return; // a hold: released by others
    task(std::move(at->second));
    functions_.erase(at);
  };
  // A strict program waits for every call in turn, and makes none that it has not asked for.
  const bool reads_ahead = manner.ahead && !manner.strict;
  if (reads_ahead) {
    handlers.made = [this](Call call, bool beside) {
      if (ahead_) ahead_->made(call, beside);
    };
    handlers.heard = [this] {
      if (ready_) ahead_->heard();
    };
  }
  handlers.ledger = manner.ledger;
  handlers.device = index_;
  handlers.standing = manner.standing;
  if (manner.ledger) manner.ledger->name(index_, name_);
  handlers.printed = [](View bytes) {
    std::fwrite(bytes.data, 1, bytes.size, stdout);
    std::fflush(stdout);
  };
  handlers.lost = [this](const std::string& why) {
    int none = 0;
    fault_.compare_exchange_strong(none, static_cast<int>(devices_unavailable));
    if (!ready_) return; // the constructor says so
    std::fprintf(stderr, "tasuki: device %d (%s) is lost: %s; its calls return cudaErrorDevicesUnavailable\n",
                 index_, name_.c_str(), why.c_str());
    peers_.lost();
  };
  connection_ = std::make_unique<Connection>(std::move(link), std::move(handlers), manner.strict);
  lending_ = std::make_unique<Lending>(*connection_);
  chunks_ = std::make_unique<Chunks>(*connection_, *lending_);
  if (reads_ahead) ahead_ = std::make_unique<Ahead>(*connection_, manner.compared);
  const ArenaPlace* not_here = nullptr;
  for (const ArenaPlace& place : places) {
    if (!addresses_of_programs(place.address, place.bytes))
      continue;                                    // a sanitizer's, and no news to the user
    if (!reserve_at(place.address, place.bytes)) { // something of the program's lies here
      if (!not_here) not_here = &place;
      continue;
    }
    void* at = reinterpret_cast<void*>(place.address);
    try {
      connection_->ask<answer::Done>(call::Reserve{place.address, place.bytes});
      place_ = place;
      kept_ = at;
      break;
    } catch (const Failure&) {
      // something of the worker's does
    }
    munmap(at, place.bytes);
    if (connection_->lost()) break;
  }
  const auto ended_at_once = [this] {
    return Error("the worker of device " + std::to_string(index_) + " (" + name_ + ") ended at once",
                 "look at what its server said");
  };
  if (connection_->lost()) throw ended_at_once();
  if (!kept_)
    throw Error(
        "no range of addresses is free here and at device " + std::to_string(index_) + " (" + name_ + ")",
        "use fewer devices, or a program without a sanitizer");
  if (not_here) say_moved(not_here->address, place_.address);
  std::vector<unsigned char> pairs;
  try {
    about_ = connection_->ask<answer::Description>(call::Describe{}, {}, &pairs);
  } catch (const Failure&) {
    if (connection_->lost()) throw ended_at_once();
    throw;
  }
  for (std::size_t n = 0; n + 8 <= pairs.size(); n += 8) {
    i32 pair[2];
    std::memcpy(pair, pairs.data() + n, sizeof pair);
    attributes_[pair[0]] = pair[1];
  }
  if (const u64 own = own_bytes(place_.bytes); about_.total > own) {
    say_smaller(name_, about_.total, own);
    about_.total = own;
    about_.free = std::min(about_.free, own);
  }
  certain_ = about_.free / 8 * 7; // others may have taken some of it since
  arena_ = std::make_unique<Arena>(place_.address, own_bytes(place_.bytes), maps(true));
  worker_ = std::thread([this] { work(); });
  ready_ = true;
}

VirtualDevice::~VirtualDevice() {
  {
    std::lock_guard hold(tasks_mutex_);
    end_ = true;
    tasks_changed_.notify_one();
  }
  if (worker_.joinable()) worker_.join();
  mirrored_.reset();
  watch_.reset();
  connection_.reset();
  if (kept_) munmap(kept_, place_.bytes);
}

int VirtualDevice::attribute(int which) const {
  const auto at = attributes_.find(which);
  return at == attributes_.end() ? 0 : at->second;
}

void VirtualDevice::check() {
  if (const int fault = fault_.load(std::memory_order_relaxed)) throw Failure(static_cast<Status>(fault));
  if (told_.load(std::memory_order_relaxed))
    if (const int told = told_.exchange(0)) throw Failure(static_cast<Status>(told));
}

// Both arenas are mapped by the one worker; other devices may reach what lies in the one that is the device's alone.
Arena::Worker VirtualDevice::maps(bool shareable) {
  const auto map = [this, shareable](u64 address, u64 bytes) {
    const bool certain = (mapped_ += bytes) <= certain_;
    try {
      if (certain)
        connection_->post(call::Map{address, bytes});
      else
        connection_->ask<answer::Done>(call::Map{address, bytes});
      if (!shareable || near_.mapped(address, bytes)) return true;
      mapped_ -= bytes;
      connection_->post(call::Unmap{address, bytes});
      return false;
    } catch (const Failure& f) {
      mapped_ -= bytes;
      if (certain || f.status() != Status::memory_allocation) throw;
      return false;
    }
  };
  const auto unmap = [this, shareable](u64 address, u64 bytes) {
    if (shareable) near_.unmapping(address, bytes);
    mapped_ -= bytes;
    connection_->post(call::Unmap{address, bytes});
  };
  return {map, unmap, [this] { connection_->ask<answer::Done>(call::WaitDevice{}); }};
}

u64 VirtualDevice::allocate(u64 bytes) {
  std::lock_guard hold(arena_mutex_);
  return arena_->allocate(bytes);
}

bool VirtualDevice::release(u64 address) {
  const auto range = allocation(address);
  if (range && ahead_) ahead_->forget(range->address, range->bytes);
  if (Mirrored* mirrored = mirrored_if(); mirrored && mirrored->holds(address))
    return mirrored->release(address, busy_.load());
  std::lock_guard hold(arena_mutex_);
  return arena_->release(address, busy_.load());
}

std::optional<Arena::Range> VirtualDevice::allocation(u64 address) {
  if (Mirrored* mirrored = mirrored_if(); mirrored && mirrored->holds(address))
    return mirrored->find(address);
  std::lock_guard hold(arena_mutex_);
  return arena_->find(address);
}

Mirrored& VirtualDevice::mirrored() {
  std::call_once(mirrored_once_, [this] {
    const u64 own = own_bytes(place_.bytes);
    mirrored_ = std::make_unique<Mirrored>(*this, place_.address + own, place_.bytes - own, maps(false));
    mirrored_is_ = mirrored_.get();
  });
  return *mirrored_;
}

void VirtualDevice::is_shared() {
  if (ahead_) ahead_->end();
  connection_->ask<answer::Done>(call::WaitStream{0});
}

answer::Memory VirtualDevice::memory() {
  auto memory = connection_->ask<answer::Memory>(call::MemoryInfo{});
  if (Mirrored* mirrored = mirrored_if()) memory.free += mirrored->mapped() - mirrored->used();
  std::lock_guard hold(arena_mutex_);
  memory.free += arena_->mapped() - arena_->used(); // mapped, and of nobody: the program may have it
  memory.total = std::min(memory.total, about_.total);
  memory.free = std::min(memory.free, arena_->bytes() - arena_->used());
  return memory;
}

void VirtualDevice::synchronize() {
  // What other threads issue meanwhile makes it busy again; what they release stays until the next time.
  busy_ = false;
  Mirrored* mirrored = mirrored_if();
  const u64 given = mirrored ? mirrored->given() : 0;
  try {
    connection_->ask<answer::Done>(call::WaitDevice{});
  } catch (...) {
    busy_ = true;
    throw;
  }
  if (mirrored) mirrored->settled(given, !busy_);
  std::lock_guard hold(arena_mutex_);
  if (!busy_) arena_->settled();
}

// Memory of malloc in kernels lies elsewhere on a spare, so pointers to it that the program keeps would not be true.
void VirtualDevice::need_playable(const Module& module) {
  if (!played_again_) return;
  if (!refused_.count(module.image)) {
    if (!calls_function(module.image, module.bytes, "malloc")) return;
    refused_.insert(module.image);
    static std::atomic<bool> said{false};
    if (!said.exchange(true))
      std::fputs(
          "tasuki: kernels of this program call malloc, and a spare has that memory at other addresses; "
          "run it without --spare, --degrade and --redundant, or give the kernels memory of cudaMalloc\n",
          stderr);
  }
  throw Failure(Status::not_supported);
}

u64 VirtualDevice::module_number(const Module& module) {
  const auto at = modules_.find(module.image);
  if (at != modules_.end()) return at->second;
  need_playable(module);
  const u64 number = fresh();
  const auto* bytes = static_cast<const unsigned char*>(module.image);
  for (std::size_t offset = 0; offset < module.bytes; offset += tail_limit)
    connection_->post(call::ModuleBytes{number, module.bytes, offset},
                      {bytes + offset, std::min(tail_limit, module.bytes - offset)});
  connection_->ask<answer::Done>(call::Load{number});
  modules_[module.image] = number;
  return number;
}

const Kernel& VirtualDevice::kernel(const Module& module, const std::string& name) {
  std::lock_guard hold(modules_mutex_);
  auto& found = kernels_[{module.image, name}];
  if (found) return *found;
  auto kernel = std::make_unique<Kernel>();
  kernel->number = fresh();
  std::vector<unsigned char> pairs;
  kernel->info = connection_->ask<answer::Kernel>(
      call::FindKernel{module_number(module), kernel->number, name}, {}, &pairs);
  for (std::size_t n = 0; n + 8 <= pairs.size(); n += 8) {
    u32 pair[2];
    std::memcpy(pair, pairs.data() + n, sizeof pair);
    if (pair[0] > parameter_limit || pair[1] > parameter_limit) throw Failure(Status::invalid_kernel_image);
    kernel->parameters.emplace_back(pair[0], pair[1]);
    kernel->parameter_bytes = std::max(kernel->parameter_bytes, pair[0] + pair[1]);
  }
  kernel->max_dynamic_shared = kernel->info.max_dynamic_shared;
  found = std::move(kernel);
  return *found;
}

answer::Variable VirtualDevice::variable(const Module& module, const std::string& name) {
  std::lock_guard hold(modules_mutex_);
  return connection_->ask<answer::Variable>(call::FindVariable{module_number(module), name});
}

void VirtualDevice::unload(const Module& module) {
  std::lock_guard hold(modules_mutex_);
  const auto at = modules_.find(module.image);
  if (at == modules_.end()) return;
  for (auto kernel = kernels_.begin(); kernel != kernels_.end();)
    kernel = kernel->first.first == module.image ? kernels_.erase(kernel) : std::next(kernel);
  connection_->post(call::Unload{at->second});
  modules_.erase(at);
}

void VirtualDevice::host_call(u64 stream, std::function<void()> function) {
  const u64 token = fresh();
  {
    std::lock_guard hold(tasks_mutex_);
    functions_[token] = std::move(function);
  }
  ++pending_;
  try {
    connection_->post(call::HostCall{stream, token});
  } catch (...) {
    --pending_;
    throw;
  }
  busy();
}

u64 VirtualDevice::captured_call(u64 stream, std::function<void()> function) {
  const u64 token = fresh();
  {
    std::lock_guard hold(tasks_mutex_);
    again_[token].function = std::move(function);
  }
  connection_->post(call::HostCall{stream, token});
  return token;
}

void VirtualDevice::announce(const std::vector<u64>& tokens) {
  std::lock_guard hold(tasks_mutex_);
  for (const u64 token : tokens) ++again_[token].announced;
  pending_ += static_cast<int>(tokens.size());
}

void VirtualDevice::forget(const std::vector<u64>& tokens) {
  std::lock_guard hold(tasks_mutex_);
  for (const u64 token : tokens) {
    const auto at = again_.find(token);
    if (at == again_.end()) continue;
    at->second.forgotten = true;
    if (at->second.announced <= 0) again_.erase(at);
  }
}

u64 VirtualDevice::hold(u64 stream) {
  const u64 token = fresh();
  connection_->post(call::HostCall{stream, token});
  busy();
  return token;
}

void VirtualDevice::release_hold(u64 token) {
  try {
    connection_->post(call::Release{token});
  } catch (const Failure&) {
    // the worker is gone, and with it the stream
  }
}

void VirtualDevice::copy_in_order(u64 stream, std::function<void(u64)> copy) {
  host_call(stream, on_quiet(std::move(copy)));
}

u64 VirtualDevice::captured_copy(u64 stream, std::function<void(u64)> copy) {
  return captured_call(stream, on_quiet(std::move(copy)));
}

std::function<void()> VirtualDevice::on_quiet(std::function<void(u64)> copy) {
  return [this, copy = std::move(copy)] {
    try {
      if (!quiet_) {
        quiet_ = first_stream_of_functions + fresh();
        connection_->post(call::CreateStream{quiet_, 1, 0});
      }
      copy(quiet_);
      connection_->ask<answer::Done>(call::WaitStream{quiet_});
    } catch (const Failure&) {
      // told by whatever the program calls next
    }
  };
}

// What it has changed of memory that the device reaches is there before its stream goes on.
void VirtualDevice::run_function(const std::function<void()>& function) {
  function_runs = true;
  function();
  function_runs = false;
  try {
    if (Mirrored* mirrored = mirrored_if()) mirrored->after_function();
  } catch (const Failure&) {
    // told by whatever the program calls next
  }
}

void VirtualDevice::work() {
  std::unique_lock hold(tasks_mutex_);
  for (;;) {
    tasks_changed_.wait(hold, [this] { return end_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    auto task = std::move(tasks_.front());
    tasks_.pop_front();
    hold.unlock();
    task();
    hold.lock();
  }
}

} // namespace tasuki::remote
