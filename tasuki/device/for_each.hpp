// for_each(stream, geometry, boxes, f, bound...): calls f for every cell of some boxes, on the stream's device.
//
// `bound` are the further arguments of f: views of fields, and tallies of reductions. There are two implementations:
// rows along x split over OpenMP threads and vectorised (this file), and tiles assigned to thread blocks
// (for_each_cuda.hpp).
#pragma once

#include <tasuki/base/box.hpp>
#include <tasuki/device/device.hpp>
#include <tasuki/device/exact_bins.hpp>
#include <tasuki/device/kernel/bound.hpp>
#include <tasuki/device/tally.hpp>

#include <omp.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

namespace tasuki {

namespace detail {

inline constexpr int kLanes = 16; // independent partial sums, so that additions overlap
inline constexpr int kChunk =
    128; // cells of a row whose offers are stored before they are summed, a multiple of kLanes

// A bound object as one thread uses it. A walk sees its Cells, which do not depend on how sums are computed: open(n) precedes
// a chunk, and row().pass(k) is f's argument for the k-th cell of it. fold(n) follows a chunk, finish() ends the walk.
template <class B>
struct HostPart;

template <class View>
struct ViewOfRow {
  View view;
  TS_HD const View& pass(int) const { return view; }
};

template <class View, int Bytes, bool Far>
struct HostPart<BoundView<View, Bytes, Far>> {
  using Cells = HostPart;
  View view;
  explicit HostPart(const BoundView<View, Bytes, Far>& b) : view(b.view) {}
  TS_HD ViewOfRow<View> row() const { return {view}; }
  void open(int) {}
  void fold(int) {}
};

// The offer of each cell is stored separately, so that the loop over cells vectorises however offers are combined.
template <class Op>
struct Offers {
  using Cells = Offers;
  struct Row {
    Running<Op>* offered;
    TS_HD Tally<Op, Running<Op>, Count::all> pass(int k) const { return {offered + k}; }
  };
  Running<Op> offered[kChunk];
  TS_HD Row row() { return {offered}; }
  void open(int n) {
    for (int k = 0; k < n; ++k) offered[k].value = Op::identity();
  }
};

template <class Op>
struct HostPart<BoundTally<Op, false>> : Offers<Op> {
  Running<Op> lanes[kLanes];
  explicit HostPart(const BoundTally<Op, false>&) {
    for (auto& lane : lanes) lane.value = Op::identity();
  }
  void fold(int n) {
    for (int k = 0; k < n; k += kLanes)
      for (int lane = 0; lane < std::min(kLanes, n - k); ++lane)
        lanes[lane].add(this->offered[k + lane].value);
  }
  void finish(const BoundTally<Op, false>& b) const {
    for (const auto& lane : lanes) *b.slot = Op::combine(*b.slot, lane.value);
  }
};

template <class Op>
struct HostPart<BoundTally<Op, true>> : Offers<Op> {
  static_assert(kChunk <= ExactBins::kMostAtOnce && kChunk % ExactBins::kWide == 0);
  ExactBins sum{sizeof(typename Op::Number) < sizeof(double) ? 1 : 2};
  explicit HostPart(const BoundTally<Op, true>&) {}
  void fold(int n) {
    using Number = typename Op::Number;
    static_assert(sizeof(Running<Op>) == sizeof(Number));
    if constexpr (std::is_same_v<Number, double>) {
      sum.add(&this->offered[0].value, n);
    } else {
      double offered[kChunk];
      for (int k = 0; k < n; ++k) offered[k] = static_cast<double>(this->offered[k].value);
      sum.add(offered, n);
    }
  }
  void finish(const BoundTally<Op, true>& b) { sum.finish(b.digits); }
};

// Cells from x = lo to hi of a row. `ivdep` permits vectorisation without an array of Cell objects per lane, which `omp
// simd` creates. Copies of the views are arguments: of a view in memory clang assumes that a cell may write over its pointer,
// reads the pointer again for each cell, and gathers.
template <int D, class F, class... R>
TS_HD void walk_row(const Cell<D> start, long base, int lo, int hi, const F& f, const R... rows) {
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
  for (int x = lo; x < hi; ++x) {
    Cell<D> c = start;
    c.x[0] = x;
    c.i = base + x;
    f(c, rows.pass(x - lo)...);
  }
}

// A part of a box: work items first to last, of rows cut into `pieces`. A separate function into which all calls are
// inlined, so that vectorisation does not depend on the rest of the translation unit.
// `fold`, called with `folded`, runs after every chunk of cells that are tallied.
template <bool Chunks, int D, class F, class... P>
__attribute__((noinline, flatten)) void walk_share(const Geometry<D>& g, const Box& box, long first,
                                                   long last, int pieces, void (*fold)(void*, int),
                                                   void* folded, const F& f, P&... parts) {
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
    if constexpr (!Chunks) {
      walk_row(c, base, from, to, f, parts.row()...);
    } else {
      for (int x = from; x < to; x += kChunk) {
        const int n = std::min(kChunk, to - x);
        (parts.open(n), ...);
        walk_row(c, base, x, x + n, f, parts.row()...);
        if (fold) fold(folded, n);
      }
    }
  }
}

// work(part) for every part, on as many threads.
template <class Work>
void on_threads(int parts, const Work& work) {
  if (parts == 1) {
    work(0);
    return;
  }
#pragma omp parallel num_threads(parts)
  for (int part = omp_get_thread_num(); part < parts; part += omp_get_num_threads()) work(part);
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

// The work of a sweep in cells, weighted by the bytes that a cell reads.
template <class... B>
long work_of(const std::vector<Box>& boxes) {
  long cells = 0;
  for (const Box& box : boxes) cells += box.cells();
  return cells * std::max(1, (B::read_bytes + ... + 0) / 64);
}

// The number of parts for threads that have to be woken first, which costs more than a few rows.
inline int parts_to_wake(long work) { return work < 8192 ? 1 : omp_get_max_threads(); }
// The number of parts for threads that are already running: a barrier costs as much as a few hundred cells.
inline int parts_to_share(long work) {
  return static_cast<int>(std::clamp(work / 2048, 1L, static_cast<long>(omp_get_max_threads())));
}

// A sweep over boxes, bound to memory and cut into parts for threads: part(0) .. part(parts() - 1), by any threads
// in any order, then fold(). The sequence may be repeated.
template <int D, class F, class... B>
class HostSweep {
public:
  static constexpr bool kTallied = (B::tallies || ...);

  HostSweep(const Geometry<D>& g, const std::vector<Box>& boxes, const F& f, int parts, const B&... bound)
      : geometry_(g), f_(f), bound_(bound...), parts_(parts) {
    // Owned cells are tallied, halo cells are not. Boxes are split here, so that the inner loop needs no test per cell.
    for (const Box& box : boxes) {
      if constexpr (kTallied) {
        Box owned = box;
        for (int a = 0; a < D; ++a) {
          owned.lo[a] = std::max(box.lo[a], 0L);
          owned.hi[a] = std::min(box.hi[a], static_cast<long>(g.owned[a]));
        }
        if (!owned.empty()) add(owned, true);
        for (const Box& halo : subtract(box, owned)) add(halo, false);
      } else {
        add(box, false);
      }
    }
    if constexpr (kTallied) done_.resize(static_cast<std::size_t>(parts_));
  }

  int parts() const { return parts_; }

  void part(int number) {
    Parts own = std::apply([](const B&... b) { return Parts{HostPart<B>(b)...}; }, bound_);
    std::apply([&](auto&... p) { walk(number, own, static_cast<typename HostPart<B>::Cells&>(p)...); }, own);
    if constexpr (kTallied) done_[static_cast<std::size_t>(number)].emplace(own);
  }

  // Combines the partial results into the slots of the reductions, in the order of the parts.
  void fold() {
    if constexpr (kTallied) {
      std::apply([](const B&... b) { (start_slot(b), ...); }, bound_);
      for (std::optional<Parts>& parts : done_) fold_part(*parts, std::index_sequence_for<B...>{});
    }
  }

private:
  using Parts = std::tuple<HostPart<B>...>;
  struct Walk {
    Box box;
    bool tally;
    long items; // rows, or pieces of rows if there are too few rows
    int pieces; // per row
  };

  void add(const Box& box, bool tally) {
    if (box.empty()) return;
    long rows = 1;
    for (int a = 1; a < D; ++a) rows *= box.extent(a);
    const int pieces = rows >= parts_ ? 1 : static_cast<int>((parts_ + rows - 1) / rows);
    walks_.push_back({box, tally, rows * pieces, pieces});
  }

  static void fold_chunk(void* parts, int n) {
    std::apply([n](auto&... p) { (p.fold(n), ...); }, *static_cast<Parts*>(parts));
  }

  void walk(int number, Parts& own, typename HostPart<B>::Cells&... p) const {
    for (const Walk& w : walks_) {
      const long first = w.items * number / parts_, last = w.items * (number + 1) / parts_;
      walk_share<kTallied>(geometry_, w.box, first, last, w.pieces, w.tally ? &fold_chunk : nullptr, &own, f_,
                           p...);
    }
  }

  template <std::size_t... K>
  void fold_part(Parts& parts, std::index_sequence<K...>) {
    (finish_part(std::get<K>(parts), std::get<K>(bound_)), ...);
  }

  Geometry<D> geometry_;
  F f_;
  std::tuple<B...> bound_;
  int parts_;
  std::vector<Walk> walks_;
  std::vector<std::optional<Parts>> done_;
};

template <int D, class F, class... B>
void for_each_host(const Geometry<D>& g, const std::vector<Box>& boxes, const F& f, const B&... bound) {
  HostSweep<D, F, B...> sweep(g, boxes, f, parts_to_wake(work_of<B...>(boxes)), bound...);
  on_threads(sweep.parts(), [&](int part) { sweep.part(part); });
  sweep.fold();
}

} // namespace detail
} // namespace tasuki

#if defined(__CUDACC__)
#include <tasuki/device/for_each_cuda.hpp>
#endif

namespace tasuki {

// Enqueues f(cell, bound...) for every cell of `boxes` (local indices). `name` is used in error messages.
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
