#include <tasuki/base/error.hpp>

#include <tasuki/base/json_number.hpp>
#include <tasuki/model/constants.hpp>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

namespace tasuki {
namespace {

using Json = nlohmann::json;

constexpr int kSchema = 1;

// The numbers of Constants that a file may contain.
struct Member {
  const char* name;
  double Constants::*value;
};
constexpr Member kMembers[] = {{"memory", &Constants::memory},
                               {"cache", &Constants::cache},
                               {"cache_bytes", &Constants::cache_bytes},
                               {"chip", &Constants::chip},
                               {"chip_bytes", &Constants::chip_bytes},
                               {"multiprocessors", &Constants::multiprocessors},
                               {"word", &Constants::word},
                               {"tile_step", &Constants::tile_step},
                               {"link", &Constants::link},
                               {"launch", &Constants::launch},
                               {"gap", &Constants::gap},
                               {"graph_node", &Constants::graph_node},
                               {"start", &Constants::start},
                               {"barrier", &Constants::barrier},
                               {"flag", &Constants::flag},
                               {"event", &Constants::event},
                               {"reduce", &Constants::reduce},
                               {"synchronize", &Constants::synchronize},
                               {"collective", &Constants::collective},
                               {"step", &Constants::step},
                               {"usual_efficiency", &Constants::usual_efficiency}};

struct SpaceMember {
  const char* name;
  double SpaceConstants::*value;
};
constexpr SpaceMember kSpaceMembers[] = {{"touch", &SpaceConstants::touch},
                                         {"section", &SpaceConstants::section},
                                         {"section_bandwidth", &SpaceConstants::section_bandwidth},
                                         {"synchronisation", &SpaceConstants::synchronisation}};

// Two nodes that are one machine: the table of docs/space.md. Others are tuned.
constexpr SpaceConstants kSpace = {43e-6, 43e-6, 1.4e9, 6.5e-6};

// Constants that differ between GPUs. Memory: a measured triad. Cache: dependent streaming kernels whose arrays
// are in the L2 cache, and the size up to which they stay there (RRZE-HPC gpu-benches, gpu-small-kernels
// and gpu-l2-cache). Shared memory of all multiprocessors: data sheet. Link: PCIe of the data sheet minus a seventh.
struct Gpu {
  const char* name;
  double memory, cache, cache_bytes, shared_bytes, multiprocessors, link;
};
constexpr Gpu kGpus[] = {
    {"H200", 4.36e12, 6.2e12, 30e6, 30.8e6, 132, 55e9},
    {"H100", 3.06e12, 5.6e12, 30e6, 30.8e6, 132, 55e9},
    {"A100", 1.75e12, 4.5e12, 30e6, 17.6e6, 108, 27e9},
    {"", 1.5e12, 3e12, 20e6, 8e6, 80, 13e9}, // any other
};

// The sweeps of Tasuki's own programs, with their fraction of the triad's bandwidth on H200 and H100 (records in
// bench/results). Sweeps with exact sums; with --sums fast: 0.85 and 0.90.
void add_known_sweeps(Constants& c) {
  c.efficiency = {{"Relax", 0.88},         {"RelaxAndMeasure", 0.77}, {"Jacobi", 0.92},
                  {"JacobiAndGosa", 0.83}, {"SevenPoints", 0.82},     {"TwentySevenPoints", 0.76}};
}

Constants gpu(const std::string& name) {
  const Gpu& known = *std::find_if(std::begin(kGpus), std::end(kGpus),
                                   [&](const Gpu& g) { return name.find(g.name) != std::string::npos; });
  Constants c;
  c.name = name;
  c.cuda = true;
  c.tuning = Tuning::built_in(DeviceKind::cuda);
  c.memory = known.memory;
  c.cache = known.cache;
  c.cache_bytes = known.cache_bytes;
  c.chip = known.cache;
  c.chip_bytes = known.shared_bytes;
  c.multiprocessors = known.multiprocessors;
  c.link = known.link;
  c.word = 1.3 / 32 / 1.75e9; // 1.3 cycles for the 32 numbers of a warp: measured on an H200
  c.tile_step = 850 / 1.75e9; // measured likewise: small grids take 0.6 us a step
  c.barrier = 1600 / 1.75e9;  // measured likewise, between tiles of a device
  c.start = 1.2e-6;           // steps of small grids in graphs, beside the node: H100 and H200
  c.flag = 1.3e-6;            // NVLink, half of a round trip
  c.event = 0.7e-6;
  c.reduce = 3e-6; // the last block folds the sums of a short sweep; a second kernel those of a long sweep
  c.collective = 2e-6;
  c.step = 0.5e-6;
  c.devices_a_node = 8;
  add_known_sweeps(c);
  return c;
}

Constants host(const std::string& name) {
  Constants c;
  c.name = name;
  c.tuning = Tuning::built_in(DeviceKind::host);
  c.memory = 25e9; // two cores of a Xeon
  c.cache = 2 * c.memory;
  c.cache_bytes = 32e6;
  c.chip = c.cache;
  c.chip_bytes = 2e6;
  c.link = c.memory / 2; // read and written
  c.flag = 0.3e-6;
  c.reduce = 0.2e-6;
  c.collective = 1e-6;
  c.step = 0.3e-6;
  c.shared_memory = true;
  c.devices_a_node = 1 << 20; // ranks of one host, unless specified otherwise
  c.usual_efficiency = 0.8;
  return c;
}

void take(double& to, double measured) {
  if (measured > 0) to = measured;
}

// The measurements of tasuki tune.
void take_tuning(Constants& c, const Tuning& tuning) {
  const DeviceConstants& d = tuning.device;
  c.tuning = tuning;
  take(c.launch, d.launch);
  take(c.gap, d.dependent_launch);
  take(c.graph_node, d.graph_node);
  take(c.synchronize, d.synchronize);
  if (!c.cuda) take(c.barrier, d.barrier);
  c.space = kSpace;
  for (const SpaceMember& member : kSpaceMembers) take(c.space.*member.value, tuning.space.*member.value);
}

template <std::size_t N>
int place_in(const std::array<const char*, N>& names, const std::string& name) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) throw Error("'" + name + "' is not known", "see docs/model.md for what there is");
  return static_cast<int>(at - names.begin());
}

