#include <apps/argon/run/trajectory.hpp>

#include <tasuki/base/gather.hpp>
#include <tasuki/base/number.hpp>
#include <tasuki/base/on_all.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <sstream>

namespace tasuki::argon {
namespace {

std::string name_of(const Frames& frames, int number) {
  return fmt::format("{}_{}", frames.by_state ? "state" : "replica", number);
}

std::vector<Column> columns_of(const Frames& frames, long atoms, long rows, bool breathes) {
  std::vector<Column> columns;
  for (const int number : frames.numbers) {
    const std::string name = name_of(frames, number), particles = "/particles/" + name;
    columns.push_back({particles + "/rows", ValueType::i64});
    columns.push_back({particles + "/position/value", ValueType::f32, rows, {atoms, 3}});
    if (breathes) columns.push_back({particles + "/box/edges/value", ValueType::f64, rows, {3}});
    columns.push_back({"/observables/" + name + "/state/value", ValueType::i32, rows});
    columns.push_back({"/observables/" + name + "/replica/value", ValueType::i32, rows});
  }
  return columns;
}

// A frame as it is sent to rank 0: number of its replica, edge of its box, coordinates.
struct Frame {
  long replica = 0;
  double box = 0;
  std::vector<float> places;
};

void pack(const Replicas& replicas, long replica, bool wrapped, std::vector<char>& bytes) {
  const double box = replicas.box(replica);
  std::vector<float> places;
  for (const double x : replicas.positions(replica)) {
    const auto inside = static_cast<float>(wrapped ? x - box * std::floor(x / box) : x);
    places.push_back(inside);
  }
  const auto append = [&](const void* from, std::size_t size) {
    const auto* begin = static_cast<const char*>(from);
    bytes.insert(bytes.end(), begin, begin + size);
  };
  append(&replica, sizeof replica);
  append(&box, sizeof box);
  append(places.data(), places.size() * sizeof(float));
}

Frame unpack(const std::vector<char>& bytes, std::size_t& at, std::size_t atoms) {
  Frame frame;
  frame.places.resize(3 * atoms);
  const auto take = [&](void* to, std::size_t size) {
    std::memcpy(to, bytes.data() + at, size);
    at += size;
  };
  take(&frame.replica, sizeof frame.replica);
  take(&frame.box, sizeof frame.box);
  take(frame.places.data(), frame.places.size() * sizeof(float));
  return frame;
}

} // namespace

Frames parse_frames(const std::string& text, int replicas) {
  const auto refuse = [&](const std::string& what) {
    throw Error("--trajectory '" + text + "' " + what,
                "give replicas:0,5 or temperatures:0,5 (or :all), or none");
  };
  Frames frames;
  if (text == "none") return frames;
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  if (colon == std::string::npos || (kind != "replicas" && kind != "temperatures"))
    refuse("names neither replicas nor temperatures");
  frames.by_state = kind == "temperatures";
  const std::string list = text.substr(colon + 1);
  if (list == "all") {
    frames.numbers.resize(static_cast<std::size_t>(replicas));
    std::iota(frames.numbers.begin(), frames.numbers.end(), 0);
    return frames;
  }
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    if (word.empty() || word.size() > 9 || word.find_first_not_of("0123456789") != std::string::npos)
      refuse("holds '" + word + "', which is no number");
    const int number = parse_number<int>(word, "--trajectory");
    if (number >= replicas) refuse(fmt::format("names {}, and there are 0 to {}", number, replicas - 1));
    frames.numbers.push_back(number);
  }
  std::sort(frames.numbers.begin(), frames.numbers.end());
  if (frames.numbers.empty() ||
      std::adjacent_find(frames.numbers.begin(), frames.numbers.end()) != frames.numbers.end())
    refuse("names none, or one twice");
  return frames;
}

