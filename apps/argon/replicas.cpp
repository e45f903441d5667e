#include <apps/argon/replicas.hpp>

#include <apps/argon/engine.hpp>
#include <apps/argon/state.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace tasuki::argon {
namespace {

constexpr std::uint32_t kNobody = 0xfffffffeu; // whose random numbers melt a start
constexpr int kMeltSteps = 2000, kCoolSteps = 1000;

bool has_own_numbers(const System& system, const Dynamics& dynamics) {
  return system.constant_pressure() || dynamics.thermostat == Thermostat::nose_hoover;
}

// Device memory of what a kernel is given beside the fields.
struct Small {
  Buffer conditions, factors, numbers, measured;

  Small(Device& device, const std::vector<std::uint32_t>& of)
      : conditions(device, of.size() * sizeof(Conditions)),
        factors(device, of.size() * sizeof(float)),
        numbers(device, of.size() * sizeof(std::uint32_t)),
        measured(device, of.size() * sizeof(Measured)) {
    copy_to_device(device, numbers.data(), of.data(), numbers.bytes());
  }
  void put_in(Batch& b) const {
    b.conditions = reinterpret_cast<const Conditions*>(conditions.data());
    b.factors = reinterpret_cast<const float*>(factors.data());
    b.numbers = reinterpret_cast<const std::uint32_t*>(numbers.data());
    b.measured = reinterpret_cast<Measured*>(measured.data());
  }
};

constexpr std::size_t kSmallBytes =
    sizeof(Conditions) + sizeof(float) + sizeof(std::uint32_t) + sizeof(Measured); // a replica

} // namespace

struct Replicas::Memory {
  Grid<2> grid;
  Field<std::int64_t[3]> place;
  Field<float[3]> velocity;
  std::unique_ptr<Field<double>> own;
  Small small;
  EngineChoice choice;
  std::unique_ptr<Engine> engine, apart;
  long apart_count = 0;
  bool factors = false;

  Memory(World& world, const System& system, const Dynamics& dynamics, long count)
      : grid(world, {system.atoms(), count}, {.halo = 0, .ranks = {1, world.size()}}),
        place(grid, "place"),
        velocity(grid, "velocity"),
        small(grid.core()->device(), numbers()),
        choice(choose_engine(system, dynamics, grid.core()->device().kind())),
        engine(make_engine(grid.core()->device(), system, dynamics, owned())) {
    if (has_own_numbers(system, dynamics)) own = std::make_unique<Field<double>>(grid, "own");
  }
  long first() const { return grid.core()->owned().lo[1]; }
  long owned() const { return grid.core()->owned().extent(1); }
  std::vector<std::uint32_t> numbers() const {
    std::vector<std::uint32_t> all(static_cast<std::size_t>(owned()));
    std::iota(all.begin(), all.end(), static_cast<std::uint32_t>(first()));
    return all;
  }
  Batch batch() const {
    Batch b{};
    b.place = place.data();
    b.velocity = velocity.data();
    b.own = own ? own->data() : nullptr;
    b.row = place.stride(1);
    b.plane = place.component_stride();
    small.put_in(b);
    return b;
  }
};

std::size_t memory_needed(const System& system, const Dynamics& dynamics, long replicas) {
  const Layout layout = layout_of(2, Index{system.atoms(), replicas}, Widths{});
  const bool own = has_own_numbers(system, dynamics);
  const std::size_t fields = static_cast<std::size_t>(layout.plane) *
                             (3 * sizeof(std::int64_t) + 3 * sizeof(float) + (own ? sizeof(double) : 0));
  constexpr long kGroups = 1024; // that a GPU runs at a time at most
  const EngineChoice choice = choose_engine(system, dynamics, DeviceKind::cuda);
  return fields + static_cast<std::size_t>(replicas) * kSmallBytes +
         static_cast<std::size_t>(std::min(replicas, kGroups)) * choice.shape.scratch;
}

Replicas::Replicas(World& world, const System& system, const Dynamics& dynamics, long count)
    : world_(world), device_(world.part<Device>()), system_(system), dynamics_(dynamics), count_(count) {
  if (count < world.size())
    throw Error(fmt::format("{} replicas are too few for {} ranks", count, world.size()),
                "start fewer ranks, or choose more replicas");
  const long most = (count + world.size() - 1) / world.size();
  const std::size_t needed = memory_needed(system, dynamics, most);
  if (needed > device_.memory())
    throw Error(fmt::format("{} replicas of {} atoms on a device need {:.2f} GB of memory, {} has {:.2f} GB",
                            most, system.atoms(), 1e-9 * static_cast<double>(needed), device_.name(),
                            1e-9 * static_cast<double>(device_.memory())),
                "choose fewer replicas, or more devices");
  memory_ = std::make_unique<Memory>(world, system, dynamics, count);
  first_ = memory_->first();
  owned_ = memory_->owned();
}

