// The device side of reductions: the objects that a cell function adds to, and how results of threads are combined.
#pragma once

#include <tasuki/device/exact_sum.hpp>
#include <tasuki/device/kernel/bound.hpp>

#include <type_traits>

namespace tasuki {

// A number and the index of its cell (global, x fastest).
template <class T>
struct Place {
  T value;
  long cell;
};

// Each operation has Value, identity(), lift(x, cell) and combine(a, b). combine of floating-point sums depends on the
// order of cells; the others do not.
template <class T>
struct SumOf {
  using Number = T;
  using Value = T;
  static constexpr bool sums = std::is_floating_point_v<T>; // sums of integers are exact anyway
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

// Of equal values, the one with the lowest cell index.
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

// The argument of a cell function: r(c, x) contributes x for cell c. Only the owner of a cell counts it, so that a cell
// that several ranks compute is counted once.
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

// The partial result of one thread.
template <class Op>
struct Running {
  typename Op::Value value;
  TS_HD void add(const typename Op::Value& x) { value = Op::combine(value, x); }
};

// A reduction as a kernel receives it. The host uses slot and digits only.
template <class Op, bool Exact>
struct BoundTally {
  static constexpr int read_bytes = 0;
  static constexpr bool tallies = true;
  using Operation = Op;
  static constexpr bool exact = Exact;
  // CUDA: one per warp, then one per folding block; exact: two per warp, the first ones of all warps before the second.
  using Partial = std::conditional_t<Exact, double, typename Op::Value>;
  typename Op::Value* slot = nullptr; // the result on this device, unless exact
  Partial* partials = nullptr;
  unsigned* counters = nullptr; // CUDA: counts folding blocks, to find the last; 0 between launches
  long long* digits = nullptr;  // exact: the result, an ExactSum
  long long* spill = nullptr;   // CUDA, exact: the digits that exceed the two partials; 0 between launches
  bool first = true;            // the result is reset first
  bool folds = false;           // CUDA: the last block of the sweep folds, without a further kernel
};

} // namespace tasuki
