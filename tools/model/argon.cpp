#include <tools/model/argon.hpp>

#include <apps/argon/run/sizes.hpp>
#include <tasuki/base/error.hpp>
#include <tasuki/base/json_number.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace tasuki::model {
namespace {

using Json = nlohmann::json;

// ceil(log2 n): rounds in which n ranks come to know what all of them know.
int gather_rounds(int n) {
  int count = 0;
  for (int known = 1; known < n; known *= 2) ++count;
  return count;
}

// On the straight line through two points.
double between(double x, double x0, double y0, double x1, double y1) {
  return x1 > x0 ? y0 + (y1 - y0) * (x - x0) / (x1 - x0) : y0;
}

std::pair<int, double> parse_measured(const std::string& text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  try {
    return {parse_number<int>(text.substr(0, colon), "--measured", {1, 1 << 24}),
            parse_number<double>(text.substr(std::min(colon + 1, text.size())), "--measured", above(0))};
  } catch (const Error&) {
    throw Error(quoted("--measured", text) + " is no measurement",
                "write it as 4:0.035, devices and seconds");
  }
}

} // namespace

ArgonModel::ArgonModel(Job job, std::vector<ArgonSpeed> speeds, const Constants& constants, double decision)
    : job_(job), speeds_(std::move(speeds)), constants_(constants), decision_(decision) {
  if (speeds_.empty())
    throw Error("nothing is known of argon's speed on " +
                    (constants.name.empty() ? std::string("this device") : constants.name),
                "measure it with tasuki-bench-argon --out FILE, and give --speeds FILE");
  std::sort(speeds_.begin(), speeds_.end(), [](const ArgonSpeed& a, const ArgonSpeed& b) {
    return std::pair(a.atoms, a.replicas) < std::pair(b.atoms, b.replicas);
  });
}

bool ArgonModel::knows_few(long atoms) const {
  const auto near = std::min_element(speeds_.begin(), speeds_.end(), [&](const auto& a, const auto& b) {
    return std::abs(a.atoms - atoms) < std::abs(b.atoms - atoms);
  });
  return std::count_if(speeds_.begin(), speeds_.end(),
                       [&](const ArgonSpeed& s) { return s.atoms == near->atoms; }) > 1;
}

long ArgonModel::at_once(long atoms) const {
  for (const ArgonSpeed& s : speeds_)
    if (s.atoms == atoms && s.at_once > 0) return s.at_once;
  return 0;
}

double ArgonModel::rounds(int devices) const {
  const auto busiest = static_cast<double>((job_.replicas + devices - 1) / devices);
  const auto all = static_cast<double>(at_once(job_.atoms));
  return all > 0 ? busiest / all : 0;
}

// Rounds of `at_once` replicas, and one of those that are left. Replicas of later rounds start as soon as there is room, so
// many rounds take less than the first says: by how much was measured.
double ArgonModel::in_rounds(const Points& points, double at_once, double replicas) {
  const double whole = std::floor(replicas / at_once), left = replicas - whole * at_once;
  return whole * measured(points, at_once) + (left > 0 ? measured(points, left) : 0);
}

double ArgonModel::of_size(long atoms, double replicas) const {
  Points points;
  for (const ArgonSpeed& s : speeds_)
    if (s.atoms == atoms) points.emplace_back(s.replicas, s.seconds / s.every);
  const auto all = static_cast<double>(at_once(atoms));
  if (all == 0 || points.size() == 1 || replicas <= all || points.back().first < all)
    return measured(points, replicas);
  Points shares; // of the time of their rounds, what was measured
  for (const auto& [count, seconds] : points)
    if (count >= all) shares.emplace_back(count, seconds / in_rounds(points, all, count));
  const double most = std::min(replicas, shares.back().first); // beyond, as there
  const auto above =
      std::find_if(shares.begin(), shares.end(), [&](const auto& share) { return share.first >= most; });
  const double share = above == shares.begin() ? above->second
                                               : between(most, (above - 1)->first, (above - 1)->second,
                                                         above->first, above->second);
  return share * in_rounds(points, all, replicas);
}