Replicas::~Replicas() = default;

void Replicas::set(const std::vector<Conditions>& conditions, const std::vector<float>& factors) {
  Small& small = memory_->small;
  copy_to_device(device_, small.conditions.data(), conditions.data(), small.conditions.bytes());
  memory_->factors = std::any_of(factors.begin(), factors.end(), [](float f) { return f != 1; });
  if (memory_->factors) copy_to_device(device_, small.factors.data(), factors.data(), small.factors.bytes());
}

void Replicas::advance(long first_step, int steps) {
  Laws laws = laws_of(system_, dynamics_, memory_->choice);
  laws.first_step = static_cast<std::uint64_t>(first_step);
  laws.steps = steps;
  laws.factors = memory_->factors;
  memory_->factors = false;
  memory_->engine->advance(memory_->batch(), laws, owned_);
}

std::vector<Measured> Replicas::measured() {
  std::vector<Measured> all(static_cast<std::size_t>(owned_));
  copy_to_host(device_, all.data(), memory_->small.measured.data(), memory_->small.measured.bytes());
  return all;
}

std::vector<FieldCore*> Replicas::fields() {
  std::vector<FieldCore*> all{memory_->place.core().get(), memory_->velocity.core().get()};
  if (memory_->own) all.push_back(memory_->own->core().get());
  return all;
}
std::vector<const FieldCore*> Replicas::fields() const {
  std::vector<const FieldCore*> all{memory_->place.core().get(), memory_->velocity.core().get()};
  if (memory_->own) all.push_back(memory_->own->core().get());
  return all;
}

State Replicas::state(long replica) const {
  const long n = system_.atoms(), row = replica - first_;
  State state(state_bytes(n));
  const StateParts to = parts_of(state, n);
  const Batch b = memory_->batch();
  for (int axis = 0; axis < 3; ++axis) {
    copy_to_host(device_, to.place + axis * n, &b.place_of(row, axis, 0),
                 static_cast<std::size_t>(n) * sizeof(std::int64_t));
    copy_to_host(device_, to.velocity + axis * n, &b.velocity_of(row, axis, 0),
                 static_cast<std::size_t>(n) * sizeof(float));
  }
  to.own[0] = system_.box_nm();
  if (b.own) copy_to_host(device_, to.own, b.own + row * b.row, OwnNumbers::kCount * sizeof(double));
  return state;
}

void Replicas::set_state(long replica, const State& state) {
  const long n = system_.atoms(), row = replica - first_;
  if (state.size() != state_bytes(n))
    throw Error(fmt::format("a state of {} bytes is none of {} atoms", state.size(), n),
                "take one of this system");
  State copy = state;
  const StateParts from = parts_of(copy, n);
  const Batch b = memory_->batch();
  for (int axis = 0; axis < 3; ++axis) {
    copy_to_device(device_, &b.place_of(row, axis, 0), from.place + axis * n,
                   static_cast<std::size_t>(n) * sizeof(std::int64_t));
    copy_to_device(device_, &b.velocity_of(row, axis, 0), from.velocity + axis * n,
                   static_cast<std::size_t>(n) * sizeof(float));
  }
  if (b.own) copy_to_device(device_, b.own + row * b.row, from.own, OwnNumbers::kCount * sizeof(double));
}

std::vector<double> Replicas::positions(long replica) const {
  State s = state(replica);
  const long n = system_.atoms();
  const StateParts from = parts_of(s, n);
  std::vector<double> x(static_cast<std::size_t>(3 * n));
  for (long i = 0; i < n; ++i)
    for (int axis = 0; axis < 3; ++axis)
      x[static_cast<std::size_t>(3 * i + axis)] =
          from.own[0] / kWholeBox * static_cast<double>(from.place[axis * n + i]);
  return x;
}

std::vector<float> Replicas::velocities(long replica) const {
  State s = state(replica);
  const long n = system_.atoms();
  const StateParts from = parts_of(s, n);
  std::vector<float> v(static_cast<std::size_t>(3 * n));
  for (long i = 0; i < n; ++i)
    for (int axis = 0; axis < 3; ++axis)
      v[static_cast<std::size_t>(3 * i + axis)] = from.velocity[axis * n + i];
  return v;
}

double Replicas::box(long replica) const {
  const Batch b = memory_->batch();
  double edge = system_.box_nm();
  if (b.own) copy_to_host(device_, &edge, b.own + (replica - first_) * b.row, sizeof(double));
  return edge;
}

