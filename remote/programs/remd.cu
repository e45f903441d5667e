// Replica exchange of argon on all devices of one machine, in plain CUDA: one process, one thread, a loop over devices.
//
//   remd --replicas 64 --atoms 256 --steps 1000 --exchange-every 100
//   remd --devices 1,2,4,8 --json remd.jsonl        the same simulation on so many devices; a line for each
//
// The program of the study "Replica-exchange MD on 1,024 GPUs" (Oikawa, Nomura, Yasuoka, Narumi, 2014, its list 1): an
// interval is two copies to each device (temperatures, factors of velocities), a kernel on each, and a copy of the energies
// from each; then the host exchanges temperatures. The kernel is the body that apps/argon gives to a group, and the exchange is
// apps/argon's, so energies and exchanges have the bits of tasuki-argon with the same options on the same kind of device.
#include <apps/argon/engine/choice.hpp>
#include <apps/argon/exchange/exchange.hpp>
#include <apps/argon/physics/all_pairs.hpp>
#include <apps/argon/physics/crystal.hpp>
#include <apps/argon/physics/interval.hpp>
#include <apps/argon/physics/neighbours.hpp>
#include <tasuki/base/number.hpp>
#include <tasuki/device/group/group_cuda.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

using namespace tasuki;
using namespace tasuki::argon;

namespace {

struct Options {
  long atoms = 256, replicas = 64, steps = 1000, exchange_every = 100, seed = 1;
  double density = 1.65, tmin = 50, tmax = 250, dt = 4, friction = 1;
  std::vector<int> devices; // none: all
  std::string energies, json;
};

Options parse(int argc, char** argv) {
  Options o;
  const auto whole = [](long& value) {
    return [&value](const std::string& text, const std::string& name) {
      value = parse_number<long>(text, name, {1, 1L << 40});
    };
  };
  const auto real = [](double& value) {
    return [&value](const std::string& text, const std::string& name) {
      value = parse_number<double>(text, name, above(0));
    };
  };
  const auto word = [](std::string& value) {
    return [&value](const std::string& text, const std::string&) { value = text; };
  };
  const std::map<std::string, std::function<void(const std::string&, const std::string&)>> known = {
      {"--atoms", whole(o.atoms)},
      {"--replicas", whole(o.replicas)},
      {"--steps", whole(o.steps)},
      {"--exchange-every", whole(o.exchange_every)},
      {"--seed", whole(o.seed)},
      {"--density", real(o.density)},
      {"--tmin", real(o.tmin)},
      {"--tmax", real(o.tmax)},
      {"--dt", real(o.dt)},
      {"--friction", real(o.friction)},
      {"--devices",
       [&o](const std::string& text, const std::string& name) {
         o.devices = parse_list<int>(text, ',', name, {1, 1 << 20});
       }},
      {"--energies", word(o.energies)},
      {"--json", word(o.json)}};
  for (int k = 1; k < argc; k += 2) {
    const auto at = known.find(argv[k]);
    if (at == known.end() || k + 1 == argc) {
      std::string names;
      for (const auto& [name, unused] : known) names += (names.empty() ? "" : ", ") + name;
      throw Error(std::string("'") + argv[k] + "' is no option, or has no value", "give any of " + names);
    }
    at->second(argv[k + 1], argv[k]);
  }
  if (o.steps % o.exchange_every != 0) throw Error("--steps is no multiple of --exchange-every", "give one");
  return o;
}

template <class T>
T* on_device(std::size_t count) {
  void* at = nullptr;
  TASUKI_CUDA(cudaMalloc(&at, std::max<std::size_t>(count, 1) * sizeof(T)));
  return static_cast<T*>(at);
}
template <class T>
void copy_in(T* to, const T* from, std::size_t count) {
  TASUKI_CUDA(cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyHostToDevice));
}

// A device and the replicas that it has: number `first` and those behind it.
struct Gpu {
  long first, count, groups;
  Batch batch;
  Conditions* conditions;
  float* factors;
  char* scratch;
};

template <class Body, int Slots>
struct Kernel {
  static long groups(const GroupShape& shape, long most) {
    return detail::resident_groups<Body, Slots>(shape, most);
  }
  static void launch(const Gpu& gpu, const GroupShape& shape, const Laws& laws) {
    detail::launch_groups_cuda<Body, Slots>(nullptr, "interval", shape, gpu.groups, gpu.scratch, gpu.count,
                                            Body{gpu.batch, laws});
  }
};
using AllPairsKernel = Kernel<Interval<AllPairs>, 4>; // up to 512 atoms
using ListsKernel = Kernel<Interval<Lists>, 2>;       // up to 2,048

