// Reductions: one value from all cells of a sweep, left on the device until it is asked for.
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

// The device's part of a reduction and how it becomes everyone's.
class ReductionCore {
public:
  // `merge`: of a reduction that no order changes, where it is no exact sum; else null.
  ReductionCore(Device& device, std::string name, std::size_t value_bytes, bool exact, Merger merge);

  World& world() const { return world_; }
  Device& device() const { return device_; }
  const std::string& name() const { return name_; }
  bool exact() const { return exact_; }
  char* slot() const { return slot_.data(); }
  long long* digits() const { return reinterpret_cast<long long*>(digits_.data()); }
  char* partials() const { return partials_.data(); }
  unsigned* counters() const { return reinterpret_cast<unsigned*>(counters_.data()); }
  void reserve(long blocks);      // room for the partial results of a launch of `blocks` thread blocks
  void swept() { ready_ = true; } // a sweep has filled it
  void need_swept() const;        // Error unless one has
  void need_ready();              // and waits for the device

  // This rank's part of the result as the last sweep left it: the slot, or digits where it is exact. Bytes are a
  // multiple of 8; what follows a smaller value is 0.
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

// The parts that all ranks have of some reductions: one for all of them, or where their order matters each rank's, in
// their order. Waits for the device. Collective.
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
// value() is of the last sweep that ran, over all ranks, the same on every rank: waits for the device, collective.
// A sum is exact until it is rounded once: the same bits on any number of ranks, any executor, in every run, as those of
// Min, Max and MaxPlace are. What a cell offers several times is added up first. --sums fast adds as numbers come.
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

  typename Op::Value value() const {
    return value_of(detail::parts_of_all(core_->world(), {core_.get()}).front());
  }

  // The value that some parts make, in their order.
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
template <class T>
using MaxPlace =
    Reduction<MaxPlaceOf<T>>; // value() is {value, cell}: the cell counted x first over the whole grid

template <class Op>
struct Reduces {
  Reduction<Op> reduction;
};
template <class Op>
Reduces<Op> reduces(const Reduction<Op>& reduction) {
  return {reduction};
}

} // namespace tasuki