namespace {

// Replicas in memory of their own, for a while.
class Apart {
public:
  Apart(Device& device, const System& system, const Dynamics& dynamics,
        const std::vector<std::uint32_t>& numbers)
      : device_(device),
        n_(system.atoms()),
        count_(static_cast<long>(numbers.size())),
        row_((n_ + 31) / 32 * 32),
        place_(device, cells() * 3 * sizeof(std::int64_t)),
        velocity_(device, cells() * 3 * sizeof(float)),
        own_(device, cells() * sizeof(double)),
        small_(device, numbers),
        engine_(make_engine(device, system, dynamics, count_)),
        laws_(laws_of(system, dynamics, choose_engine(system, dynamics, device.kind()))) {}

  void put(const std::vector<State>& states) {
    std::vector<std::int64_t> place(cells() * 3);
    std::vector<float> velocity(cells() * 3);
    std::vector<double> own(cells());
    each_row(states, [&](long row, const StateParts& p) {
      for (int axis = 0; axis < 3; ++axis) {
        std::copy_n(p.place + axis * n_, n_, place.begin() + at(axis, row));
        std::copy_n(p.velocity + axis * n_, n_, velocity.begin() + at(axis, row));
      }
      std::copy_n(p.own, OwnNumbers::kCount, own.begin() + row * row_);
    });
    copy_to_device(device_, place_.data(), place.data(), place_.bytes());
    copy_to_device(device_, velocity_.data(), velocity.data(), velocity_.bytes());
    copy_to_device(device_, own_.data(), own.data(), own_.bytes());
  }
  void take(std::vector<State>& states) const {
    std::vector<std::int64_t> place(cells() * 3);
    std::vector<float> velocity(cells() * 3);
    std::vector<double> own(cells());
    copy_to_host(device_, place.data(), place_.data(), place_.bytes());
    copy_to_host(device_, velocity.data(), velocity_.data(), velocity_.bytes());
    copy_to_host(device_, own.data(), own_.data(), own_.bytes());
    each_row(states, [&](long row, const StateParts& p) {
      for (int axis = 0; axis < 3; ++axis) {
        std::copy_n(place.begin() + at(axis, row), n_, p.place + axis * n_);
        std::copy_n(velocity.begin() + at(axis, row), n_, p.velocity + axis * n_);
      }
      std::copy_n(own.begin() + row * row_, OwnNumbers::kCount, p.own);
    });
  }
  void advance(const std::vector<Conditions>& conditions, const std::vector<float>& factors, long first_step,
               int steps, int frozen) {
    copy_to_device(device_, small_.conditions.data(), conditions.data(), small_.conditions.bytes());
    if (!factors.empty())
      copy_to_device(device_, small_.factors.data(), factors.data(), small_.factors.bytes());
    Batch b{};
    b.place = reinterpret_cast<std::int64_t*>(place_.data());
    b.velocity = reinterpret_cast<float*>(velocity_.data());
    b.own = reinterpret_cast<double*>(own_.data());
    b.row = row_;
    b.plane = static_cast<long>(cells());
    small_.put_in(b);
    laws_.first_step = static_cast<std::uint64_t>(first_step);
    laws_.steps = steps;
    laws_.frozen = frozen;
    laws_.factors = !factors.empty();
    engine_->advance(b, laws_, count_);
  }
  void measured(std::vector<Measured>& to) const {
    to.resize(static_cast<std::size_t>(count_));
    copy_to_host(device_, to.data(), small_.measured.data(), small_.measured.bytes());
  }

private:
  std::size_t cells() const { return static_cast<std::size_t>(row_ * count_); }
  long at(int axis, long row) const { return axis * static_cast<long>(cells()) + row * row_; }
  template <class States, class F>
  void each_row(States& states, const F& f) const {
    for (long row = 0; row < count_; ++row)
      f(row, parts_of(const_cast<State&>(states[static_cast<std::size_t>(row)]), n_));
  }