// One simulation on so many devices.
class Simulation {
public:
  Simulation(const Options& o, int devices)
      : o_(o),
        system_(system_of(o)),
        dynamics_(dynamics_of(o)),
        choice_(choose_engine(system_, dynamics_, true)),
        laws_(laws_of(system_, dynamics_, choice_)),
        exchange_({geometric(o.tmin, o.tmax, static_cast<int>(o.replicas)), {}}, Mixing::neighbours,
                  dynamics_.seed, 0, true),
        conditions_(static_cast<std::size_t>(o.replicas)),
        factors_(conditions_.size(), 1.0f),
        measured_(conditions_.size()),
        potential_(conditions_.size()) {
    laws_.steps = static_cast<int>(o.exchange_every);
    laws_.factors = true;
    set_conditions();
    const std::vector<std::int64_t> crystal = crystal_places(system_);
    for (int d = 0; d < devices; ++d) gpus_.push_back(make(d, devices, crystal));
  }
  ~Simulation() {
    for (std::size_t d = 0; d < gpus_.size(); ++d) {
      const Gpu& g = gpus_[d];
      cudaSetDevice(static_cast<int>(d));
      for (const void* at :
           {static_cast<const void*>(g.batch.place), static_cast<const void*>(g.batch.velocity),
            static_cast<const void*>(g.conditions), static_cast<const void*>(g.factors),
            static_cast<const void*>(g.batch.numbers), static_cast<const void*>(g.batch.measured),
            static_cast<const void*>(g.scratch)})
        cudaFree(const_cast<void*>(at));
    }
  }
  Simulation(const Simulation&) = delete;

  // Number `interval`. timed: the kernel of device 0 is, by events.
  void advance(long interval, bool timed) {
    laws_.first_step = static_cast<std::uint64_t>(interval * o_.exchange_every);
    for (std::size_t d = 0; d < gpus_.size(); ++d) {
      const Gpu& g = gpus_[d];
      TASUKI_CUDA(cudaSetDevice(static_cast<int>(d)));
      copy_in(g.conditions, &conditions_[static_cast<std::size_t>(g.first)],
              static_cast<std::size_t>(g.count));
      copy_in(g.factors, &factors_[static_cast<std::size_t>(g.first)], static_cast<std::size_t>(g.count));
    }
    for (std::size_t d = 0; d < gpus_.size(); ++d) {
      TASUKI_CUDA(cudaSetDevice(static_cast<int>(d)));
      if (timed && d == 0) begin_.record();
      (choice_.lists ? ListsKernel::launch : AllPairsKernel::launch)(gpus_[d], choice_.shape, laws_);
      if (timed && d == 0) end_.record();
    }
    for (std::size_t d = 0; d < gpus_.size(); ++d) {
      const Gpu& g = gpus_[d];
      TASUKI_CUDA(cudaSetDevice(static_cast<int>(d)));
      TASUKI_CUDA(cudaMemcpy(&measured_[static_cast<std::size_t>(g.first)], g.batch.measured,
                             static_cast<std::size_t>(g.count) * sizeof(Measured), cudaMemcpyDeviceToHost));
    }
    if (!timed) return;
    const double took = end_.seconds_since(begin_) / static_cast<double>(gpus_[0].count);
    kernel_seconds_ = kernel_seconds_ > 0 ? std::min(kernel_seconds_, took) : took;
  }

  void exchange(long interval) {
    for (std::size_t r = 0; r < measured_.size(); ++r) {
      potential_[r] = measured_[r].potential;
      if (!std::isfinite(potential_[r]))
        throw Error("replica " + std::to_string(r) + " has burst", "lower --dt");
    }
    const std::vector<int> before = exchange_.now().state;
    exchange_.decide(interval, potential_, {});
    const Ladder& ladder = exchange_.ladder();
    set_conditions();
    for (std::size_t r = 0; r < before.size(); ++r) {
      const int was = before[r], now = exchange_.state_of(static_cast<long>(r));
      factors_[r] = was == now
                        ? 1.0f
                        : static_cast<float>(std::sqrt(ladder.temperature(now) / ladder.temperature(was)));
    }
    for (const Measured& m : measured_) digest(&m, sizeof m);
    digest(exchange_.now().state.data(), before.size() * sizeof(int));
  }

