// A sweep applies a cell function to every cell of a region.
//
//   struct Heat {
//     float rate;
//     TS_CELL void operator()(auto c, auto u, auto v) const { v(c) = u(c) + rate * (u(c, -1, 0) - 2 * u(c) + u(c, 1, 0)); }
//   };
//   const ts::Sweep heat = ts::sweep(Heat{0.1f}, grid.inner(1), ts::reads(u, ts::star({1, 0})), ts::writes(v));
//   ts::run(heat); // once; a program runs it many times
#pragma once

#include <tasuki/device/for_each.hpp>
#include <tasuki/device/team.hpp>
#include <tasuki/program/access.hpp>
#include <tasuki/program/checked.hpp>
#include <tasuki/program/reduction.hpp>
#include <tasuki/program/scalars.hpp>
#include <tasuki/program/tiled_sweep.hpp>
#include <tasuki/program/wave_sweep.hpp>

#include <memory>
#include <string>
#include <tuple>
#include <typeinfo>
#include <vector>

namespace tasuki {

// A sweep without template types, as the planner and the executors use it.
class SweepCore {
public:
  virtual ~SweepCore() = default;

  const std::string& name() const { return name_; }
  GridCore& grid() const { return *grid_; }
  const Box& region() const { return region_; } // global cells
  const std::vector<Access>& accesses() const { return accesses_; }
  bool reduces() const { return reduces_; }

  // Enqueues the sweep over local boxes. `first`: its reductions start from their initial values.
  virtual void launch(Stream& stream, const std::vector<Box>& boxes, bool first) const = 0;
  // The sweep over local boxes as a task of host threads, on the current memories of the fields. A team of threads can
  // execute it repeatedly; each time, reductions start from initial values. Its sums have the same bits as launch().
  virtual std::unique_ptr<HostTask> host_task(const std::vector<Box>& boxes) const = 0;
  // Many steps of the sweep as one kernel: its limits, and its launch, which requires tiled_limits().possible.
  // launch_tiled() puts the addresses of the results of reductions into `launch`; only TiledKind::resident has reductions.
  virtual TiledLimits tiled_limits(TiledKind kind) const = 0;
  virtual void launch_tiled(TiledKind kind, Stream& stream, TiledLaunch launch, int shared_bytes) const = 0;
  // Throws Error if a checked build has recorded an undeclared access. Waits for the
  // device; returns at once while a graph is being recorded, since the sweep has not run yet.
  virtual void check() const {}

protected:
  SweepCore(std::string name, std::shared_ptr<GridCore> grid, const Box& region,
            std::vector<Access> accesses);

  std::string name_;
  std::shared_ptr<GridCore> grid_;
  Box region_;
  std::vector<Access> accesses_;
  bool reduces_ = false;
};

namespace detail {

std::string type_name(const std::type_info& type); // "Relax", without namespaces

template <class T>
Access describe(const Reads<T>& a) {
  return {Access::Kind::read, a.field.core(), a.shape, a.field.name()};
}
template <class T>
Access describe(const ReadsHere<T>& a) {
  return {Access::Kind::read, a.field.core(), {}, a.field.name(), nullptr, true};
}
template <class T>
Access describe(const Writes<T>& a) {
  return {Access::Kind::write, a.field.core(), {}, a.field.name()};
}
template <class T>
Access describe(const Updates<T>& a) {
  return {Access::Kind::update, a.field.core(), {}, a.field.name()};
}
template <class T>
Access describe(const ReadsAnywhere<T>& a) {
  return {Access::Kind::anywhere, a.field.core(), {}, a.field.name()};
}
template <class Op>
Access describe(const Reduces<Op>& a) {
  return {
      Access::Kind::reduce,         nullptr, {}, a.reduction.core()->name(), a.reduction.core().get(), false,
      &a.reduction.core()->device()};
}

template <int K>
Access describe(const Uses<K>& a) {
  return {Access::Kind::use,          nullptr, {}, a.scalars.core()->name(), nullptr, false,
          &a.scalars.core()->device()};
}

template <class A>
inline constexpr bool is_reduction = false;
template <class Op>
inline constexpr bool is_reduction<Reduces<Op>> = true;

template <class A>
inline constexpr int read_bytes = 0; // per cell
template <class T>
inline constexpr int read_bytes<Reads<T>> = sizeof(T);
template <class T>
inline constexpr int read_bytes<ReadsHere<T>> = sizeof(T);
template <class T>
inline constexpr int read_bytes<Updates<T>> = sizeof(T);
template <class T>
inline constexpr int read_bytes<ReadsAnywhere<T>> = sizeof(T);

// The stencil as kernels use it. Widths above 127 are set to 127: no kernel supports them.
inline ReadShape read_shape(const Shape& shape) {
  constexpr int most = 127;
  ReadShape s;
  for (std::size_t a = 0; a < kMaxDims; ++a) {
    s.below[a] = static_cast<signed char>(std::min<long>(shape.width[a].lo, most));
    s.above[a] = static_cast<signed char>(std::min<long>(shape.width[a].hi, most));
  }
  s.order = static_cast<signed char>(std::min(shape.order, kMaxDims));
  return s;
}

template <class A>
void reserve(const A&, long) {}
template <class Op>
void reserve(const Reduces<Op>& a, long blocks) {
  a.reduction.core()->reserve(blocks);
}

template <int D>
Geometry<D> geometry_of(const GridCore& grid) {
  Geometry<D> g{};
  const Box owned = grid.owned();
  for (int a = 0; a < D; ++a) {
    g.stride[a] = grid.layout().stride[a];
    g.origin[a] = owned.lo[a];
    g.extent[a] = grid.extents()[a];
    g.owned[a] = static_cast<int>(grid.layout().extents[a]);
    g.round[a] = grid.cut().wraps_at(a) ? g.owned[a] : 0;
  }
  return g;
}

template <int D, class F, class... B>
class HostSweepTask final : public HostTask {
public:
  // With reductions, divided into the same parts as by the eager executor, so that sums have the same bits.
  HostSweepTask(const Geometry<D>& g, const std::vector<Box>& boxes, const F& f, const B&... bound)
      : sweep_(g, boxes, f,
               HostSweep<D, F, B...>::kTallied ? parts_to_wake(work_of<B...>(boxes))
                                               : parts_to_share(work_of<B...>(boxes)),
               bound...) {}

