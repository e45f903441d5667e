// tasuki-info: what is there, and what is not; with --size, how a grid is cut and what travels how.
#include <tasuki/base/executors.hpp>
#include <tasuki/base/gather.hpp>
#include <tasuki/base/mpi_info.hpp>
#include <tasuki/base/options.hpp>
#include <tasuki/device/memory.hpp>
#include <tasuki/file/checkpoint.hpp>
#include <tasuki/job/size.hpp>
#include <tasuki/space/faults.hpp>
#include <tasuki/space/range.hpp>
#include <tools/info/faces.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

namespace ts = tasuki;
using Json = nlohmann::ordered_json;

namespace {

// One text of every rank, on rank 0.
std::vector<std::string> gather(ts::World& world, const std::string& mine) {
  std::vector<std::string> texts;
  for (const std::vector<char>& text : ts::gather_on_root(world, {mine.begin(), mine.end()}))
    texts.emplace_back(text.begin(), text.end());
  return texts;
}

Json there_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json describe_executors() {
  Json rows = Json::array();
  for (const ts::ExecutorRow& row : ts::kExecutors)
    rows.push_back({{"name", row.name}, {"gpus_only", row.gpus_only}, {"does", row.does}});
  return rows;
}

// What a space would get on these ranks: it is tried. Collective.
Json describe_space(ts::World& world, const ts::Device& device) {
  const ts::Settings& settings = world.settings();
  const std::string uffd = ts::space::uffd_refusal();
  Json space = {{"faults", uffd.empty() ? "uffd" : "signal"}, {"reason", there_or_null(uffd)}};
  try {
    const ts::space::Range range(world, settings.space_at, settings.space_size, settings.page);
    space["shares"] = "a file in memory";
    space["at"] = fmt::format("{:#x}", reinterpret_cast<std::uintptr_t>(range.view()));
    space["bytes"] = range.size();
    space["page"] = range.page_bytes();
    space["refused"] = nullptr;
  } catch (const ts::Error& error) { // on all ranks
    for (const char* const none : {"shares", "at", "bytes", "page"}) space[none] = nullptr;
    space["refused"] = error.what();
  }
  bool alone = false;
  for (int r = 0; r < world.node_size(); ++r) alone |= !device.reaches(r);
  alone = ts::any_rank(world, alone);
  space["gpus_share"] = !device.cuda() ? Json(nullptr) : Json(alone ? "nothing" : "memory by descriptors");
  return space;
}

Json describe_machine(ts::World& world) {
  ts::Device& device = world.part<ts::Device>();
  const ts::BuildInfo build = ts::build_info();
  const ts::CudaInfo cuda = ts::cuda_info();
  const ts::MachineInfo machine = ts::machine_info(world, device);
  std::string own = device.name();
  if (device.cuda()) own = fmt::format("GPU {}, {}", device.ordinal(), own);
  return {{"tasuki", TASUKI_VERSION},
          {"build", {{"compiler", build.compiler}, {"type", build.build_type}}},
          {"mpi",
           {{"library", build.mpi},
            {"gpu_aware", build.gpu_aware_mpi},
            {"threads", ts::mpi_serves_threads(world)}}},
          {"cuda",
           {{"built", cuda.built},
            {"version", there_or_null(cuda.version)},
            {"devices", cuda.devices},
            {"reason", there_or_null(cuda.reason)}}},
          {"hdf5", {{"built", build.hdf5.has_value()}, {"version", there_or_null(build.hdf5.value_or(""))}}},
          {"space", describe_space(world, device)},
          {"world",
           {{"ranks", machine.ranks},
            {"nodes", machine.nodes},
            {"hosts", machine.hosts},
            {"device", machine.device},
            {"device_names", gather(world, own)},
            {"threads_per_rank", machine.threads_per_rank}}},
          {"executors", describe_executors()}};
}

void describe_grid(Json& json, const ts::info::GridAnswer& answer) {
  const ts::GridInfo& grid = answer.grid;
  json["grid"] = {{"extents", grid.extents},
                  {"ranks", grid.ranks},
                  {"halo", grid.halo},
                  {"periodic", grid.periodic},
                  {"blocks", grid.blocks}};
  json["mapping"] = {{"ranks", answer.mapping.rank_of_block},
                     {"predicted", answer.mapping.seconds},
                     {"naive", answer.naive.seconds}};
  json["faces"] = Json::array();
  for (const ts::info::FaceRow& face : answer.faces)
    json["faces"].push_back({{"from", face.from},
                             {"to", face.to},
                             {"direction", face.direction},
                             {"channel", face.channel},
                             {"bytes", face.bytes},
                             {"shape", face.shape}});
}

std::string yes(const Json& there) { return there.get<bool>() ? "yes" : "no"; }

void print(const Json& json) {
  const Json &cuda = json["cuda"], &world = json["world"], &hdf5 = json["hdf5"];
  fmt::print("tasuki   {} ({}, {})\n", json["tasuki"].get<std::string>(),
             json["build"]["compiler"].get<std::string>(), json["build"]["type"].get<std::string>());
  fmt::print("MPI      {}, GPU-aware: {}{}\n", json["mpi"]["library"].get<std::string>(),
             yes(json["mpi"]["gpu_aware"]),
             json["mpi"]["threads"].get<bool>() ? "" : "; one thread at a time, so no communication threads");
  const std::string missing = cuda["reason"].is_null() ? "" : "; " + cuda["reason"].get<std::string>();
  if (cuda["built"].get<bool>())
    fmt::print("CUDA     {}, GPUs: {}{}\n",
               cuda["version"].is_null() ? "" : cuda["version"].get<std::string>(),
               cuda["devices"].get<int>(), missing);
  else
    fmt::print("CUDA     none{}\n", missing);
  fmt::print("HDF5     {}\n", hdf5["built"].get<bool>() ? hdf5["version"].get<std::string>()
                                                        : "none: no snapshots, no checkpoints");
  const Json& space = json["space"];
  fmt::print("space    touches by {}{}\n", space["faults"].get<std::string>(),
             space["reason"].is_null() ? "" : "; userfaultfd: " + space["reason"].get<std::string>());
  if (space["refused"].is_null())
    fmt::print("         {} of addresses from {}, pages of {}; ranks of a node share {}\n",
               ts::bytes_text(space["bytes"].get<std::size_t>()), space["at"].get<std::string>(),
               ts::bytes_text(space["page"].get<std::size_t>()), space["shares"].get<std::string>());
  else
    fmt::print("         none: {}\n", space["refused"].get<std::string>());
  if (!space["gpus_share"].is_null())
    fmt::print("         GPUs of a node share {}\n", space["gpus_share"].get<std::string>());
  fmt::print("world    ranks: {}, nodes: {} ({}), device: {}, threads a rank: {}\n",
             world["ranks"].get<int>(), world["nodes"].get<int>(),
             fmt::join(world["hosts"].get<std::vector<std::string>>(), ", "),
             world["device"].get<std::string>(), world["threads_per_rank"].get<int>());
  int rank = 0;
  for (const Json& name : world["device_names"])
    fmt::print("rank {:<4d}{}\n", rank++, name.get<std::string>());
}

void print_executors() {
  fmt::print("\n");
  for (const ts::ExecutorRow& row : ts::kExecutors)
    fmt::print("executor {:<11}{}{}\n", row.name, row.does, row.gpus_only ? " (on GPUs alone)" : "");
}

void print(const ts::info::GridAnswer& answer) {
  fmt::print("\ngrid     {} cells, ranks {}\n", fmt::join(answer.grid.extents, "x"),
             fmt::join(answer.grid.ranks, "x"));
  for (std::size_t r = 0; r < answer.blocks.size(); ++r) {
    const ts::Box& block = answer.blocks[r];
    std::vector<long> extents;
    for (int a = 0; a < block.dims; ++a) extents.push_back(block.extent(a));
    fmt::print("rank {:<4}{} from ({})\n", r, fmt::join(extents, "x"),
               fmt::join(block.lo.begin(), block.lo.begin() + block.dims, ", "));
  }
  if (answer.blocks.size() > 1) {
    const double micro = 1e6;
    fmt::print("\nmapping  blocks, x first, on ranks {}\n", fmt::join(answer.mapping.rank_of_block, ","));
    fmt::print("         the slowest rank's faces: predicted {:.2f} us, naive {:.2f} us\n",
               answer.mapping.seconds * micro, answer.naive.seconds * micro);
  }
  fmt::print("\n{:>5} {:>5}  {:<9} {:<7} {:>12}  {}\n", "from", "to", "direction", "channel", "bytes",
             "shape");
  for (const ts::info::FaceRow& f : answer.faces)
    fmt::print("{:>5} {:>5}  {:<9} {:<7} {:>12}  {}\n", f.from, f.to, f.direction, f.channel, f.bytes,
               f.shape);
}

} // namespace

