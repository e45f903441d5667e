#include <apps/argon/run/verify.hpp>

#include <apps/argon/physics/philox.hpp>
#include <tasuki/base/gather.hpp>
#include <tasuki/base/number.hpp>
#include <tasuki/base/on_all.hpp>
#include <tasuki/base/variables.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace tasuki::argon {
namespace {

// A sequence of bytes that is written and read in the same order.
class Pack {
public:
  std::vector<char> bytes;
  template <class T>
  void put(const T& value) {
    const char* from = reinterpret_cast<const char*>(&value);
    bytes.insert(bytes.end(), from, from + sizeof value);
  }
  void put(const State& state) {
    put(static_cast<long>(state.size()));
    bytes.insert(bytes.end(), state.begin(), state.end());
  }
};

class Unpack {
public:
  explicit Unpack(const std::vector<char>& bytes) : bytes_(bytes) {}
  bool left() const { return at_ < bytes_.size(); }
  template <class T>
  T take() {
    T value;
    std::memcpy(&value, &bytes_[at_], sizeof value);
    at_ += sizeof value;
    return value;
  }
  State take_state() {
    const auto size = static_cast<std::size_t>(take<long>());
    State state(bytes_.begin() + static_cast<long>(at_), bytes_.begin() + static_cast<long>(at_ + size));
    at_ += size;
    return state;
  }

private:
  const std::vector<char>& bytes_;
  std::size_t at_ = 0;
};

// The compared data: the atoms and their measured values.
State with(State state, const Measured& measured) {
  const char* from = reinterpret_cast<const char*>(&measured);
  state.insert(state.end(), from, from + sizeof measured);
  return state;
}

bool chosen(std::uint64_t seed, long interval, long replica, double share) {
  const auto t = static_cast<std::uint64_t>(interval);
  const Words bits = philox({{static_cast<std::uint32_t>(replica), 0xffffffffu, static_cast<std::uint32_t>(t),
                              static_cast<std::uint32_t>(t >> 32) << 16 | 0xffffu}},
                            seed);
  return unit_double(bits.w[0], bits.w[1]) <= share;
}

} // namespace

Verify::Verify(World& world, double share, std::uint64_t seed) : world_(world), share_(share), seed_(seed) {
  if (const auto text = variable_word("TASUKI_FLIP")) {
    Flip flip;
    const std::vector<long> numbers = parse_list<long>(*text, ':', "TASUKI_FLIP=");
    if ((numbers.size() != 2 && numbers.size() != 4) ||
        (numbers.size() == 4 && (numbers[3] < 0 || numbers[3] > 7)))
      throw Error(quoted("TASUKI_FLIP=", *text) + " names no bit",
                  "write it as replica:interval or replica:interval:byte:bit, or unset it");
    flip.replica = numbers[0];
    flip.interval = numbers[1];
    if (numbers.size() == 4) {
      flip.byte = numbers[2];
      flip.bit = static_cast<int>(numbers[3]);
    }
    flip_ = flip;
  }
}

void Verify::before(long interval, const Replicas& replicas, const std::vector<Conditions>& conditions,
                    const std::vector<float>& factors) {
  sample_ = {};
  for (long k = 0; k < replicas.owned(); ++k) {
    const long replica = replicas.first() + k;
    if (!chosen(seed_, interval, replica, share_)) continue;
    sample_.replicas.push_back(replica);
    sample_.states.push_back(replicas.state(replica));
    sample_.conditions.push_back(conditions[static_cast<std::size_t>(k)]);
    sample_.factors.push_back(factors.empty() ? 1.0f : factors[static_cast<std::size_t>(k)]);
  }
}

void Verify::flip(long interval, Replicas& replicas) const {
  if (!flip_ || flip_->interval != interval || flip_->replica < replicas.first() ||
      flip_->replica >= replicas.first() + replicas.owned())
    return;
  State state = replicas.state(flip_->replica);
  const auto size = static_cast<long>(state.size());
  const long byte = flip_->byte == kMiddle ? size / 2 : flip_->byte < 0 ? size + flip_->byte : flip_->byte;
  state.at(static_cast<std::size_t>(byte)) ^= static_cast<char>(1 << flip_->bit);
  replicas.set_state(flip_->replica, state);
}

