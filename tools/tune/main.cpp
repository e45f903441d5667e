// tasuki-tune: measures what the channels and the device of this machine cost, and keeps it for `route` and `model`.
#include <tasuki/base/on_all.hpp>
#include <tasuki/file/output.hpp>
#include <tasuki/file/part_file.hpp>
#include <tasuki/run/learned.hpp>
#include <tools/tune/device.hpp>
#include <tools/tune/exchanges.hpp>
#include <tools/tune/space.hpp>

#include <tasuki/base/options.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

namespace ts = tasuki;

namespace {

std::string name_of(const ts::Line& line) {
  const std::string channel = to_string(line.channel);
  return line.channel == ts::ChannelKind::peer ? channel + ":" + to_string(line.mode) : channel;
}

void print_header() {
  fmt::print("{:<12} {:<10} {:<12} {:>6} {:>12} {:>12} {:>8}\n", "channel", "pair", "shape", "row", "latency",
             "bandwidth", "fit");
}

void print(const ts::Line& line) {
  fmt::print("{:<12} {:<10} {:<12} {:>6} {:>9.2f} us {:>7.2f} GB/s {:>6.0f} %\n", name_of(line),
             to_string(line.pair), to_string(line.shape),
             line.row_bytes ? fmt::format("{}", line.row_bytes) : "", line.latency * 1e6,
             line.bandwidth / 1e9, line.rms * 100);
  std::fflush(stdout);
}

void print(const ts::DeviceConstants& d) {
  const auto micro = [](const char* name, double seconds) {
    if (seconds > 0) fmt::print("{:<26} {:>9.2f} us\n", name, seconds * 1e6);
  };
  fmt::print("\n{:<26} {:>9.1f} GB/s\n", "one array read, one written", d.stream_bandwidth / 1e9);
  fmt::print("{:<26} {:>9.1f} GB/s\n", "two read, one written", d.stream_bandwidth_2 / 1e9);
  micro("launch, host", d.launch);
  micro("launch after launch", d.dependent_launch);
  micro("synchronise", d.synchronize);
  micro("node of a graph", d.graph_node);
  micro("barrier of host threads", d.barrier);
  micro("meeting, --halo direct", d.meeting);
  micro("reduction, MPI alone", d.reduction_flat);
  micro("reduction, two levels", d.reduction_levels);
}

void print(const ts::SpaceConstants& s) {
  fmt::print("{:<26} {:>9.2f} us\n", "synchronisation of a space", s.synchronisation * 1e6);
  if (s.touch > 0) fmt::print("{:<26} {:>9.2f} us\n", "touch of another node", s.touch * 1e6);
  if (s.section > 0)
    fmt::print("{:<26} {:>9.2f} us {:>7.2f} GB/s\n", "section of another node", s.section * 1e6,
               s.section_bandwidth / 1e9);
}

// Before an hour of measuring: whether the file can be written, in a folder that is made for it.
void expect_writable(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code fault;
  const fs::path parent = fs::path(path).parent_path();
  if (!parent.empty()) fs::create_directories(parent, fault);
  if (fault)
    throw ts::Error(fmt::format("cannot make the folder {} ({})", parent.string(), fault.message()),
                    "choose another --tuning");
  ts::refuse_output(path, "--tuning");
}

} // namespace

int main(int argc, char** argv) {
  ts::Settings settings;
  bool quick = false, as_json = false, no_space = false;
  ts::OptionParser line("tune", "Measures what the channels and the device of this machine cost");
  line.add("--quick", quick, "small faces and few repetitions, as a test");
  line.add("--json", as_json, "print the file instead of tables");
  line.add("--no-space", no_space, "do not measure what an address space costs");
  ts::add_options(line, settings);
  line.parse(argc, argv, settings);
  // Here --tuning names what is written; nothing that is measured depends on an earlier file, or on forced ways.
  const std::string wish = std::exchange(settings.tuning, "none");
  settings.ranks.clear();
  settings.halo = 0;
  settings.channel.clear();
  settings.mapping = "naive";
  ts::World world(argc, argv, settings);
  const bool speaks = world.rank() == 0 && !as_json;

  ts::Tuning tuning;
  tuning.machine = ts::machine_of(world.part<ts::Device>());
  tuning.measured = true;
  const ts::Machine& m = tuning.machine;
  const std::string path = wish.empty() ? ts::Tuning::default_path(m) : wish;
  if (wish != "none") ts::on_root(world, [&] { expect_writable(path); });
  if (speaks) {
    fmt::print("{} on {} {}, {} rank{} a node\n\n", m.device_name, m.nodes, m.nodes == 1 ? "node" : "nodes",
               m.ranks_per_node, m.ranks_per_node == 1 ? "" : "s");
    print_header();
  }
  if (!no_space) tuning.space = ts::tune::measure_space(world, quick); // first: it may be refused
  tuning.lines =
      measure_exchanges(world, quick ? ts::tune::kQuick : ts::tune::Effort{}, [&](const ts::Line& line) {
        if (speaks) print(line);
      });
  tuning.device = ts::tune::measure_device(world, quick);
  if (world.rank() != 0) return 0;
  if (speaks) print(tuning.device);
  if (speaks && !no_space) print(tuning.space);
  if (as_json) fmt::print("{}", tuning.json());
  if (wish == "none") return 0;
  ts::replace_file(path, tuning.json()); // a run that reads meanwhile sees the old file or the new one
  if (speaks) fmt::print("\nwritten: {}\n", path);
  if (std::remove(ts::Learned::path_of(m).c_str()) == 0 && speaks) // the machine may have changed as well
    fmt::print("forgotten: which executors trials had found the fastest\n");
}