  // A line: the step, the state that each replica holds now, potential and kinetic energy of each.
  void write(std::ostream& out, long interval) const {
    out << (interval + 1) * o_.exchange_every << std::hexfloat;
    for (const int state : exchange_.now().state) out << ' ' << state;
    for (const Measured& m : measured_) out << ' ' << m.potential;
    for (const Measured& m : measured_) out << ' ' << m.kinetic;
    out << std::defaultfloat << '\n';
  }

  double acceptance() const { return exchange_.acceptance(); }
  double kernel_seconds() const { return kernel_seconds_; } // of a replica, of device 0
  std::uint64_t digest() const { return digest_; }          // of all energies and exchanges
  std::size_t bytes_in() const { return conditions_.size() * (sizeof(Conditions) + sizeof(float)); }
  std::size_t bytes_out() const { return measured_.size() * sizeof(Measured); }

private:
  struct Event {
    cudaEvent_t event = nullptr;
    void record() {
      if (!event) TASUKI_CUDA(cudaEventCreate(&event));
      TASUKI_CUDA(cudaEventRecord(event));
    }
    double seconds_since(const Event& begin) const {
      float ms = 0;
      TASUKI_CUDA(cudaEventElapsedTime(&ms, begin.event, event));
      return 1e-3 * static_cast<double>(ms);
    }
    ~Event() {
      if (event) cudaEventDestroy(event);
    }
  };

  static System system_of(const Options& o) {
    SystemOptions s;
    s.atoms = o.atoms;
    s.density_g_cm3 = o.density;
    return System(s);
  }
  static Dynamics dynamics_of(const Options& o) {
    Dynamics d;
    d.timestep_ps = o.dt * 1e-3;
    d.friction_per_ps = o.friction;
    d.seed = static_cast<std::uint64_t>(o.seed);
    return d;
  }

  void set_conditions() {
    for (std::size_t r = 0; r < conditions_.size(); ++r)
      conditions_[r] = {
          static_cast<float>(exchange_.ladder().temperature(exchange_.state_of(static_cast<long>(r)))), 0};
  }

  Gpu make(int device, int devices, const std::vector<std::int64_t>& crystal) {
    TASUKI_CUDA(cudaSetDevice(device));
    Gpu g{};
    g.first = o_.replicas * device / devices;
    g.count = o_.replicas * (device + 1) / devices - g.first;
    g.groups = (choice_.lists ? ListsKernel::groups : AllPairsKernel::groups)(choice_.shape, g.count);
    const long n = o_.atoms, plane = n * g.count;
    const auto count = static_cast<std::size_t>(g.count), cells = static_cast<std::size_t>(3 * plane);
    std::vector<std::int64_t> place(cells);
    std::vector<float> velocity(cells), own(static_cast<std::size_t>(3 * n));
    std::vector<std::uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), static_cast<std::uint32_t>(g.first));
    for (long r = 0; r < g.count; ++r) {
      draw_velocities(dynamics_, system_.substance().mass, numbers[static_cast<std::size_t>(r)],
                      conditions_[static_cast<std::size_t>(g.first + r)].temperature_K, n, own.data());
      for (long axis = 0; axis < 3; ++axis) {
        std::copy_n(crystal.begin() + axis * n, n, place.begin() + axis * plane + r * n);
        std::copy_n(own.begin() + axis * n, n, velocity.begin() + axis * plane + r * n);
      }
    }
    const auto put = [](auto* to, const auto& from) {
      copy_in(to, from.data(), from.size());
      return to;
    };
    g.batch.place = put(on_device<std::int64_t>(cells), place);
    g.batch.velocity = put(on_device<float>(cells), velocity);
    g.batch.numbers = put(on_device<std::uint32_t>(count), numbers);
    g.batch.measured = on_device<Measured>(count);
    g.batch.conditions = g.conditions = on_device<Conditions>(count);
    g.batch.factors = g.factors = on_device<float>(count);
    g.batch.row = n;
    g.batch.plane = plane;
    g.scratch = on_device<char>(static_cast<std::size_t>(g.groups) * choice_.shape.scratch);
    return g;
  }

  // FNV-1a (Fowler, Noll, Vo).
  void digest(const void* from, std::size_t bytes) {
    const auto* at = static_cast<const unsigned char*>(from);
    for (std::size_t k = 0; k < bytes; ++k) digest_ = (digest_ ^ at[k]) * 0x100000001b3ull;
  }

  const Options& o_;
  System system_;
  Dynamics dynamics_;
  EngineChoice choice_;
  Laws laws_;
  Exchange exchange_;
  std::vector<Conditions> conditions_;
  std::vector<float> factors_;
  std::vector<Measured> measured_;
  std::vector<double> potential_;
  std::vector<Gpu> gpus_;
  Event begin_, end_;
  double kernel_seconds_ = 0;
  std::uint64_t digest_ = 0xcbf29ce484222325ull;
};

