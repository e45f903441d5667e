#include <apps/argon/engine/replicas.hpp>

#include <apps/argon/engine/apart.hpp>
#include <apps/argon/engine/engine.hpp>
#include <apps/argon/engine/state.hpp>
#include <apps/argon/physics/small.hpp>
#include <apps/argon/physics/starts.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace tasuki::argon {
namespace {

bool has_own_numbers(const System& system, const Dynamics& dynamics) {
  return system.constant_pressure() || dynamics.thermostat == Thermostat::nose_hoover;
}

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
        small(grid.device(), numbers()),
        choice(choose_engine(system, dynamics, grid.device().cuda())),
        engine(make_engine(grid.device(), system, dynamics, owned())) {
    if (has_own_numbers(system, dynamics)) own = std::make_unique<Field<double>>(grid, "own");
  }
  long first() const { return grid.owned().lo[1]; }
  long owned() const { return grid.owned().extent(1); }
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
  constexpr long kGroups = 1024; // the most that run at the same time on a GPU
  const EngineChoice choice = choose_engine(system, dynamics, true);
  return fields + static_cast<std::size_t>(replicas) * Small::kBytes +
         static_cast<std::size_t>(std::min(replicas, kGroups)) * choice.shape.scratch;
}

Replicas::Replicas(World& world, const System& system, const Dynamics& dynamics, long count)
    : device_(world.part<Device>()), system_(system), dynamics_(dynamics), count_(count) {
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

std::vector<AnyField> Replicas::fields() const {
  std::vector<AnyField> all{memory_->place, memory_->velocity};
  if (memory_->own) all.emplace_back(*memory_->own);
  return all;
}

namespace {

// Calls copy(address on the device, address in the state, bytes) for each part of a replica's row.
template <class F>
void each_part(const Batch& b, long row, long n, const StateParts& parts, const F& copy) {
  const std::size_t atoms = static_cast<std::size_t>(n);
  for (int axis = 0; axis < 3; ++axis) {
    copy(&b.place_of(row, axis, 0), parts.place + axis * n, atoms * sizeof(std::int64_t));
    copy(&b.velocity_of(row, axis, 0), parts.velocity + axis * n, atoms * sizeof(float));
  }
  if (b.own) copy(b.own + row * b.row, parts.own, OwnNumbers::kCount * sizeof(double));
}

// Calls of(parts, index in a plane) for every coordinate; x y z of an atom are consecutive.
template <class T, class F>
std::vector<T> by_atom(State state, long n, const F& of) {
  const StateParts parts = parts_of(state, n);
  std::vector<T> all(static_cast<std::size_t>(3 * n));
  for (long i = 0; i < n; ++i)
    for (int axis = 0; axis < 3; ++axis)
      all[static_cast<std::size_t>(3 * i + axis)] = of(parts, axis * n + i);
  return all;
}

} // namespace

State Replicas::state(long replica) const {
  const long n = system_.atoms();
  State state(state_bytes(n));
  const StateParts to = parts_of(state, n);
  to.own[0] = system_.box_nm();
  each_part(memory_->batch(), replica - first_, n, to, [&](const void* from, void* part, std::size_t bytes) {
    copy_to_host(device_, part, from, bytes);
  });
  return state;
}

void Replicas::set_state(long replica, const State& state) {
  const long n = system_.atoms();
  if (state.size() != state_bytes(n))
    throw Error(fmt::format("a state of {} bytes is none of {} atoms", state.size(), n),
                "take one of this system");
  State copy = state;
  each_part(memory_->batch(), replica - first_, n, parts_of(copy, n),
            [&](void* to, const void* part, std::size_t bytes) { copy_to_device(device_, to, part, bytes); });
}

std::vector<double> Replicas::positions(long replica) const {
  return by_atom<double>(state(replica), system_.atoms(), [](const StateParts& p, long at) {
    return p.own[0] / kWholeBox * static_cast<double>(p.place[at]);
  });
}

std::vector<float> Replicas::velocities(long replica) const {
  return by_atom<float>(state(replica), system_.atoms(),
                        [](const StateParts& p, long at) { return p.velocity[at]; });
}

double Replicas::box(long replica) const {
  const Batch b = memory_->batch();
  double edge = system_.box_nm();
  if (b.own) copy_to_host(device_, &edge, b.own + (replica - first_) * b.row, sizeof(double));
  return edge;
}

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
