// A reduction is one value computed from all cells of a sweep. It stays on the device until value() reads it.
//
//   struct Square {
//     TS_CELL void operator()(auto c, auto u, auto sum) const { sum(c, u(c) * u(c)); }
//   };
//   ts::Sum<double> sum(world, "sum");
//   ts::run(ts::sweep(Square{}, grid.all(), ts::reads(u), ts::reduces(sum)));
//   const double norm = sum.value(); // of all cells of all ranks
#pragma once

#include <tasuki/base/reduce.hpp>
#include <tasuki/device/buffer.hpp>
#include <tasuki/device/for_each.hpp>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace tasuki {

namespace detail {

// A reduction without template types: this rank's result on the device, and how results of ranks are combined.
class ReductionCore {
public:
  // `merge`: combines two results if the order does not matter and they are not exact sums; otherwise null.
  ReductionCore(Device& device, std::string name, std::size_t value_bytes, bool exact, Merger merge);

  World& world() const { return world_; }
  Device& device() const { return device_; }
  const std::string& name() const { return name_; }
  bool exact() const { return exact_; }
  char* slot() const { return slot_.data(); }
  long long* digits() const { return reinterpret_cast<long long*>(digits_.data()); }
  char* partials() const { return partials_.data(); }
  unsigned* counters() const { return reinterpret_cast<unsigned*>(counters_.data()); }
  void reserve(long blocks);      // allocates the partial results of a launch of `blocks` thread blocks
  void swept() { ready_ = true; } // a sweep has filled it
  void need_swept() const;        // throws Error if no sweep has
  void need_ready();              // the same, and waits for the device

  // This rank's part of the result of the last sweep: the slot, or the digits of an
  // exact sum. part_bytes() is a multiple of 8; shorter values are padded with zeros.
  const char* part() const { return exact_ ? digits_.data() : slot_.data(); }
  long part_bytes() const { return static_cast<long>(exact_ ? sizeof(ExactSum) : slot_.bytes()); }
  void write_part(char* to) const;

  Merger merge() const { return merge_; }

private:
  World& world_;
  Device& device_;
  std::string name_;
  std::size_t value_bytes_;
  bool exact_;
  Merger merge_;
  bool ready_ = false;
  Buffer slot_, digits_, partials_, counters_;
  std::vector<Buffer> outgrown_;
  long blocks_ = 0;
};

// The parts of all ranks for each reduction: merged into one part, or, if their order
// matters, one part per rank, in the order of ranks. Waits for the device. Collective.
std::vector<std::vector<char>> parts_of_all(World& world, const std::vector<ReductionCore*>& reductions);

template <class Op>
inline constexpr std::size_t kPartBytes = (sizeof(typename Op::Value) + 7) / 8 * 8;

template <class Op>
void merge_values(const char* from, char* into) {
  typename Op::Value value, more;
  std::memcpy(&value, into, sizeof value);
  std::memcpy(&more, from, sizeof more);
  value = Op::combine(value, more);
  std::memcpy(into, &value, sizeof value);
}

double exact_sum_of(const std::vector<char>& parts); // ExactSums, one after another

} // namespace detail

// Sum<double> gosa(world, "gosa");  in a sweep: ts::reduces(gosa), and in its cell: gosa(c, ss * ss);
//
// value() returns the result of the last sweep over all ranks, equal on all ranks. It waits for the device. Collective.
// A sum is exact until one final rounding: its bits, as those of Min, Max and MaxPlace, depend neither on the number of
// ranks nor on the executor. Offers of one cell are added first. --sums fast adds numbers in the order of arrival.
template <class Op>
class Reduction {
public:
  using Number = typename Op::Number;

  Reduction(World& world, std::string name) : Reduction(world.part<Device>(), std::move(name)) {}
  // For sweeps of grids on this device.
  Reduction(Device& device, std::string name)
      : core_(std::make_shared<detail::ReductionCore>(
            device, std::move(name), sizeof(typename Op::Value), Op::sums && device.exact_sums(),
            Op::sums ? nullptr : merger_of<detail::merge_values<Op>, detail::kPartBytes<Op>>)) {}

  // Throws Error if no sweep has filled it yet. Collective.
  typename Op::Value value() const {
    return value_of(detail::parts_of_all(core_->world(), {core_.get()}).front());
  }

  // The value of these parts, combined in order.
  typename Op::Value value_of(const std::vector<char>& parts) const {
    if constexpr (Op::sums)
      if (core_->exact()) return static_cast<Number>(detail::exact_sum_of(parts));
    return combined(parts);
  }

  const std::shared_ptr<detail::ReductionCore>& core() const { return core_; }

private:
  typename Op::Value combined(const std::vector<char>& parts) const {
    typename Op::Value result = Op::identity();
    const auto bytes = static_cast<std::size_t>(core_->part_bytes());
    for (std::size_t at = 0; at < parts.size(); at += bytes) {
      typename Op::Value part;
      std::memcpy(&part, &parts[at], sizeof part);
      result = Op::combine(result, part);
    }
    return result;
  }

  std::shared_ptr<detail::ReductionCore> core_;
};

template <class T>
using Sum = Reduction<SumOf<T>>;
template <class T>
using Min = Reduction<MinOf<T>>;
template <class T>
using Max = Reduction<MaxOf<T>>;
// value() is {value, cell}: the index of the cell in the whole grid, x fastest.
template <class T>
using MaxPlace = Reduction<MaxPlaceOf<T>>;

// The access of a sweep to a reduction.
template <class Op>
struct Reduces {
  Reduction<Op> reduction;
};
// reduces(sum): the cell function offers its numbers by sum(c, number), any number of times per cell. The sweep
// replaces the value of the sweep before.
template <class Op>
Reduces<Op> reduces(const Reduction<Op>& reduction) {
  return {reduction};
}

} // namespace tasuki