  int parts() const override { return sweep_.parts(); }
  void part(int thread, int threads) override {
    for (int k = thread; k < sweep_.parts(); k += threads) sweep_.part(k);
  }
  void fold() override { sweep_.fold(); }

private:
  HostSweep<D, F, B...> sweep_;
};

template <int D, class F, class... B>
std::unique_ptr<HostTask> make_host_task(const Geometry<D>& g, const std::vector<Box>& boxes, const F& f,
                                         const B&... bound) {
  return std::make_unique<HostSweepTask<D, F, B...>>(g, boxes, f, bound...);
}

// A view of T, or of each component of T[K].
template <class T, template <class, int> class View, class E, class Make>
auto view_of(const Field<T>& field, const Make& make) {
  if constexpr (lies_by_rows(Field<T>::components))
    return Components<View<E, Field<T>::components>>{
        make.template operator()<View<E, Field<T>::components>>(field.data()), field.component_stride()};
  else if constexpr (std::is_array_v<T>)
    return Components<View<E, 1>>{make.template operator()<View<E, 1>>(field.data()),
                                  field.component_stride()};
  else
    return make.template operator()<View<E, 1>>(field.data());
}

} // namespace detail

template <int D, class F, class... A>
class SweepOf final : public SweepCore {
public:
  SweepOf(F f, const Region<D>& region, A... accesses)
      : SweepCore(detail::type_name(typeid(F)), region.grid, region.box, {detail::describe(accesses)...}),
        f_(std::move(f)),
        bound_from_(std::move(accesses)...) {
#if defined(TASUKI_CHECKED)
    watch_ = Buffer(grid().device(), sizeof(Violation), Memory::pinned);
#endif
  }

  std::unique_ptr<HostTask> host_task(const std::vector<Box>& boxes) const override {
    if (reduces() && grid().device().exact_sums()) return task_as<true>(boxes);
    return task_as<false>(boxes);
  }

  void launch(Stream& stream, const std::vector<Box>& boxes, bool first) const override {
    if (reduces() && grid().device().exact_sums())
      launch_as<true>(stream, boxes, first);
    else
      launch_as<false>(stream, boxes, first);
  }