int main(int argc, char** argv) {
  ts::info::GridQuestion question;
  ts::Settings settings;
  bool as_json = false;
  ts::OptionParser line("info", "What is there, and what is not");
  line.add("--json", as_json, "print JSON");
  const auto ask = [&](const std::vector<long>& n) { question.extents = n; };
  ts::job::add_size(line, {}, ask, "none: no grid is described");
  line.add(
          "--periodic",
          [&](const std::string& axes, const std::string& option) {
            for (const char axis : axes) {
              const auto at = std::string("xyzt").find(axis);
              if (at == std::string::npos)
                throw ts::Error(ts::quoted(option, axes) + " names no axes", "name axes: x, xy, xyz, ..");
              question.periodic[at] = true;
            }
          },
          "the axes along which it is periodic: xy")
      .needs("--size");
  line.choice("--precision", question.twice, {"float", "double"}, "precision of its cells").needs("--size");
  ts::add_options(line, settings);
  line.parse(argc, argv, settings);
  ts::World world(argc, argv, settings);

  Json json = describe_machine(world);
  ts::info::GridAnswer answer;
  if (!question.extents.empty()) {
    answer = ts::info::ask(world, question);
    describe_grid(json, answer);
  }
  if (world.rank() != 0) return 0;
  if (as_json) {
    fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
    return 0;
  }
  print(json);
  if (question.extents.empty())
    print_executors();
  else
    print(answer);
}
