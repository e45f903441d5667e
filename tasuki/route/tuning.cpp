#include <tasuki/route/tuning.hpp>

#include <tasuki/base/gather.hpp>
#include <tasuki/base/json_number.hpp>
#include <tasuki/base/reduce.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>

namespace tasuki {
namespace {

using Json = nlohmann::ordered_json;

constexpr long kBlockAsRow = 64 << 10; // bytes: rows of at least this length are as fast as a block
constexpr double kUnmeasured = std::numeric_limits<double>::infinity();

template <class Kind, class Names>
Kind named(const Json& json, const char* member, const Names& names) {
  const std::string name = json.at(member);
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) throw Error("it names the " + std::string(member) + " '" + name + "'", "tune again");
  return static_cast<Kind>(at - names.begin());
}

// The members of DeviceConstants by their names in the file.
constexpr std::pair<const char*, double DeviceConstants::*> kConstants[] = {
    {"stream_bandwidth", &DeviceConstants::stream_bandwidth},
    {"stream_bandwidth_2", &DeviceConstants::stream_bandwidth_2},
    {"launch", &DeviceConstants::launch},
    {"dependent_launch", &DeviceConstants::dependent_launch},
    {"synchronize", &DeviceConstants::synchronize},
    {"graph_node", &DeviceConstants::graph_node},
    {"barrier", &DeviceConstants::barrier},
    {"meeting", &DeviceConstants::meeting},
    {"reduction_flat", &DeviceConstants::reduction_flat},
    {"reduction_levels", &DeviceConstants::reduction_levels},
};

constexpr std::pair<const char*, double SpaceConstants::*> kSpaceConstants[] = {
    {"touch", &SpaceConstants::touch},
    {"section", &SpaceConstants::section},
    {"section_bandwidth", &SpaceConstants::section_bandwidth},
    {"synchronisation", &SpaceConstants::synchronisation},
};

Json to_json(const Line& line) {
  Json json = {{"channel", to_string(line.channel)}};
  if (line.channel == ChannelKind::peer) json["mode"] = to_string(line.mode);
  json["shape"] = to_string(line.shape);
  json["row_bytes"] = line.row_bytes;
  json["pair"] = to_string(line.pair);
  json["latency"] = line.latency;
  json["bandwidth"] = line.bandwidth;
  json["rms"] = line.rms;
  json["points"] = line.points;
  return json;
}

Line line_from(const Json& json) {
  Line line;
  line.channel = named<ChannelKind>(json, "channel", kChannelNames);
  if (line.channel == ChannelKind::peer) line.mode = named<PeerMode>(json, "mode", kPeerModeNames);
  line.shape = named<FaceShape>(json, "shape", kShapeNames);
  line.row_bytes = json_number<long>(json.at("row_bytes"), "row_bytes");
  line.pair = named<PairKind>(json, "pair", kPairNames);
  line.latency = json_number<double>(json.at("latency"), "latency");
  line.bandwidth = json_number<double>(json.at("bandwidth"), "bandwidth");
  line.rms = json.value("rms", 0.0);
  line.points = json.value("points", std::vector<std::pair<long, double>>{});
  const bool sane = line.latency >= 0 && line.bandwidth > 0 && line.row_bytes >= 0 &&
                    (line.row_bytes > 0 || line.shape == FaceShape::block);
  if (!sane) throw Error("a line of it has no sense", "tune again");
  return line;
}

std::string name_of(const Machine& m) {
  return m.device_name + " (" + std::to_string(m.ranks_per_node) + " ranks a node)";
}

// The text of the whole file; throws Error with the reason if it cannot be read.
std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file) throw Error("it cannot be read", "check its path");
  return text.str();
}

struct KeptTuning {
  explicit KeptTuning(Device& device) : tuning(Tuning::load(device)) {}
  Tuning tuning;
};

long row_of(const Line& line) { return line.shape == FaceShape::block ? kBlockAsRow : line.row_bytes; }

} // namespace

std::string Machine::key() const {
  std::uint64_t hash = 14695981039346656037u; // FNV-1a
  for (const std::string& part : {device, device_name, cpu, std::to_string(ranks_per_node)})
    for (const char c : part + '\n') hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
  return digits;
}

Machine machine_of(const Device& device) {
  World& world = device.world();
  Machine m;
  m.device = device.cuda() ? "cuda" : "host";
  m.device_name = device.name();
  m.cpu = cpu_name();
  share(world, m.device_name); // all ranks take the name from rank 0
  share(world, m.cpu);
  m.nodes = world.host_count();
  m.ranks_per_node = reduce_max(world, world.host_size());
  return m;
}

std::string Tuning::default_path(const Machine& machine) {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  const std::string folder = cache && *cache ? cache : std::string(home ? home : ".") + "/.cache";
  return folder + "/tasuki/tuning-" + machine.key() + ".json";
}

