#include <remote/link/shared_memory.hpp>

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <remote/link/ending.hpp>
#include <remote/link/ring.hpp>
#include <remote/link/sealed.hpp>
#include <remote/link/unix.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>
#include <thread>

namespace tasuki::remote {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kLook =
    std::chrono::milliseconds(50); // the interval at which a sleeper checks that the other process exists

// Spinning occupies a core, so it is short on machines with few cores.
std::chrono::nanoseconds spin_time() {
  static const auto time = std::chrono::microseconds(std::thread::hardware_concurrency() >= 4 ? 50 : 5);
  return time;
}

void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

void sleep_at(std::atomic<std::uint32_t>& bell, std::uint32_t seen) {
  const timespec time{0, std::chrono::nanoseconds(kLook).count()};
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&bell), FUTEX_WAIT, seen, &time, nullptr, 0);
}
void ring_bell(std::atomic<std::uint32_t>& bell) {
  bell.fetch_add(1, std::memory_order_relaxed);
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&bell), FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

class SharedLink : public Link {
public:
  SharedLink(Descriptor socket, std::string peer, Shared* shared, bool client)
      : socket_(std::move(socket)),
        peer_(std::move(peer)),
        shared_(shared),
        in_(client ? shared->to_client : shared->to_worker),
        out_(client ? shared->to_worker : shared->to_client),
        in_bytes_(client ? shared->client_bytes : shared->worker_bytes),
        out_bytes_(client ? shared->worker_bytes : shared->client_bytes) {}
  ~SharedLink() override {
    shut();
    munmap(shared_, sizeof(Shared));
  }

  using Link::write;
  void write(const Piece* pieces, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      auto from = static_cast<const unsigned char*>(pieces[i].data);
      std::size_t left = pieces[i].size;
      while (left > 0) {
        const std::size_t now = std::min(left, wait_for_room());
        store(from, now);
        from += now;
        left -= now;
      }
    }
    publish(); // one wake-up per message
  }

  std::size_t read(void* to, std::size_t at_least, std::size_t at_most) override {
    std::size_t got = 0;
    while (got < at_most) {
      const std::size_t there = got < at_least ? wait_for_data() : data();
      if (there == 0) break;
      const std::size_t now = std::min(there, at_most - got);
      load(static_cast<unsigned char*>(to) + got, now);
      got += now;
    }
    return got;
  }

  void shut() noexcept override {
    shared_->ended.store(1);
    for (RingHead* ring : {&in_, &out_}) {
      ring_bell(ring->data_bell);
      ring_bell(ring->room_bell);
    }
    ::shutdown(socket_.number(), SHUT_RDWR);
  }
  void shut_for(const std::string& why) noexcept override {
    ending_.because(why);
    shut();
  }
  void set_patience(std::chrono::milliseconds patience) override { patience_ = patience; }
  std::string peer() const override { return peer_; }

  bool passes_files() const override { return true; }
  void pass_file(int file) override {
    if (!remote::pass_file(socket_.number(), file)) ending_.raise(peer_, "it takes no file");
  }
  int take_file() override {
    Descriptor file = remote::take_file(socket_.number());
    if (!file.there()) ending_.raise(peer_, "no file came");
    return file.release();
  }