  Device& device_;
  long n_, count_, row_;
  Buffer place_, velocity_, own_;
  Small small_;
  std::unique_ptr<Engine> engine_;
  Laws laws_;
};

void draw_velocities(const Dynamics& dynamics, double mass, std::uint32_t number, double temperature, long n,
                     float* velocity) {
  const float width = static_cast<float>(std::sqrt(kBoltzmann * temperature / mass));
  double sum[3] = {0, 0, 0};
  for (long i = 0; i < n; ++i) {
    const Normals r =
        normals(philox(counter_of(static_cast<std::uint32_t>(i), number, 0, Purpose::start), dynamics.seed));
    const float v[3] = {width * r.x, width * r.y, width * r.z};
    for (int axis = 0; axis < 3; ++axis) {
      velocity[axis * n + i] = v[axis];
      sum[axis] += static_cast<double>(v[axis]);
    }
  }
  for (int axis = 0; axis < 3; ++axis) // the whole stands still
    for (long i = 0; i < n; ++i)
      velocity[axis * n + i] -= static_cast<float>(sum[axis] / static_cast<double>(n));
}

// The crystal, or what is left of it when atoms from `frozen` on have been melted: the same for all replicas.
std::vector<std::int64_t> start_places(Device& device, const System& system, const Dynamics& dynamics,
                                       Start kind) {
  const long n = system.atoms();
  const std::vector<double> crystal = system.crystal();
  State state(state_bytes(n));
  const StateParts p = parts_of(state, n);
  p.own[0] = system.box_nm();
  for (long i = 0; i < n; ++i)
    for (int axis = 0; axis < 3; ++axis)
      p.place[axis * n + i] =
          static_cast<std::int64_t>(crystal[static_cast<std::size_t>(3 * i + axis)] * kWholeBox);
  if (kind != Start::fcc) {
    SystemOptions closed{system.substance(),     n,
                         system.density_g_cm3(), system.cutoff_nm() / system.substance().sigma,
                         Correction::cut,        false};
    const double hot = 4 * system.substance().epsilon / kBoltzmann,
                 warm = 1.5 * system.substance().epsilon / kBoltzmann;
    Dynamics melting;
    melting.timestep_ps = 0.001 * system.substance().time();
    melting.friction_per_ps = 1 / system.substance().time();
    melting.seed = dynamics.seed;
    melting.pairs = dynamics.pairs;
    draw_velocities(melting, system.substance().mass, kNobody, hot, n, p.velocity);
    Apart apart(device, System(closed), melting, {kNobody});
    std::vector<State> states{state};
    apart.put(states);
    const int frozen = kind == Start::half ? static_cast<int>(n / 2) : 0;
    long step = 0;
    for (const auto& [kelvin, steps] : {std::pair{hot, kMeltSteps}, std::pair{warm, kCoolSteps}}) {
      apart.advance({{static_cast<float>(kelvin), 0}}, {}, step, steps, frozen);
      step += steps;
    }
    apart.take(states);
    state = states[0];
  }
  const StateParts q = parts_of(state, n);
  return {q.place, q.place + 3 * n};
}

} // namespace

void Replicas::start(Start kind) {
  const long n = system_.atoms();
  const std::vector<std::int64_t> one = start_places(device_, system_, dynamics_, kind);
  std::vector<Conditions> at(static_cast<std::size_t>(owned_));
  copy_to_host(device_, at.data(), memory_->small.conditions.data(), memory_->small.conditions.bytes());
  const std::size_t plane = static_cast<std::size_t>(n * owned_);
  std::vector<std::int64_t> place(3 * plane);
  std::vector<float> velocity(3 * plane);
#pragma omp parallel for
  for (long r = 0; r < owned_; ++r) {
    std::vector<float> v(static_cast<std::size_t>(3 * n));
    draw_velocities(dynamics_, system_.substance().mass, static_cast<std::uint32_t>(first_ + r),
                    static_cast<double>(at[static_cast<std::size_t>(r)].temperature_K), n, v.data());
    for (int axis = 0; axis < 3; ++axis) {
      std::copy_n(one.begin() + axis * n, n, place.begin() + axis * static_cast<long>(plane) + r * n);
      std::copy_n(v.begin() + axis * n, n, velocity.begin() + axis * static_cast<long>(plane) + r * n);
    }
  }
  memory_->place.from_host(place);
  memory_->velocity.from_host(velocity);
  if (!memory_->own) return;
  std::vector<double> own(plane);
  for (long r = 0; r < owned_; ++r) own[static_cast<std::size_t>(r * n)] = system_.box_nm();
  memory_->own->from_host(own);
}

std::vector<State> Replicas::redo(const std::vector<long>& numbers, const std::vector<State>& states,
                                  const std::vector<Conditions>& conditions,
                                  const std::vector<float>& factors, long first_step, int steps,
                                  std::vector<Measured>* measured) {
  std::vector<State> after = states;
  if (numbers.empty()) return after;
  Apart apart(device_, system_, dynamics_, {numbers.begin(), numbers.end()});
  apart.put(states);
  apart.advance(conditions, factors, first_step, steps, 0);
  apart.take(after);
  if (measured) apart.measured(*measured);
  return after;
}

} // namespace tasuki::argon
