// for_each(stream, geometry, boxes, f, bound...): f in every cell of some boxes, on the stream's device.
//
// What is bound is what f is given besides the cell: views of fields, and tallies of reductions. One description, two
// walks: rows of x split over OpenMP threads and vectorised (this file), tiles over thread blocks
// (for_each_cuda.hpp).
#pragma once

#include <tasuki/base/box.hpp>
#include <tasuki/device/device.hpp>
#include <tasuki/device/tally.hpp>
#include <tasuki/device/view.hpp>

#include <omp.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

namespace tasuki {

// A field's view, bound.
template <class View, int ReadBytes>
struct BoundView {
  static constexpr int read_bytes =
      ReadBytes; // of device memory a cell; what it takes to keep loads in flight
  static constexpr bool tallies = false;
  View view;
};

// A reduction, bound. On the host only slot is used.
template <class Op, bool Exact>
struct BoundTally {
  static constexpr int read_bytes = 0;
  static constexpr bool tallies = true;
  using Operation = Op;
  static constexpr bool exact = Exact;
  typename Op::Value* slot = nullptr;     // the result on this device
  typename Op::Value* partials = nullptr; // CUDA: one a warp, then one a block that folds them
  unsigned* counters = nullptr;           // CUDA: which of those blocks comes last; 0 between launches
  long long* digits = nullptr;            // exact: ExactSum::kSize of them
  bool first = true;                      // the slot starts anew
};

namespace detail {

inline constexpr int kBlock = 256; // threads of a block of a GPU
inline constexpr int kLanes = 16;  // cells in flight, so that a sum need not be taken one after another

// A bound thing as one thread uses it: pass(lane) is what f gets, finish() what is left at the end.
template <class B>
struct HostPart;

template <class View, int Bytes>
struct HostPart<BoundView<View, Bytes>> {
  View view;
  explicit HostPart(const BoundView<View, Bytes>& b) : view(b.view) {}
  template <Count>
  TS_HD const View& pass(int) const {
    return view;
  }
};

template <class Op>
struct HostPart<BoundTally<Op, false>> {
  Running<Op> lanes[kLanes];
  explicit HostPart(const BoundTally<Op, false>&) {
    for (auto& lane : lanes) lane.value = Op::identity();
  }
  template <Count count>
  TS_HD Tally<Op, Running<Op>, count> pass(int lane) {
    return {&lanes[lane]};
  }
  void finish(const BoundTally<Op, false>& b) const {
    for (const auto& lane : lanes) *b.slot = Op::combine(*b.slot, lane.value);
  }
};

template <class Op>
struct HostPart<BoundTally<Op, true>> {
  ExactSum sum{};
  RunningExact running{sum.digit};
  explicit HostPart(const BoundTally<Op, true>&) {}
  HostPart(const HostPart& other) : sum(other.sum) {}
  template <Count count>
  TS_HD Tally<Op, RunningExact, count> pass(int) {
    return {&running};
  }
  void finish(const BoundTally<Op, true>& b) {
    exact_carry(sum.digit);
    for (int k = 0; k < ExactSum::kSize; ++k) b.digits[k] += sum.digit[k];
  }
};

// Cells from x = lo to hi of a row, nothing tallied. Only `ivdep` lets the vectoriser in without making a cell of
// every lane, as `omp simd` does.
template <int D, class F, class... P>
TS_HD void walk_row(const Cell<D>& start, long base, int lo, int hi, const F& f, P&... parts) {
#pragma GCC ivdep
  for (int x = lo; x < hi; ++x) {
    Cell<D> c = start;
    c.x[0] = x;
    c.i = base + x;
    f(c, parts.template pass<Count::none>(0)...);
  }
}

// The same with tallies: a few at a time, each its own lane, so that no sum waits for the one before.
template <int D, class F, class... P>
TS_HD void walk_row_tallied(const Cell<D>& start, long base, int lo, int hi, const F& f, P&... parts) {
  const int lanes = (hi - lo) / kLanes * kLanes;
  for (int x = lo; x < lo + lanes; x += kLanes) {
#pragma GCC ivdep
    for (int lane = 0; lane < kLanes; ++lane) {
      Cell<D> c = start;
      c.x[0] = x + lane;
      c.i = base + x + lane;
      f(c, parts.template pass<Count::all>(lane)...);
    }
  }
  for (int x = lo + lanes; x < hi; ++x) {
    Cell<D> c = start;
    c.x[0] = x;
    c.i = base + x;
    f(c, parts.template pass<Count::all>(x - lo - lanes)...);
  }
}

// A share of a box: work items first to last of rows cut into `pieces`. A function of its own, with all of its cell in
// it: whether the compiler vectorises it then depends on nothing else that the source holds.
template <bool Tallied, int D, class F, class... P>
__attribute__((noinline, flatten)) void walk_share(const Geometry<D>& g, const Box& box, long first,
                                                   long last, int pieces, const F& f, P&... parts) {
  Cell<D> c{g, 0, {}};
  const int lo = static_cast<int>(box.lo[0]), n = static_cast<int>(box.extent(0));
  for (long item = first; item < last; ++item) {
    long row = item / pieces;
    const long piece = item % pieces;
    long base = 0;
    for (int a = 1; a < D; ++a) {
      c.x[a] = static_cast<int>(box.lo[a] + row % box.extent(a));
      row /= box.extent(a);
      base += c.x[a] * g.stride[a];
    }
    const int from = lo + static_cast<int>(n * piece / pieces),
              to = lo + static_cast<int>(n * (piece + 1) / pieces);
    if constexpr (Tallied)
      walk_row_tallied(c, base, from, to, f, parts...);
    else
      walk_row(c, base, from, to, f, parts...);
  }
}

// work(thread) on every thread of a team.
template <class Work>
void on_threads(int threads, const Work& work) {
  if (threads == 1) {
    work(0);
    return;
  }
#pragma omp parallel num_threads(threads)
  { work(omp_get_thread_num()); }
}

template <class B>
void start_slot(const B& b) {
  if constexpr (B::tallies) {
    if (!b.first) return;
    if constexpr (B::exact)
      std::fill(b.digits, b.digits + ExactSum::kSize, 0LL);
    else
      *b.slot = B::Operation::identity();
  }
}

template <class P, class B>
void finish_part(P& part, const B& bound) {
  if constexpr (B::tallies) part.finish(bound);
}

// In the order of the threads.
template <class Parts, class... B>
void finish_parts(std::vector<std::optional<Parts>>& of_threads, const B&... bound) {
  for (std::optional<Parts>& parts : of_threads)
    std::apply([&](auto&... part) { (finish_part(part, bound), ...); }, *parts);
}

template <int D, class F, class... B>
void for_each_host(const Geometry<D>& g, const std::vector<Box>& boxes, const F& f, const B&... bound) {
  constexpr bool tallied = (B::tallies || ...);
  (start_slot(bound), ...);
  long cells = 0;
  for (const Box& box : boxes) cells += box.cells();
  if (cells == 0) return;
  // Owned cells are tallied, the halo's are not: sorted before the walk, so that no cell has to ask.
  std::vector<std::pair<Box, bool>> walks;
  for (const Box& box : boxes) {
    if constexpr (tallied) {
      Box owned = box;
      for (int a = 0; a < D; ++a) {
        owned.lo[a] = std::max(box.lo[a], 0L);
        owned.hi[a] = std::min(box.hi[a], static_cast<long>(g.owned[a]));
      }
      if (!owned.empty()) walks.emplace_back(owned, true);
      for (const Box& halo : subtract(box, owned)) walks.emplace_back(halo, false);
    } else {
      walks.emplace_back(box, false);
    }
  }
  const int threads = cells < 8192 ? 1 : omp_get_max_threads(); // waking a team costs more than a few rows
  using Parts = std::tuple<HostPart<B>...>;
  std::vector<std::optional<Parts>> done(threads);

  const auto share = [&](int thread, Parts& parts) {
    std::apply(
        [&](auto&... p) {
          for (const auto& [box, tally] : walks) {
            long rows = 1;
            for (int a = 1; a < D; ++a) rows *= box.extent(a);
            const int pieces = rows >= threads ? 1 : static_cast<int>((threads + rows - 1) / rows);
            const long items = rows * pieces;
            const long first = items * thread / threads, last = items * (thread + 1) / threads;
            if (tallied && tally)
              walk_share<tallied>(g, box, first, last, pieces, f, p...);
            else
              walk_share<false>(g, box, first, last, pieces, f, p...);
          }
        },
        parts);
  };
  const auto work = [&](int thread) {
    Parts own{HostPart<B>(bound)...};
    share(thread, own);
    if constexpr (tallied) done[thread].emplace(own);
  };
  on_threads(threads, work);
  if constexpr (tallied) finish_parts(done, bound...);
}

} // namespace detail
} // namespace tasuki

#if defined(__CUDACC__)
#include <tasuki/device/for_each_cuda.hpp>
#endif

namespace tasuki {

// Enqueues f(cell, bound...) for every cell of `boxes` (local cells). `name` is for errors.
template <int D, class F, class... B>
void for_each(Stream& stream, const char* name, const Geometry<D>& g, const std::vector<Box>& boxes,
              const F& f, const B&... bound) {
  if (stream.kind() == DeviceKind::host) {
    detail::for_each_host(g, boxes, f, bound...);
    return;
  }
#if defined(__CUDACC__)
  detail::for_each_cuda(stream, g, boxes, f, bound...);
  (void)name;
#else
  throw Error(std::string("sweep '") + name + "' was compiled without CUDA",
              "compile its source with nvcc (tasuki_add_program does), or run with --device host");
#endif
}

} // namespace tasuki
