#include <remote/client/session.hpp>

#include <remote/client/lasting_link.hpp>
#include <remote/link/socket.hpp>
#include <remote/server/visit.hpp>

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <mutex>
#include <sstream>

namespace tasuki::remote {

namespace {

constexpr u64 arena_bytes = 512ull << 30;

std::atomic<Session*> the_session{nullptr};

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Below position-independent programs, between them and the libraries, and where the thread sanitizer leaves room.
std::vector<ArenaPlace> places_of(int index, int count) {
  const u64 bytes =
      count <= 64 ? arena_bytes : arena_bytes / 2; // 64 of 512 GiB fill the least of the regions
  std::vector<ArenaPlace> places;
  for (const u64 base : {0x200000000000ull, 0x400000000000ull, 0x100000000000ull, 0x600000000000ull,
                         0x700000000000ull, 0x7ea000000000ull})
    places.push_back({base + static_cast<u64>(index) * bytes, bytes});
  return places;
}

std::vector<Spare> inherited(const std::string& numbers) {
  std::vector<Spare> links;
  std::istringstream in(numbers);
  for (std::string number; std::getline(in, number, ',');) {
    const std::string name = "worker " + std::to_string(links.size());
    Spare dialled;
    dialled.visit.link = std::make_unique<SocketLink>(Descriptor(std::atoi(number.c_str())), name);
    dialled.name = name;
    links.push_back(std::move(dialled));
  }
  return links;
}

// Which devices of a host are asked for: those named, or the first few, or all.
std::vector<int> chosen(const Host& host, const Greeting& there) {
  const int count = static_cast<int>(there.devices.size());
  std::vector<int> devices = host.devices;
  if (devices.empty())
    for (int n = 0; n < (host.count < 0 ? count : host.count); ++n) devices.push_back(n);
  for (const int device : devices)
    if (device >= count)
      throw Error(host.shown() + " serves " + std::to_string(count) + " devices, and device " +
                      std::to_string(device) + " was asked for",
                  "ask for fewer in --hosts");
  return devices;
}

// All devices of a list of hosts. They are dialled at once: a worker takes a while to start.
std::vector<std::future<Spare>> dialling(const std::string& list) {
  const std::string named = setting("TASUKI_GPUS_KEY");
  const std::string path = named.empty() ? default_key_path() : named;
  const Key key = named.empty() && access(path.c_str(), F_OK) ? Key() : read_key(path);
  Wish wish;
  wish.program = setting("TASUKI_GPUS_PROGRAM");
  std::vector<std::future<Spare>> coming;
  for (const Host& host : parse_hosts(list))
    for (const int device : chosen(host, greet(host, key)))
      coming.push_back(std::async(std::launch::async, [host, key, device, wish] {
        Spare spare;
        spare.name = host.shown() + ":" + std::to_string(device);
        spare.open = [=] { return open_device(host, key, device, wish); };
        spare.visit = spare.open();
        return spare;
      }));
  return coming;
}

// Bytes; `usual` where it is not said.
u64 bytes_of_setting(const char* name, u64 usual) {
  const std::string text = setting(name);
  return text.empty() ? usual : std::strtoull(text.c_str(), nullptr, 10);
}

} // namespace

Session& Session::get() {
  static std::once_flag once;
  std::call_once(once, [] {
    try {
      the_session = new Session; // stays until the process ends: its threads may be used in exit handlers
      if (setting("TASUKI_GPUS_SUMMARY") == "1") std::atexit([] { the_session.load()->sum_up(); });
    } catch (const std::exception& e) {
      std::fprintf(stderr, "tasuki: %s\n", e.what());
    }
  });
  if (!the_session) throw Failure(Status::no_device);
  return *the_session;
}

Session* Session::there() { return the_session; }

Session::Session() {
  bool recovers = false; // a worker that is lost is replaced
  std::vector<Spare> links = inherited(setting("TASUKI_GPUS_LINKS"));
  auto spares = std::make_shared<Spares>();
  if (links.empty() && !setting("TASUKI_GPUS").empty()) {
    const std::string standing_by = setting("TASUKI_GPUS_SPARES");
    auto devices = dialling(setting("TASUKI_GPUS"));
    if (!standing_by.empty())
      for (auto& spare : dialling(standing_by)) spares->add(spare.get());
    for (auto& device : devices) links.push_back(device.get());
    const bool degrades = setting("TASUKI_GPUS_DEGRADE") == "1";
    if (degrades)
      for (const Spare& one : links) spares->add({one.name, one.open, {}}); // behind all that stand by
    recovers = degrades || !standing_by.empty();
  }
  if (links.empty())
    throw Error("no remote GPUs are named", "start the program by: tasuki gpus run --hosts a,b -- program");
  const int count = static_cast<int>(links.size());
  const u64 most = bytes_of_setting("TASUKI_GPUS_LOG", 1ull << 30);
  std::vector<std::unique_ptr<Link>> ways;
  std::vector<std::string> names;
  for (Spare& one : links) {
    names.push_back(one.name);
    if (recovers) {
      ways.push_back(
          std::make_unique<LastingLink>(static_cast<int>(ways.size()), std::move(one), spares, most));
    } else {
      ways.push_back(std::move(one.visit.link));
      visits_.push_back(std::move(one.visit)); // what watches over it
    }
  }
  Manner manner;
  manner.played_again = recovers;
  manner.strict = setting("TASUKI_GPUS_STRICT") == "1";
  manner.ahead = setting("TASUKI_GPUS_AHEAD") != "0";
  const std::string trace = setting("TASUKI_GPUS_TRACE");
  if (!trace.empty() || setting("TASUKI_GPUS_SUMMARY") == "1") manner.ledger = &ledger_;
  if (!trace.empty()) ledger_.trace_into(trace);
  std::vector<std::future<std::unique_ptr<VirtualDevice>>> coming;
  for (int n = 0; n < count; ++n)
    coming.push_back(std::async(std::launch::async, [&, n] {
      return std::make_unique<VirtualDevice>(n, std::move(ways[n]), names[n], places_of(n, count), manner);
    }));
  for (auto& device : coming) devices_.push_back(device.get());
}

// A child of the program's that ends has made none of the calls.
void Session::sum_up() const {
  if (getpid() != process_) return;
  const double seconds = static_cast<double>(Ledger::now() - start_) / 1e9;
  u64 sent = 0, used = 0;
  for (const auto& device : devices_)
    if (const Ahead* ahead = device->ahead()) sent += ahead->sent(), used += ahead->used();
  const std::string more =
      sent ? "; read ahead " + std::to_string(sent) + ", of which " + std::to_string(used) + " were used"
           : "";
  std::fputs(ledger_.summary(seconds, count(), more).c_str(), stderr);
}

VirtualDevice& Session::device(int index) {
  if (index < 0 || index >= count()) throw Failure(Status::invalid_device);
  return *devices_[index];
}

VirtualDevice* Session::owner(u64 address) const {
  for (const auto& device : devices_)
    if (device->holds(address)) return device.get();
  return nullptr;
}

} // namespace tasuki::remote
