#include <remote/client/session.hpp>

#include <remote/client/elsewhere.hpp>
#include <remote/client/lasting_link.hpp>
#include <remote/client/replicas.hpp>
#include <remote/link/hidden_file.hpp>
#include <remote/link/lanes.hpp>
#include <remote/link/setting.hpp>
#include <remote/link/socket.hpp>
#include <remote/server/visit.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <sstream>

namespace tasuki::remote {

namespace {

constexpr u64 most_files = 1u << 30, most_time = u64{1} << 40; // ms: 35 years
std::atomic<Session*> the_session{nullptr};

std::vector<Spare> inherited(const std::string& numbers) {
  std::vector<Spare> links;
  std::istringstream in(numbers);
  for (std::string number; std::getline(in, number, ',');) {
    const std::string name = "worker " + std::to_string(links.size());
    Spare dialled;
    dialled.visit.link = std::make_unique<SocketLink>(
        Descriptor(static_cast<int>(whole_number(number, "TASUKI_GPUS_LINKS", "open files", 0, most_files))),
        name);
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

Key key_of_setting() {
  const std::string named = setting("TASUKI_GPUS_KEY");
  const std::string path = named.empty() ? default_key_path() : named;
  return named.empty() && access(path.c_str(), F_OK) ? Key() : read_key(path);
}

Wish wish_of_setting(bool queue = true) {
  Wish wish;
  wish.lanes = static_cast<int>(
      setting_number("TASUKI_GPUS_LANES", static_cast<u64>(wish.lanes), "lanes", 1, kMostLanes));
  wish.ucx = setting("TASUKI_GPUS_UCX") == "1";
  wish.program = setting("TASUKI_GPUS_PROGRAM");
  wish.queue = queue;
  return wish;
}

// All devices of a list of hosts. They are dialled at once: a worker takes a while to start. Where a GPU is several devices, "a:0#2"
// is the second of them.
std::vector<std::future<Spare>> dialling(const std::string& list, std::map<std::string, int>& seen,
                                         bool queue = true) {
  const Key key = key_of_setting();
  const Wish wish = wish_of_setting(queue);
  std::vector<std::future<Spare>> coming;
  for (const Host& host : parse_hosts(list)) {
    const Greeting there = greet(host, key);
    for (const int device : chosen(host, there)) {
      const u64 memory = there.devices[static_cast<std::size_t>(device)].properties.memory;
      std::string name = host.shown() + ":" + std::to_string(device);
      if (const int times = ++seen[name]; times > 1) name += "#" + std::to_string(times);
      coming.push_back(std::async(std::launch::async, [host, key, device, wish, name, memory] {
        Spare spare;
        spare.name = name;
        spare.memory = memory;
        spare.host = host.shown();
        spare.open = [=] { return open_device(host, key, device, wish); };
        spare.visit = spare.open();
        return spare;
      }));
    }
  }
  return coming;
}

// "0+2,1+3": the first device that the program sees is the first and the third of those that are dialled. Each alone where
// nothing is said.
std::vector<std::vector<std::size_t>> groups_of(const std::string& text, std::size_t count) {
  std::vector<std::vector<std::size_t>> groups;
  std::istringstream in(text);
  for (std::string group; std::getline(in, group, ',');) {
    groups.emplace_back();
    std::istringstream words(group);
    for (std::string word; std::getline(words, word, '+');)
      groups.back().push_back(
          whole_number(word, "TASUKI_GPUS_REPLICAS=" + text + ": a device", "devices", 0, count - 1));
  }
  for (std::size_t n = 0; text.empty() && n < count; ++n) groups.push_back({n});
  std::set<std::size_t> seen;
  for (const auto& group : groups)
    for (const std::size_t n : group)
      if (!seen.insert(n).second)
        throw Error("TASUKI_GPUS_REPLICAS=" + text + " names a device twice",
                    "start the program by: tasuki gpus run --redundant 2");
  return groups;
}

// By time or by bytes; where there are any, before the log is full.
Imaging::Rule images_of_setting(u64 most) {
  Imaging::Rule rule;
  rule.bytes = setting_number("TASUKI_GPUS_IMAGE_BYTES", 0, "bytes");
  rule.time =
      std::chrono::milliseconds(setting_number("TASUKI_GPUS_IMAGE_MS", 0, "milliseconds", 0, most_time));
  if (rule.bytes || rule.time.count()) rule.bytes = rule.bytes ? std::min(rule.bytes, most / 2) : most / 2;
  rule.folder = folder_of_files();
  if (const std::string at = setting("TASUKI_GPUS_IMAGE_AT"); !at.empty()) {
    const std::vector<Host> hosts = parse_hosts(at);
    if (hosts.size() != 1)
      throw Error("TASUKI_GPUS_IMAGE_AT=" + at + " is not one server", "name it as b, or b@7411");
    rule.elsewhere = [host = hosts.front(), key = key_of_setting(), wish = wish_of_setting()] {
      return at_server(host, key, wish);
    };
    rule.elsewhere(); // whether it does
  }
  return rule;
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
  bool plays = false;    // that of a replica, by one that plays the log
  std::vector<Spare> links = inherited(setting("TASUKI_GPUS_LINKS"));
  auto spares = std::make_shared<Spares>();
  if (links.empty() && !setting("TASUKI_GPUS").empty()) {
    const std::string standing_by = setting("TASUKI_GPUS_SPARES");
    std::map<std::string, int> seen;
    auto devices = dialling(setting("TASUKI_GPUS"), seen);
    if (!standing_by.empty())
      for (auto& spare : dialling(standing_by, seen)) spares->add(spare.get());
    for (auto& device : devices) links.push_back(device.get());
    const bool degrades = setting("TASUKI_GPUS_DEGRADE") == "1";
    if (degrades)
      for (const Spare& one : links)
        spares->add({one.name, one.host, one.open, {}}); // behind all that stand by
    std::vector<Host> hosts = parse_hosts(setting("TASUKI_GPUS"));
    if (!standing_by.empty())
      for (Host& host : parse_hosts(standing_by)) hosts.push_back(std::move(host));
    std::set<std::string> taken;
    for (const auto& [name, times] : seen) taken.insert(name);
    auto free = std::make_shared<Elsewhere>(std::move(hosts), key_of_setting(), wish_of_setting(), taken);
    spares->elsewhere = [free](const Spares::Hosts& from) { return free->take(from); };
    recovers = degrades || !standing_by.empty() || !setting("TASUKI_GPUS_DOOR").empty();
  }
  if (links.empty())
    throw Error("no remote GPUs are named", "start the program by: tasuki gpus run --hosts a,b -- program");
  const auto groups = groups_of(setting("TASUKI_GPUS_REPLICAS"), links.size());
  const int count = static_cast<int>(groups.size());
  u64 largest = 0;
  for (const Spare& one : links) largest = std::max(largest, one.memory);
  const u64 arena = arena_bytes(count, largest);
  const u64 most = setting_number("TASUKI_GPUS_LOG", 1ull << 30, "bytes");
  const Log::Room room(most, setting_number("TASUKI_GPUS_SPILL", 4ull << 30, "bytes"), folder_of_files());
  const Imaging::Rule images = images_of_setting(most);
  std::vector<Entrance> entrances; // of workers that others may come to
  std::vector<Visit> ways;         // of links to several workers, each has a watch of its own
  std::vector<std::string> names;
  std::vector<std::shared_ptr<Standing>> standings;
  for (const auto& group : groups) {
    moves_.emplace_back();
    entrances.emplace_back();
    standings.push_back(std::make_shared<Standing>());
    const int device = static_cast<int>(ways.size());
    names.emplace_back();
    for (const std::size_t n : group) names.back() += (names.back().empty() ? "" : "+") + links[n].name;
    Spare& one = links[group.front()];
    if (group.size() > 1) {
      std::vector<Spare> replicas;
      for (const std::size_t n : group) replicas.push_back(std::move(links[n]));
      Replication replication{room, setting("TASUKI_GPUS_SAME_HOST") == "1", images, {}};
      if (const std::string tolerance = setting("TASUKI_GPUS_TOLERANCE"); !tolerance.empty())
        replication.tolerance = parse_tolerance(tolerance);
      replication.images.tolerance = replication.tolerance;
      auto way = std::make_unique<ReplicaLink>(device, std::move(replicas), spares, replication, agreement_,
                                               standings.back());
      moves_.back() = [link = way.get()](Spare to, const std::string& from) {
        return link->move(std::move(to), from);
      };
      ways.emplace_back().link = std::move(way);
      plays = true;
    } else if (recovers) {
      auto way =
          std::make_unique<LastingLink>(device, std::move(one), spares, room, images, standings.back());
      moves_.back() = [link = way.get()](Spare to, const std::string& from) {
        return link->move(std::move(to), from);
      };
      ways.emplace_back().link = std::move(way);
    } else {
      tell(one.visit, standings.back());
      entrances.back() = std::move(one.visit.entrance);
      ways.push_back(std::move(one.visit));
    }
  }
  Manner manner;
  manner.played_again = recovers || plays;
  manner.strict = setting("TASUKI_GPUS_STRICT") == "1";
  manner.ahead = setting("TASUKI_GPUS_AHEAD") != "0";
  const std::string trace = setting("TASUKI_GPUS_TRACE");
  if (!trace.empty() || setting("TASUKI_GPUS_SUMMARY") == "1") manner.ledger = &ledger_;
  if (!trace.empty()) ledger_.trace_into(trace);
  std::vector<std::future<std::unique_ptr<VirtualDevice>>> coming;
  for (int n = 0; n < count; ++n)
    coming.push_back(std::async(std::launch::async, [&, n] {
      Manner own = manner;
      own.standing = standings[n];
      own.entrance = std::move(entrances[n]);
      own.lanes = wish_of_setting().lanes;
      own.compared = groups[n].size() > 1;
      return std::make_unique<VirtualDevice>(n, std::move(ways[n].link), names[n], places_of(n, count, arena),
                                             own, std::move(ways[n].heartbeat));
    }));
  for (auto& device : coming) devices_.push_back(device.get());
  if (const std::string folder = setting("TASUKI_GPUS_DOOR"); !folder.empty()) {
    try {
      door_ = std::make_unique<Door>(folder + "/tasuki-gpus-run-" + std::to_string(getpid()) + ".sock",
                                     [this](const std::string& words) { return asked(words); });
      std::atexit([] {
        if (getpid() == the_session.load()->process_) the_session.load()->door_->remove();
      });
    } catch (const Error& e) {
      std::fprintf(stderr, "tasuki: no device of this program can be asked to move: %s\n", e.what());
    }
  }
}

std::string Session::asked(const std::string& words) {
  std::istringstream in(words);
  std::string what, place, from;
  int device = -1;
  if (!(in >> what >> device >> place) || what != "move")
    return "error this is no request; move 0 c[1] is one";
  in >> from;
  if (device < 0 || device >= count())
    return "error the program has " + std::to_string(count()) + " devices, from 0; name one of them";
  const Move& move = moves_[static_cast<std::size_t>(device)];
  if (!move) return "error no log of its calls is kept; start the program by: tasuki gpus run --movable";
  try {
    std::map<std::string, int> seen;
    auto found = dialling(place, seen, false);
    if (found.size() != 1) return "error " + place + " is not one GPU; name it as c:1";
    const std::string gone = move(found.front().get(), from);
    return gone.empty() ? "ok" : "error device " + std::to_string(device) + " has not moved: " + gone;
  } catch (const std::exception& e) {
    return std::string("error ") + e.what();
  }
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
  std::fputs((ledger_.summary(seconds, count(), more) + agreement_.summary()).c_str(), stderr);
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