Line line_of(const Json& json) {
  Line line;
  line.channel = static_cast<ChannelKind>(place_in(kChannelNames, json.at("channel")));
  line.pair = static_cast<PairKind>(place_in(kPairNames, json.at("pair")));
  line.mode = static_cast<PeerMode>(place_in(kPeerModeNames, json.value("mode", "stores")));
  if (json.contains("row_bytes")) line.row_bytes = json_number<long>(json.at("row_bytes"), "row_bytes");
  line.latency = json_number<double>(json.at("latency"), "latency");
  line.bandwidth = json_number<double>(json.at("bandwidth"), "bandwidth");
  if (!(line.bandwidth > 0)) throw Error("a line has no bandwidth", "give bytes a second above 0");
  return line;
}

void take_lines(Tuning& tuning, const Json& list) {
  for (const Json& json : list) {
    const Line given = line_of(json);
    std::erase_if(tuning.lines,
                  [&](const Line& l) { return l.channel == given.channel && l.pair == given.pair; });
  }
  for (const Json& json : list) {
    Line line = line_of(json);
    if (json.contains("shape")) {
      line.shape = static_cast<FaceShape>(place_in(kShapeNames, json.at("shape")));
      tuning.lines.push_back(line);
      continue;
    }
    for (const auto& [shape, row] :
         {std::pair{FaceShape::stride, 8L}, {FaceShape::block_stride, 64L}, {FaceShape::block, 0L}}) {
      line.shape = shape;
      line.row_bytes = row;
      tuning.lines.push_back(line);
    }
  }
}

} // namespace

double Constants::efficiency_of(const std::string& sweep) const {
  const auto found = efficiency.find(sweep);
  return found == efficiency.end() ? usual_efficiency : found->second;
}

Constants Constants::named(const std::string& device) {
  Constants c = device == "host" ? host(device) : gpu(device);
  take_tuning(c, c.tuning);
  return c;
}

