// The device half of reductions: what a cell function adds to, and how the parts of threads become one.
#pragma once

#include <tasuki/device/exact_sum.hpp>
#include <tasuki/device/kernel/bound.hpp>

#include <type_traits>

namespace tasuki {

// A number and the cell that has it (global, x fastest).
template <class T>
struct Place {
  T value;
  long cell;
};

// Each operation: Value, identity(), lift(x, cell), combine(a, b). combine is what makes the order of cells matter
// (sum) or not (the rest).
template <class T>
struct SumOf {
  using Number = T;
  using Value = T;
  static constexpr bool sums = std::is_floating_point_v<T>; // those of integers are exact as they are
  TS_HD static Value identity() { return T{}; }
  TS_HD static Value lift(T x, long) { return x; }
  TS_HD static Value combine(Value a, Value b) { return a + b; }
};

template <class T>
struct MinOf {
  using Number = T;
  using Value = T;
  static constexpr bool sums = false;
  TS_HD static Value identity() {
    return static_cast<T>(std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                               : std::numeric_limits<T>::max());
  }
  TS_HD static Value lift(T x, long) { return x; }
  TS_HD static Value combine(Value a, Value b) {
    return b < a || b != b ? b : a;
  } // NaN wins: it must not be lost
};

template <class T>
struct MaxOf {
  using Number = T;
  using Value = T;
  static constexpr bool sums = false;
  TS_HD static Value identity() {
    return static_cast<T>(std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                               : std::numeric_limits<T>::lowest());
  }
  TS_HD static Value lift(T x, long) { return x; }
  TS_HD static Value combine(Value a, Value b) { return b > a || b != b ? b : a; }
};

// Of equal values the one in the lowest cell.
template <class T>
struct MaxPlaceOf {
  using Number = T;
  using Value = Place<T>;
  static constexpr bool sums = false;
  TS_HD static Value identity() { return {MaxOf<T>::identity(), std::numeric_limits<long>::max()}; }
  TS_HD static Value lift(T x, long cell) { return {x, cell}; }
  TS_HD static Value combine(const Value& a, const Value& b) {
    const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
    if (a_nan || b_nan) return a_nan && (!b_nan || a.cell < b.cell) ? a : b;
    if (b.value != a.value) return b.value > a.value ? b : a;
    return a.cell < b.cell ? a : b;
  }
};

// What a cell function is given: r(c, x) offers x for cell c. Only a cell's owner counts it, so that cells that
// several ranks compute are counted once.
template <class Op, class Part, Count count = Count::owned>
struct Tally {
  Part* part;

  template <class C>
  TS_HD void operator()(const C& c, typename Op::Number x) const {
    if constexpr (count == Count::none) return;
    if constexpr (count == Count::owned)
      if (!c.owned()) return;
    long cell = 0;
    if constexpr (!std::is_same_v<typename Op::Value, typename Op::Number>)
      for (int a = C::dims - 1; a >= 0; --a) cell = cell * c.extent(a) + c[a];
    part->add(Op::lift(x, cell));
  }
};

// A thread's part of a reduction.
template <class Op>
struct Running {
  typename Op::Value value;
  TS_HD void add(const typename Op::Value& x) { value = Op::combine(value, x); }
};

// A reduction, bound. On the host slot and digits are used.
template <class Op, bool Exact>
struct BoundTally {
  static constexpr int read_bytes = 0;
  static constexpr bool tallies = true;
  using Operation = Op;
  static constexpr bool exact = Exact;
  // CUDA: one a warp, then one a block that folds them; exact: two a warp, the first of all warps before the second.
  using Partial = std::conditional_t<Exact, double, typename Op::Value>;
  typename Op::Value* slot = nullptr; // the result on this device, unless it is exact
  Partial* partials = nullptr;
  unsigned* counters = nullptr; // CUDA: which of those blocks comes last; 0 between launches
  long long* digits = nullptr;  // exact: the result, an ExactSum
  long long* spill = nullptr;   // CUDA, exact: the digits of what fits into no partial; 0 between launches
  bool first = true;            // the result starts anew
  bool folds = false;           // CUDA: the sweep's last block does it, and no kernel after it
};

} // namespace tasuki