double ArgonModel::measured(const Points& points, double replicas) {
  if (points.size() == 1)
    return points.front().second * replicas / points.front().first;   // full, as far as is known
  if (replicas <= points.front().first) return points.front().second; // not full: one takes as long as many
  if (replicas >= points.back().first) return points.back().second * replicas / points.back().first;
  const auto above =
      std::find_if(points.begin(), points.end(), [&](const auto& point) { return point.first >= replicas; });
  return between(replicas, (above - 1)->first, (above - 1)->second, above->first, above->second);
}

double ArgonModel::compute(long atoms, double replicas) const {
  const auto above =
      std::find_if(speeds_.begin(), speeds_.end(), [&](const ArgonSpeed& s) { return s.atoms >= atoms; });
  double step = 0;
  if (above == speeds_.end()) { // more atoms than were measured: as much work an atom
    const long most = speeds_.back().atoms;
    step = of_size(most, replicas) * static_cast<double>(atoms) / static_cast<double>(most);
  } else if (above->atoms == atoms || above == speeds_.begin()) {
    step = of_size(above->atoms, replicas) * static_cast<double>(atoms) / static_cast<double>(above->atoms);
  } else {
    const long fewer = (above - 1)->atoms;
    step = std::exp(between(std::log(atoms), std::log(fewer), std::log(of_size(fewer, replicas)),
                            std::log(above->atoms), std::log(of_size(above->atoms, replicas))));
  }
  return scale_ * step * job_.every;
}

Parts ArgonModel::at(int devices) const {
  const Constants& c = constants_;
  const long busiest = (job_.replicas + devices - 1) / devices;
  const int on_node = std::min(devices, c.devices_a_node);
  const int nodes = (devices + c.devices_a_node - 1) / c.devices_a_node;
  const Tuning::Cost far =
      c.tuning.cost(ChannelKind::mpi, FaceShape::block, 0, PairKind::far, PeerMode::stores);
  const double bytes =
      static_cast<double>(sizeof(double)) * static_cast<double>(job_.replicas) * (job_.pressure ? 2 : 1);
  Parts parts;
  parts[Part::compute] = compute(job_.atoms, static_cast<double>(busiest));
  parts[Part::latency] = gather_rounds(on_node) * c.collective + gather_rounds(nodes) * far.latency;
  // Every rank takes in all but its own.
  parts[Part::bandwidth] = nodes > 1 ? bytes * (nodes - 1) / nodes / far.bandwidth : 0;
  parts[Part::host] = decision_ * static_cast<double>(job_.replicas);
  return parts;
}

void ArgonModel::calibrate(double one_took) {
  const Parts one = at(1);
  const double rest = one.total() - one[Part::compute];
  if (one_took > rest) scale_ *= (one_took - rest) / one[Part::compute];
}

std::vector<ArgonSpeed> argon_speeds(const std::string& device) {
  // Measured by tasuki-bench-argon, Langevin, crystals at 50 to 250 K.
  static const std::map<std::string, std::vector<ArgonSpeed>> known = {{"H200",
                                                                        {{256, 132, 100, 0.0042},
                                                                         {256, 264, 100, 0.0042},
                                                                         {256, 528, 100, 0.00469},
                                                                         {256, 1056, 100, 0.00689, 1056},
                                                                         {256, 2112, 100, 0.0142},
                                                                         {256, 14336, 100, 0.0934},
                                                                         {2048, 1, 100, 0.00512, 132},
                                                                         {2048, 16, 100, 0.00627},
                                                                         {2048, 132, 100, 0.00676},
                                                                         {2048, 264, 100, 0.0128},
                                                                         {2048, 528, 100, 0.0252},
                                                                         {2048, 4096, 100, 0.194},
                                                                         {2048, 14336, 100, 0.666}}}};
  for (const auto& [name, speeds] : known)
    if (device.find(name) != std::string::npos) return speeds;
  return {};
}