using Clock = std::chrono::steady_clock;
double seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Returns the digest of all energies and exchanges.
std::uint64_t simulate(const Options& o, int devices, bool first) {
  constexpr long kEvents = 4; // intervals 1 .. 3 tell by events how long a kernel takes; the least counts
  constexpr long kWarm = 8;   // intervals that are not timed, where there are many
  Simulation simulation(o, devices);
  std::ofstream energies;
  if (first && !o.energies.empty()) energies.open(o.energies);
  const long intervals = o.steps / o.exchange_every, warm = intervals > 2 * kWarm ? kWarm : 0;
  std::vector<double> whole, exchanges; // seconds of each interval, and of its exchange
  for (long k = 0; k < intervals; ++k) {
    const Clock::time_point begun = Clock::now();
    simulation.advance(k, k < kEvents && (k > 0 || intervals == 1));
    const Clock::time_point advanced = Clock::now();
    simulation.exchange(k);
    if (k >= warm) {
      whole.push_back(seconds(Clock::now() - begun));
      exchanges.push_back(seconds(Clock::now() - advanced));
    }
    if (energies.is_open()) simulation.write(energies, k);
  }
  const double interval = median(whole), host = median(exchanges);
  if (energies.is_open() && !energies.flush())
    throw Error(o.energies + " cannot be written", "look at the disk's space and the folder's mode");
  std::printf(
      "%d devices, %ld replicas of %ld atoms, %ld intervals of %ld steps: %.3f ms an interval, "
      "acceptance %.3f, digest %016llx\n",
      devices, o.replicas, o.atoms, intervals, o.exchange_every, 1e3 * interval, simulation.acceptance(),
      static_cast<unsigned long long>(simulation.digest()));
  std::fflush(stdout);
  if (!o.json.empty()) {
    std::FILE* file = std::fopen(o.json.c_str(), first ? "w" : "a");
    if (!file) throw Error(o.json + " cannot be written", "name another file");
    std::fprintf(
        file,
        "{\"program\": \"remd\", \"devices\": %d, \"replicas\": %ld, \"atoms\": %ld, \"steps\": %ld, "
        "\"intervals\": %ld, \"seconds\": %.9g, \"host_seconds\": %.9g, \"kernel_seconds\": %.9g, "
        "\"bytes_in\": %zu, \"bytes_out\": %zu, \"digest\": \"%016llx\"}\n",
        devices, o.replicas, o.atoms, o.exchange_every, intervals, interval, host,
        simulation.kernel_seconds(), simulation.bytes_in(), simulation.bytes_out(),
        static_cast<unsigned long long>(simulation.digest()));
    std::fclose(file);
  }
  return simulation.digest();
}

} // namespace

int main(int argc, char** argv) {
  try {
    Options o = parse(argc, argv);
    int there = 0;
    TASUKI_CUDA(cudaGetDeviceCount(&there));
    if (o.devices.empty()) o.devices = {static_cast<int>(std::min<long>(there, o.replicas))};
    for (const int n : o.devices)
      if (n > there || n > o.replicas)
        throw Error("--devices asks for " + std::to_string(n) + " of " + std::to_string(there) +
                        " devices, for " + std::to_string(o.replicas) + " replicas",
                    "ask for no more than either");
    std::uint64_t digest = 0;
    for (std::size_t k = 0; k < o.devices.size(); ++k) {
      const std::uint64_t now = simulate(o, o.devices[k], k == 0);
      if (k > 0 && now != digest)
        throw Error("energies or exchanges differ from those on " + std::to_string(o.devices[0]) + " devices",
                    "this is a fault of a device");
      digest = now;
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "remd: %s\n", e.what());
    return 1;
  }
}