  TiledLimits tiled_limits([[maybe_unused]] TiledKind kind) const override {
#if defined(TASUKI_TILED)
    if (kind == TiledKind::wave) {
      if constexpr (detail::WaveSweep<D, F, A...>::possible)
        return detail::WaveKernelOf<D, F, A...>::limits();
      return {.reason = "sweep '" + name() +
                        "' is none that reads one number per cell and writes another in three dimensions"};
    }
    if constexpr (detail::TiledSweep<D, F, A...>::possible)
      return detail::TiledKernelOf<!detail::WaveSweep<D, F, A...>::possible, D, F, A...>::limits(kind);
    else
      return {.reason = "sweep '" + name() + "' is none that reads fields and writes others"};
#else
    return {.reason = "sweep '" + name() + "' was compiled without CUDA, to be checked, or step by step"};
#endif
  }
  void launch_tiled([[maybe_unused]] TiledKind kind, [[maybe_unused]] Stream& stream,
                    [[maybe_unused]] TiledLaunch launch, [[maybe_unused]] int shared_bytes) const override {
#if defined(TASUKI_TILED)
    if constexpr (detail::WaveSweep<D, F, A...>::possible)
      if (kind == TiledKind::wave)
        return detail::WaveKernelOf<D, F, A...>::launch(stream, f_, launch, bound_from_);
    if constexpr (detail::TiledSweep<D, F, A...>::possible) {
      int number = 0;
      if (kind == TiledKind::resident)
        std::apply([&](const auto&... a) { (detail::bind_result(a, launch, number), ...); }, bound_from_);
      detail::TiledKernelOf<!detail::WaveSweep<D, F, A...>::possible, D, F, A...>::launch(
          kind, stream, f_, launch, shared_bytes);
    }
#endif
  }

#if defined(TASUKI_CHECKED)
  void check() const override {
    if (grid().device().stream().kept()) return;
    grid().device().stream().synchronize();
    const Violation seen = *reinterpret_cast<const Violation*>(watch_.data());
    if (seen.taken) detail::report_violation(name(), accesses(), seen);
  }
#endif

private:
  static constexpr bool kReduces = (detail::is_reduction<A> || ...);

  template <bool Exact>
  void launch_as(Stream& stream, const std::vector<Box>& boxes, bool first) const {
    if constexpr (Exact && !kReduces) {
      return; // never called; not compiled, to save a kernel
    } else {
#if defined(__CUDACC__)
      if (kReduces && grid().device().cuda()) {
        const long blocks =
            detail::most_blocks<D>(boxes, detail::cells_a_thread((detail::read_bytes<A> + ... + 0)));
        std::apply([&](const auto&... a) { (detail::reserve(a, blocks), ...); }, bound_from_);
      }
#endif
      [&]<std::size_t... K>(std::index_sequence<K...>) {
        for_each(stream, name().c_str(), detail::geometry_of<D>(grid()), boxes, f_,
                 bind<Exact>(std::get<K>(bound_from_), static_cast<int>(K), first)...);
      }
      (std::index_sequence_for<A...>{});
    }
  }

  template <bool Exact>
  std::unique_ptr<HostTask> task_as(const std::vector<Box>& boxes) const {
    if constexpr (Exact && !kReduces) {
      return nullptr; // never called
    } else {
      return [&]<std::size_t... K>(std::index_sequence<K...>) {
        return detail::make_host_task(detail::geometry_of<D>(grid()), boxes, f_,
                                      bind<Exact>(std::get<K>(bound_from_), static_cast<int>(K), true)...);
      }
      (std::index_sequence_for<A...>{});
    }
  }

  template <class T>
  auto view_to_read(const Reads<T>& a, [[maybe_unused]] int number) const {
    using E = typename Field<T>::Element;
    return detail::view_of<T, In, E>(a.field, [&]<class V>(const E* p) {
#if defined(TASUKI_CHECKED)
      return V{p, detail::declared_of(reinterpret_cast<Violation*>(watch_.data()), number, a.shape)};
#else
      return V{p};
#endif
    });
  }
  template <bool Exact, class T>
  auto bind(const Reads<T>& a, int number, bool) const {
    const auto view = view_to_read(a, number);
    return BoundView<std::decay_t<decltype(view)>, detail::read_bytes<Reads<T>>, true>{
        view, detail::read_shape(a.shape)};
  }
  template <bool Exact, class T>
  auto bind(const ReadsHere<T>& a, int number, bool) const {
    const auto view = view_to_read(a, number);
    return BoundView<std::decay_t<decltype(view)>, detail::read_bytes<Reads<T>>>{view};
  }
  template <bool Exact, class T>
  auto bind(const Writes<T>& a, [[maybe_unused]] int number, bool) const {
    using E = typename Field<T>::Element;
    const auto view = detail::view_of<T, Out, E>(a.field, [&]<class V>(E* p) {
#if defined(TASUKI_CHECKED)
      return V{p, detail::declared_of(reinterpret_cast<Violation*>(watch_.data()), number, {})};
#else
      return V{p};
#endif
    });
    return BoundView<std::decay_t<decltype(view)>, 0>{view};
  }
  template <bool Exact, class T>
  auto bind(const Updates<T>& a, int, bool) const {
    using E = typename Field<T>::Element;
    const auto view = detail::view_of<T, InOut, E>(a.field, [&]<class V>(E* p) { return V{p}; });
    return BoundView<std::decay_t<decltype(view)>, detail::read_bytes<Updates<T>>>{view};
  }
  template <bool Exact, class T>
  auto bind(const ReadsAnywhere<T>& a, int, bool) const {
    using View = Cells<const typename Field<T>::Element, D>;
    const FieldCore& field = *a.field.core();
    return BoundView<View, detail::read_bytes<ReadsAnywhere<T>>>{View(field, a.tables->of(field))};
  }
  template <bool Exact, int K>
  auto bind(const Uses<K>& a, int, bool) const {
    return BoundView<ScalarsView, 0>{{a.scalars.data()}};
  }
  template <bool Exact, class Op>
  auto bind(const Reduces<Op>& a, int, bool first) const {
    auto& core = *a.reduction.core();
    core.swept();
    constexpr bool exact = Exact && Op::sums;
    BoundTally<Op, exact> b;
    b.slot = reinterpret_cast<typename Op::Value*>(core.slot());
    b.partials = reinterpret_cast<typename BoundTally<Op, exact>::Partial*>(core.partials());
    b.counters = core.counters();
    b.digits = core.digits();
    if (exact) b.spill = core.digits() + ExactSum::kSize;
    b.first = first;
    return b;
  }

