// A row of the table of shapes by Tasuki, on a GPU.
#pragma once

#include <bench/bench.hpp>
#include <bench/shapes.hpp>

namespace tasuki::bench {

template <class Shape>
void time_shape(benchmark::State& state, const std::array<long, Shape::D>& extents) {
  using T = typename Shape::T;
  const Grid<Shape::D> grid(world_on(DeviceKind::cuda), extents, {.halo = Shape::R});
  const Field<T> u(grid, "u"), v(grid, "v");
  const auto reach = Shape::box ? box(Shape::R) : star(Shape::R);
  const Program step = program(
      sweep(Shape{static_cast<T>(0.1)}, grid.inner(Shape::R), reads(u, reach), writes(v)), swap(u, v));
  const long steps = steps_together(DeviceKind::cuda);
  run(step, {.times = 2});
  for (auto _ : state)
    state.SetIterationTime(run(step, {.times = steps}).seconds / static_cast<double>(steps));
  double cells = 1;
  for (const long extent : extents) cells *= static_cast<double>(extent);
  count(state, cells, 2 * sizeof(T));
}

struct AddShape {
  template <class Shape>
  void operator()(const std::array<long, Shape::D>& extents) const {
    add(shape_name<Shape>("tasuki", extents), 3,
        [=](benchmark::State& state) { time_shape<Shape>(state, extents); });
  }
};

} // namespace tasuki::bench