RowLayout trajectory_layout(const Frames& frames, const Options& options, const System& system,
                            const std::string& version, long rows) {
  RowLayout layout;
  layout.attributes["/h5md"] = {{"version", std::vector<long>{1, 1}}};
  layout.attributes["/h5md/creator"] = {{"name", std::string("tasuki-argon")}, {"version", version}};
  layout.attributes["/h5md/author"] = {{"name", std::string("tasuki")}};
  const bool breathes = system.constant_pressure();
  layout.columns = columns_of(frames, options.atoms, rows, breathes);
  std::vector<std::int64_t> steps;
  std::vector<double> times;
  for (long row = 1; row <= rows; ++row) {
    steps.push_back(row * options.trajectory_every);
    times.push_back(static_cast<double>(row * options.trajectory_every) * options.dynamics().timestep_ps);
  }
  const std::string nm = "nm", ps = "ps";
  for (const int number : frames.numbers) {
    const std::string name = name_of(frames, number), particles = "/particles/" + name;
    layout.attributes[particles + "/box"] = {{"dimension", 3L},
                                             {"boundary", std::vector<std::string>(3, "periodic")}};
    std::vector<std::string> elements = {particles + "/position", "/observables/" + name + "/state",
                                         "/observables/" + name + "/replica"};
    layout.attributes[particles + "/position/value"] = {{"unit", nm}};
    if (breathes) {
      elements.push_back(particles + "/box/edges");
      layout.attributes[particles + "/box/edges/value"] = {{"unit", nm}};
    } else {
      layout.constants.push_back({particles + "/box/edges", {3}, std::vector<double>(3, system.box_nm())});
      layout.attributes[particles + "/box/edges"] = {{"unit", nm}};
    }
    for (const std::string& element : elements) {
      layout.constants.push_back({element + "/step", {rows}, steps});
      layout.constants.push_back({element + "/time", {rows}, times});
      layout.attributes[element + "/time"] = {{"unit", ps}};
    }
  }
  return layout;
}

Trajectory::Trajectory(World& world, const std::string& path, const Frames& frames, const RowLayout& layout,
                       long row)
    : world_(world), frames_(frames), row_(row) {
  if (frames_.numbers.empty()) return;
  on_root(world, [&] {
    file_.emplace(path, layout.columns);
    const std::int64_t rows = row;
    for (const int number : frames_.numbers)
      file_->write("/particles/" + name_of(frames_, number) + "/rows", 0, &rows);
  });
}

void Trajectory::add(const Replicas& replicas, const Exchange& exchange) {
  if (frames_.numbers.empty()) return;
  std::vector<char> mine;
  for (const int number : frames_.numbers) {
    const long replica = frames_.by_state ? exchange.replica_in(number) : number;
    if (replica >= replicas.first() && replica < replicas.first() + replicas.owned())
      pack(replicas, replica, frames_.by_state, mine);
  }
  const std::vector<std::vector<char>> pieces = gather_on_root(world_, mine);
  on_root(world_, [&] {
    const auto atoms = static_cast<std::size_t>(replicas.system().atoms());
    for (const std::vector<char>& piece : pieces)
      for (std::size_t at = 0; at < piece.size();) {
        const Frame frame = unpack(piece, at, atoms);
        const int state = exchange.state_of(frame.replica);
        const auto replica = static_cast<std::int32_t>(frame.replica);
        const std::string name = name_of(frames_, frames_.by_state ? state : replica);
        const std::int32_t held = state;
        const double edges[3] = {frame.box, frame.box, frame.box};
        file_->write("/particles/" + name + "/position/value", row_, frame.places.data());
        if (replicas.system().constant_pressure())
          file_->write("/particles/" + name + "/box/edges/value", row_, edges);
        file_->write("/observables/" + name + "/state/value", row_, &held);
        file_->write("/observables/" + name + "/replica/value", row_, &replica);
        const std::int64_t rows = row_ + 1;
        file_->write("/particles/" + name + "/rows", 0, &rows);
      }
  });
  ++row_;
}

void Trajectory::sync() {
  if (frames_.numbers.empty()) return;
  on_root(world_, [&] { file_->sync(); });
}

} // namespace tasuki::argon