  F f_;
  std::tuple<A...> bound_from_;
#if defined(TASUKI_CHECKED)
  Buffer watch_;
#endif
};

using Sweep = std::shared_ptr<const SweepCore>;

template <class E, int Rows, int D>
struct Lent {
  E* p;           // the first owned cell
  long component; // elements from one component to the next
  Geometry<D> geometry;

  // Index of a cell, or of a cell at an offset from it: elements from `p`, for component 0.
  template <class... By>
  TS_HD static long place(const Cell<D>& c, By... by) {
    return detail::place<Rows>(c, by...);
  }
};

// lend<4>(field): a field's current memory as a plain value, for a cell function. Programs do not see this access: the caller
// ensures a valid halo and calls touched() after writing. Sweeps that only read and reduce may run at once: write in others.
template <int D, class T, class E = typename Field<T>::Element>
auto lend(const Field<T>& field) {
  constexpr int kRows = lies_by_rows(Field<T>::components) ? Field<T>::components : 1;
  return Lent<E, kRows, D>{field.data(), field.component_stride(),
                           detail::geometry_of<D>(field.core()->grid())};
}

// settle_each(Alpha{}, {s, t}, {{rr, pq}, {uu, vw}}): like settle() below, for several systems, each with its own
// scalars and reductions. One kernel serves all systems. Throws Error if the two lists have different lengths.
template <class F, int K, class... Op>
Settle settle_each(F f, const std::vector<Scalars<K>>& scalars,
                   const std::vector<std::tuple<Reduction<Op>...>>& reductions) {
  static_assert(sizeof...(Op) > 0, "give a reduction to work the scalars out of");
  static_assert(std::is_trivially_copyable_v<F>, "it travels to the device as bytes: plain values only");
  if (scalars.empty() || scalars.size() != reductions.size())
    throw Error("settle_each() has scalars for " + std::to_string(scalars.size()) +
                    " systems and reductions of " + std::to_string(reductions.size()),
                "give each system both");
  return std::make_shared<detail::SettleOf<F, K, Op...>>(std::move(f), scalars, detail::type_name(typeid(F)),
                                                         reductions);
}

// settle(Alpha{}, s, rr, pq) calls Alpha{}(double* s, double rr, double pq) once, on the device, with the reductions
// of the preceding sweeps over all ranks. F has plain values only and is callable on host and device. Collective.
template <class F, int K, class... Op>
Settle settle(F f, const Scalars<K>& scalars, const Reduction<Op>&... reductions) {
  return settle_each(std::move(f), std::vector{scalars}, std::vector{std::tuple(reductions...)});
}

// sweep(Relax{}, grid.inner(1), reads(u, star(1)), writes(v)): Relax is called with the cell, followed by one
// argument per access, in this order. F is copied to the device: plain values only. Throws Error for accesses that
// exclude each other: a field read at other cells and also written, or read and written without updates().
template <int D, class F, class... A>
Sweep sweep(F f, const Region<D>& region, A... accesses) {
  static_assert(std::is_trivially_copyable_v<F>,
                "a cell function travels to the device as bytes: plain values only");
  return std::make_shared<SweepOf<D, F, A...>>(std::move(f), region, std::move(accesses)...);
}

} // namespace tasuki