std::vector<ArgonSpeed> load_argon_speeds(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error("cannot read " + path, "give what tasuki-bench-argon --out wrote");
  std::vector<ArgonSpeed> speeds;
  for (std::string line; std::getline(file, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      const Json row = Json::parse(line);
      if (row.value("ranks", 1) != 1) continue;
      const ArgonSpeed speed{json_number<long>(row.at("atoms"), path + ": atoms"),
                             json_number<long>(row.at("replicas"), path + ": replicas"),
                             json_number<int>(row.at("steps_per_exchange"), path + ": steps_per_exchange"),
                             json_number<double>(row.at("seconds"), path + ": seconds"),
                             json_number<long>(row.value("at_once", Json(0)), path + ": at_once")};
      if (speed.at_once < 0 || speed.atoms < 1 || speed.replicas < 1 || speed.every < 1 ||
          !(speed.seconds > 0))
        throw Error(path + " holds an interval of nothing", "measure it again");
      speeds.push_back(speed);
    } catch (const Json::exception& fault) {
      throw Error(fmt::format("{} holds no speeds: {}", path, fault.what()),
                  "give what tasuki-bench-argon --out wrote");
    }
  }
  if (speeds.empty()) throw Error(path + " holds no speed of one device", "measure with one rank, too");
  return speeds;
}

void add_argon_options(OptionParser& line, ArgonOptions& o) {
  const auto resize = [&o](const std::vector<long>& n) { o.job.atoms = n[0], o.job.replicas = n[1]; };
  job::add_size(line, argon::kSizes, resize, job::size_text({o.job.atoms, o.job.replicas}, argon::kSizes));
  line.add("--atoms", o.job.atoms, "of a replica", {4, 1L << 31}).excludes("--size");
  line.add("--replicas", o.job.replicas, "in all", {1, 1L << 31}).excludes("--size");
  line.add("--exchange-every", o.job.every, "steps of an interval", {1, 1 << 30});
  line.add("--pressure", o.job.pressure, "constant pressure: volumes are exchanged, too");
  line.add("--speeds", o.speeds, "lines of JSON of tasuki-bench-argon on one device");
  line.add("--decision", o.decision, "seconds of an exchange for each replica, on one core",
           {0, std::numeric_limits<double>::max()});
  line.add(
      "--measured",
      [&o](const std::string& text, const std::string&) {
        std::istringstream list(text);
        for (std::string each; std::getline(list, each, ',');) o.measured.push_back(each);
      },
      "4:0.035,8:0.02: an interval on 4 devices took 0.035 s; of 1, the speed is made to agree");
}

Table argon_table(const ArgonOptions& o, const Constants& constants, std::vector<int> devices) {
  ArgonModel model(o.job, o.speeds.empty() ? argon_speeds(constants.name) : load_argon_speeds(o.speeds),
                   constants, o.decision);
  std::map<int, double> measured; // seconds by devices
  for (const std::string& text : o.measured) measured.insert(parse_measured(text));
  if (const auto one = measured.find(1); one != measured.end()) model.calibrate(one->second);
  for (const auto& [n, seconds] : measured)
    if (std::find(devices.begin(), devices.end(), n) == devices.end()) devices.push_back(n);
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  Table table{
      fmt::format("argon: {} replicas of {} atoms, {} steps an exchange, on {}", o.job.replicas, o.job.atoms,
                  o.job.every, constants.name.empty() ? "an unknown GPU" : constants.name),
      "",
      {}};
  if (o.job.replicas == 14336)
    table.source =
        "the study of 2014 (models/dscuda-remd-2014.json) says of 1024 devices: 256 atoms 108 ms, 35 %; "
        "2048 atoms 543 ms, 87 %";
  if (!model.knows_few(o.job.atoms))
    table.source +=
        std::string(table.source.empty() ? "" : "\n") +
        "only full devices were measured (--speeds FILE): one with few replicas is slower than this says";
  for (const int n : devices)
    if (const double rounds = model.rounds(n);
        rounds > 1 && n <= o.job.replicas && rounds > std::floor(rounds))
      table.source += fmt::format("{}{} device{}: {:.4g} rounds of replicas, the last is {:.0f} % full",
                                  table.source.empty() ? "" : "\n", n, n > 1 ? "s" : "", rounds,
                                  100 * (rounds - std::floor(rounds)));
  for (const int n : devices) {
    Row row;
    row.series = "argon";
    row.devices = n;
    if (n > o.job.replicas)
      row.not_here = "there are more devices than replicas";
    else
      row.parts = model.at(n);
    if (const auto found = measured.find(n); found != measured.end()) row.measured = found->second;
    row.calibrates = n == 1 && row.measured > 0;
    table.rows.push_back(std::move(row));
  }
  table.rate();
  for (Row& row : table.rows) row.chosen = false;
  return table;
}

} // namespace tasuki::model