std::vector<State> Verify::again(const Sample& sample, Replicas& replicas, long first_step, int steps) const {
  if (sample.replicas.empty()) return {};
  std::vector<Measured> measured;
  std::vector<State> states = replicas.redo(sample.replicas, sample.states, sample.conditions, sample.factors,
                                            first_step, steps, &measured);
  for (std::size_t k = 0; k < states.size(); ++k) states[k] = with(std::move(states[k]), measured[k]);
  return states;
}

std::vector<std::string> Verify::after(Replicas& replicas, std::vector<Measured>& measured, long first_step,
                                       int steps) {
  const auto at = [&](long replica) { return static_cast<std::size_t>(replica - replicas.first()); };
  std::vector<State> found;
  Pack to_next;
  for (std::size_t k = 0; k < sample_.replicas.size(); ++k) {
    const long replica = sample_.replicas[k];
    found.push_back(with(replicas.state(replica), measured[at(replica)]));
    to_next.put(replica);
    to_next.put(sample_.conditions[k]);
    to_next.put(sample_.factors[k]);
    to_next.put(sample_.states[k]);
    to_next.put(found.back());
  }

  // The results of the next rank; for differences the state is returned, with its index in the sample.
  const std::vector<char> come = pass_on(world_, to_next.bytes);
  Sample other;
  std::vector<State> others_found;
  for (Unpack from(come); from.left();) {
    other.replicas.push_back(from.take<long>());
    other.conditions.push_back(from.take<Conditions>());
    other.factors.push_back(from.take<float>());
    other.states.push_back(from.take_state());
    others_found.push_back(from.take_state());
  }
  Pack back;
  const std::vector<State> second = again(other, replicas, first_step, steps);
  for (std::size_t k = 0; k < second.size(); ++k)
    if (second[k] != others_found[k]) {
      back.put(static_cast<long>(k));
      back.put(second[k]);
    }
  const std::vector<char> differing = pass_on(world_, back.bytes, -1);

  const int checker = (world_.rank() + 1) % world_.size();
  std::string lines, fault;
  for (Unpack from(differing); from.left();) {
    const auto k = static_cast<std::size_t>(from.take<long>());
    const State theirs = from.take_state();
    const long replica = sample_.replicas[k];
    const State third = again({{replica}, {sample_.states[k]}, {sample_.conditions[k]}, {sample_.factors[k]}},
                              replicas, first_step, steps)
                            .front();
    const std::string what = fmt::format(
        "steps {} to {} of replica {}: the bits of rank {} and of rank {}, which did them again, differ",
        first_step, first_step + steps - 1, replica, world_.rank(), checker);
    ++differed_;
    if (third == theirs) {
      const auto atoms = static_cast<long>(theirs.size() - sizeof(Measured));
      replicas.set_state(replica, State(theirs.begin(), theirs.begin() + atoms));
      std::memcpy(&measured[at(replica)], theirs.data() + atoms, sizeof(Measured));
      lines += fmt::format("{}; a third computation agrees with rank {}, and its result is taken\n", what,
                           checker);
    } else if (third == found[k]) {
      lines +=
          fmt::format("{}; a third computation agrees with rank {}, which goes on\n", what, world_.rank());
    } else if (fault.empty()) {
      fault = what + ", and so does a third computation; look at the device of rank " +
              std::to_string(world_.rank()) + ", and go on with --resume on others";
    }
  }
  verified_ += static_cast<long>(sample_.replicas.size());
  agree(world_, fault);

  std::string all;
  for (const std::vector<char>& piece : gather_on_root(world_, {lines.begin(), lines.end()}))
    all.append(piece.begin(), piece.end());
  std::vector<std::string> said;
  std::istringstream text(all);
  for (std::string line; std::getline(text, line);) said.push_back(line);
  return said;
}

} // namespace tasuki::argon