Constants Constants::of(const Tuning& tuning) {
  const bool cuda = tuning.machine.device == "cuda";
  Constants c = cuda ? gpu(tuning.machine.device_name) : host(tuning.machine.device_name);
  take_tuning(c, tuning);
  if (!tuning.measured) return c;
  const double before = c.memory, node = cuda ? 1 : std::max(1, tuning.machine.ranks_per_node);
  take(c.memory, node * std::max(tuning.device.stream_bandwidth, tuning.device.stream_bandwidth_2));
  if (cuda) return c;
  c.cache = c.chip = c.cache * c.memory / before;
  c.link = c.memory / 2;
  return c;
}

std::string Constants::json(const std::string& source) const {
  nlohmann::ordered_json json = {{"schema", kSchema}, {"device", cuda ? name : "host"}, {"source", source}};
  for (const Member& member : kMembers) json[member.name] = this->*(member.value);
  for (const SpaceMember& member : kSpaceMembers) json["space"][member.name] = space.*member.value;
  json["devices_a_node"] = devices_a_node;
  for (const auto& [sweep, reached] : efficiency) json["efficiency"][sweep] = reached;
  for (const Line& line : tuning.lines)
    json["lines"].push_back({{"channel", to_string(line.channel)},
                             {"pair", to_string(line.pair)},
                             {"mode", to_string(line.mode)},
                             {"shape", to_string(line.shape)},
                             {"row_bytes", line.row_bytes},
                             {"latency", line.latency},
                             {"bandwidth", line.bandwidth}});
  return json.dump(2) + "\n";
}

SpaceConstants space_constants_of(const nlohmann::json& json, SpaceConstants space) {
  for (const auto& [name, value] : json.items()) {
    const auto member = std::find_if(std::begin(kSpaceMembers), std::end(kSpaceMembers),
                                     [&, &known = name](const SpaceMember& m) { return known == m.name; });
    if (member == std::end(kSpaceMembers))
      throw Error("a space has no constant '" + name + "'", "see docs/model.md for those that there are");
    space.*(member->value) = json_number<double>(value, "space." + name);
    if (!(space.*(member->value) > 0))
      throw Error("'space." + name + "' is not above 0", "give a time, or bytes a second");
  }
  return space;
}

Constants Constants::load(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error("cannot read " + path, "give a file of constants; see docs/model.md");
  try {
    const Json json = Json::parse(file);
    if (json.at("schema") != kSchema)
      throw Error("its schema is " + json.at("schema").dump(), "use a file of schema 1");
    Constants c = named(json.at("device").get<std::string>());
    for (const auto& [name, value] : json.items()) {
      const auto member = std::find_if(std::begin(kMembers), std::end(kMembers),
                                       [&, &known = name](const Member& m) { return known == m.name; });
      if (member != std::end(kMembers)) {
        c.*(member->value) = json_number<double>(value, name);
        if (member->value == &Constants::multiprocessors) json_number<double>(value, name, {1, 1 << 20});
        if (!(c.*(member->value) >= 0)) throw Error("'" + name + "' is negative", "use 0 or more");
      } else if (name == "devices_a_node") {
        c.devices_a_node = json_number<int>(value, name, {1, 1 << 24});
      } else if (name == "efficiency") {
        for (const auto& [sweep, reached] : value.items())
          c.efficiency[sweep] = json_number<double>(reached, "efficiency of " + sweep);
      } else if (name == "space") {
        c.space = space_constants_of(value, c.space);
      } else if (name == "lines") {
        take_lines(c.tuning, value);
      } else if (name != "schema" && name != "device" && name != "source" && name != "note") {
        throw Error("there is no constant '" + name + "'", "see docs/model.md for those that there are");
      }
    }
    return c;
  } catch (const Json::exception& fault) {
    throw Error(path + " is no file of constants: " + fault.what(), "see docs/model.md for its form");
  } catch (const Error& fault) {
    throw Error(path + ": " + fault.what(), "correct the file");
  }
}

} // namespace tasuki