Tuning Tuning::parse(const std::string& text, const Machine& machine) {
  Tuning t;
  t.measured = true;
  const std::string mend = "run `tasuki tune` here";
  try {
    const Json json = Json::parse(text);
    const int schema = json_number<int>(json.at("schema"), "schema");
    const std::string version = json.at("tasuki");
    if (schema != kSchema || version != TASUKI_VERSION)
      throw Error("it is of tasuki " + version + ", this is " TASUKI_VERSION, mend);
    const Json& m = json.at("machine");
    t.machine = {m.at("device"), m.at("device_name"), m.at("cpu"),
                 json_number<int>(m.at("ranks_per_node"), "ranks_per_node"),
                 json_number<int>(m.at("nodes"), "nodes")};
    if (t.machine.key() != machine.key())
      throw Error("it is of another machine, " + name_of(t.machine) + ", this is " + name_of(machine), mend);
    for (const Json& line : json.at("channels")) t.lines.push_back(line_from(line));
    const Json& device = json.at("device");
    for (const auto& [name, member] : kConstants)
      if (device.contains(name)) t.device.*member = json_number<double>(device.at(name), name);
    const Json space = json.value("space", Json::object());
    for (const auto& [name, member] : kSpaceConstants)
      if (space.contains(name)) t.space.*member = json_number<double>(space.at(name), name);
  } catch (const Json::exception& fault) {
    throw Error("it is damaged", mend);
  }
  return t;
}

std::string Tuning::json() const {
  Json json = {{"schema", kSchema},
               {"tasuki", TASUKI_VERSION},
               {"machine",
                {{"key", machine.key()},
                 {"device", machine.device},
                 {"device_name", machine.device_name},
                 {"cpu", machine.cpu},
                 {"ranks_per_node", machine.ranks_per_node},
                 {"nodes", machine.nodes}}},
               {"channels", Json::array()},
               {"device", Json::object()}};
  for (const Line& line : lines) json["channels"].push_back(to_json(line));
  for (const auto& [name, member] : kConstants) json["device"][name] = device.*member;
  for (const auto& [name, member] : kSpaceConstants) json["space"][name] = space.*member;
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Tuning Tuning::load(Device& device) {
  World& world = device.world();
  const Machine machine = machine_of(device);
  const DeviceKind kind = device.kind();
  std::string named = world.settings().tuning;
  if (named == "none") return built_in(kind);
  if (kind != world.part<Device>().kind()) named.clear();
  // Rank 0 reads and checks the file and sends the text; all ranks then parse the same text.
  const std::string path = named.empty() ? default_path(machine) : named;
  std::string text;
  bool missing = false;
  if (world.rank() == 0) {
    missing = !std::ifstream(path).good();
    try {
      if (!missing) {
        text = read_text(path);
        parse(text, machine);
      }
    } catch (const Error& fault) {
      std::fprintf(stderr, "tasuki: the tuning file %s is not used: %s\n", path.c_str(), fault.what());
      text.clear();
    }
  }
  missing = any_rank(world, missing);
  if (missing && !named.empty())
    throw Error("there is no tuning file " + named, "run `tasuki tune --tuning " + named + "`, or drop it");
  share(world, text);
  if (text.empty()) return built_in(kind);
  Tuning t = parse(text, machine);
  t.path = path;
  return t;
}

Tuning::Cost Tuning::cost(ChannelKind channel, FaceShape shape, long row_bytes, PairKind pair,
                          PeerMode mode) const {
  // The links of ranks of one host also serve its subclusters.
  const auto known = [&](PairKind p) {
    return std::any_of(lines.begin(), lines.end(),
                       [&](const Line& line) { return line.channel == channel && line.pair == p; });
  };
  if (!known(pair)) {
    if (pair == PairKind::subcluster && channel == ChannelKind::mpi)
      return cost(channel, shape, row_bytes, PairKind::node, mode);
    if (!measured) return {kUnmeasured, 1};
    const bool cuda = machine.device == "cuda";
    return built_in(cuda ? DeviceKind::cuda : DeviceKind::host).cost(channel, shape, row_bytes, pair, mode);
  }
  const Line *below = nullptr, *above = nullptr;
  const long row = shape == FaceShape::block ? kBlockAsRow : std::clamp(row_bytes, 1L, kBlockAsRow);
  for (const Line& line : lines) {
    if (line.channel != channel || line.pair != pair) continue;
    if (channel == ChannelKind::peer && line.mode != mode) continue;
    if (row_of(line) <= row && (!below || row_of(line) > row_of(*below))) below = &line;
    if (row_of(line) >= row && (!above || row_of(line) < row_of(*above))) above = &line;
  }
  if (!below && !above) return {kUnmeasured, 1};
  if (!below) // rows shorter than any measured row: the number of rows per second stays the same
    return {above->latency,
            above->bandwidth * static_cast<double>(row) / static_cast<double>(row_of(*above))};
  if (!above || above == below) return {below->latency, below->bandwidth};
  const double part = std::log2(static_cast<double>(row) / static_cast<double>(row_of(*below))) /
                      std::log2(static_cast<double>(row_of(*above)) / static_cast<double>(row_of(*below)));
  return {below->latency + part * (above->latency - below->latency),
          below->bandwidth * std::pow(above->bandwidth / below->bandwidth, part)};
}

double Tuning::predict(ChannelKind channel, FaceShape shape, long row_bytes, long bytes, PairKind pair,
                       PeerMode mode) const {
  return cost(channel, shape, row_bytes, pair, mode).seconds(bytes);
}

const Tuning& tuning(Device& device) { return device.part<KeptTuning>().tuning; }
const Tuning& tuning(World& world) { return tuning(world.part<Device>()); }

} // namespace tasuki