private:
  bool gone() const {
    pollfd about{socket_.number(), POLLRDHUP, 0};
    return poll(&about, 1, 0) > 0 && (about.revents & (POLLRDHUP | POLLHUP | POLLERR));
  }

  std::size_t data() {
    const std::uint64_t there = in_.written.load(std::memory_order_acquire) - taken_;
    if (there > kRingBytes) ending_.raise(peer_, "it broke the rules of their shared memory");
    return there;
  }
  std::size_t room() {
    const std::uint64_t used = written_ - out_.taken.load(std::memory_order_acquire);
    if (used > kRingBytes) ending_.raise(peer_, "it broke the rules of their shared memory");
    return kRingBytes - used;
  }

  std::size_t wait_for_data() {
    return wait(
        in_.data_bell, in_.reader_sleeps, [this] { return data(); }, true);
  }
  std::size_t wait_for_room() {
    if (const std::size_t now = room()) return now;
    publish();
    return wait(
        out_.room_bell, out_.writer_sleeps, [this] { return room(); }, false);
  }

  template <class Look>
  std::size_t wait(std::atomic<std::uint32_t>& bell, std::atomic<std::uint32_t>& sleeps, Look look,
                   bool reads) {
    if (const std::size_t now = look()) return now;
    const Clock::time_point begin = Clock::now();
    while (Clock::now() - begin < spin_time()) {
      for (int i = 0; i < 64; ++i) {
        if (const std::size_t now = look()) return now;
        pause_core();
      }
    }
    for (;;) {
      const std::uint32_t seen = bell.load();
      sleeps.store(
          1); // before look(): the other side writes before it reads this flag, so one side sees the other
      std::atomic_thread_fence(std::memory_order_seq_cst);
      std::size_t now = look();
      if (now == 0 && !shared_->ended.load()) sleep_at(bell, seen);
      sleeps.store(0);
      if (now == 0) now = look();
      if (now > 0) return now;
      if (shared_->ended.load() || gone()) {
        if (reads && (now = look()) > 0) return now; // bytes from before the end are still valid
        ending_.raise(peer_, "it ended");
      }
      if (reads && patience_.count() > 0 && Clock::now() - begin > patience_)
        ending_.raise(peer_, "no answer in time");
    }
  }

  void store(const unsigned char* from, std::size_t size) {
    if (size == 0) return; // the pointer may be null
    const std::size_t at = written_ % kRingBytes, first = std::min(size, kRingBytes - at);
    std::memcpy(out_bytes_ + at, from, first);
    std::memcpy(out_bytes_, from + first, size - first);
    written_ += size;
    if (written_ - told_ >= kRingBytes / 4) publish(); // the reader starts before a large message is complete
  }
  void load(unsigned char* to, std::size_t size) {
    if (size == 0) return;
    const std::size_t at = taken_ % kRingBytes, first = std::min(size, kRingBytes - at);
    std::memcpy(to, in_bytes_ + at, first);
    std::memcpy(to + first, in_bytes_, size - first);
    taken_ += size;
    in_.taken.store(taken_, std::memory_order_release);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (in_.writer_sleeps.load(std::memory_order_relaxed)) ring_bell(in_.room_bell);
  }
  void publish() {
    if (shared_->ended.load(std::memory_order_relaxed)) ending_.raise(peer_, "it ended");
    if (told_ == written_) return;
    told_ = written_;
    out_.written.store(written_, std::memory_order_release);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (out_.reader_sleeps.load(std::memory_order_relaxed)) ring_bell(out_.data_bell);
  }

  Descriptor socket_;
  std::string peer_;
  Shared* shared_;
  RingHead& in_;
  RingHead& out_;
  unsigned char* in_bytes_;
  unsigned char* out_bytes_;
  std::uint64_t taken_ = 0, written_ = 0, told_ = 0;
  std::chrono::milliseconds patience_{0};
  Ending ending_;
};

Shared* map(int memory, const std::string& peer) {
  void* at = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  if (at == MAP_FAILED)
    throw Error("no memory to share with " + peer + " (" + std::strerror(errno) + ")",
                "free some, or take TCP: 127.0.0.1");
  return static_cast<Shared*>(at);
}

} // namespace

std::unique_ptr<Link> share_as_worker(Descriptor socket, const std::string& peer) {
  const Descriptor memory(memfd_create("tasuki-gpus", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory.there() || ftruncate(memory.number(), sizeof(Shared)) != 0 || !seal(memory.number()))
    throw Error("no memory to share with " + peer + " (" + std::strerror(errno) + ")", "free some");
  Shared* shared = new (map(memory.number(), peer)) Shared; // the memory is already zero
  auto link = std::make_unique<SharedLink>(std::move(socket), peer, shared, false);
  link->pass_file(memory.number());
  return link;
}

std::unique_ptr<Link> share_as_client(Descriptor socket, const std::string& peer) {
  const Descriptor memory = take_file(socket.number());
  if (!memory.there() || sealed_bytes(memory.number()) != sizeof(Shared))
    throw Error(peer + " passes no memory to share", "look at what its gate says");
  return std::make_unique<SharedLink>(std::move(socket), peer, map(memory.number(), peer), true);
}

} // namespace tasuki::remote
