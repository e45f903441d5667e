// The fields of a lifted time loop, and the copies between them and its arrays.
#include "lifted.hpp"
#include "numbers.hpp"

#include <tasuki/device/copy.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace tasuki::xmp {
namespace {

LiftedField field_of(const ArrayObject& array, int type, const std::shared_ptr<GridCore>& grid) {
  LiftedField field;
  int components = 1;
  for (int d = 0; d < array.face->dims; ++d) {
    const auto at = static_cast<std::size_t>(d);
    field.axis.push_back(array.along[at].dim >= 0);
    field.extents.push_back(array.array->extent(d));
    if (!field.axis.back()) components *= static_cast<int>(field.extents.back());
  }
  field.core = std::make_shared<FieldCore>(grid, array.name, value_type(type),
                                           static_cast<std::size_t>(array.size), components);
  return field;
}

void add_items(const Asked& asked, Made& made) {
  for (int n = 0; n < asked.lift.nests; ++n) {
    const tsk_nest& nest = asked.lift.nest[n];
    const auto core = [&](int k) { return made.fields[static_cast<std::size_t>(nest.access[k].array)].core; };
    made.sweeps.push_back(nest.cells
                              ? std::make_shared<LiftedSweep>(nest, asked.region(n), made.fields, asked.given)
                              : nullptr);
    if (nest.cells)
      made.items.push_back({.what = Sweep(made.sweeps.back())});
    else
      made.items.push_back({.what = Swap{core(0), core(1)}});
  }
}

// A box of elements, row by row; `count` and `first` by dimension.
Strided box_of(const tsk_array& of, const std::array<long, TSK_DIMS>& first,
               const std::array<long, TSK_DIMS>& count, int dims) {
  Strided box;
  box.base = of.at;
  box.run = of.size;
  for (int d = dims - 1; d >= 0; --d) {
    const auto at = static_cast<std::size_t>(d);
    box.base += of.size * first[at] * of.step[d];
    if (count[at] == 1) continue;
    box.count[box.levels] = count[at];
    box.stride[box.levels++] = of.size * of.step[d];
  }
  return box;
}

// On the stream of a GPU.
void enqueue_copy(Device& device, const tsk_array& from, const tsk_array& to,
                  std::array<long, TSK_DIMS> first, std::array<long, TSK_DIMS> count) {
  const auto long_dims = [&] {
    return std::count_if(count.begin(), count.begin() + from.dims, [](long n) { return n > 1; });
  };
  std::vector<CopyPair> pairs;
  // A box has so many levels at most: what is more is several boxes.
  const auto walk = [&](const auto& self, int d) -> void {
    if (long_dims() <= Strided::kMaxLevels) {
      pairs.push_back({box_of(from, first, count, from.dims), box_of(to, first, count, from.dims)});
      return;
    }
    const auto at = static_cast<std::size_t>(d);
    const long begin = first[at], n = std::exchange(count[at], 1);
    for (first[at] = begin; first[at] < begin + n; ++first[at]) self(self, d + 1);
    first[at] = begin;
    count[at] = n;
  };
  walk(walk, 0);
  CopyPlan(device, std::move(pairs)).enqueue(device.stream());
  device.stream().synchronize();
}

// Copies the cells of `region` that this rank owns, with all components; threads share the rows.
void copy_cells(const tsk_array& from, const tsk_array& to, const LiftedField& as, const Box& region) {
  std::array<long, TSK_DIMS> first{}, count{};
  long rows = 1, cells = 1;
  const int dims = from.dims;
  int x = -1; // the dimension along which rows run
  for (int d = dims - 1, a = 0; d >= 0; --d) {
    const auto at = static_cast<std::size_t>(d);
    if (as.axis[at]) {
      first[at] = std::max(region.lo[a], to.own[d]);
      count[at] = std::max(0L, std::min(region.hi[a], to.end[d]) - first[at]);
      if (a++ == 0) x = d;
    } else {
      count[at] = as.extents[at];
    }
    cells *= count[at];
    if (d != x) rows *= count[at];
  }
  if (cells == 0) return;
  Device& device = as.core->grid().device();
  if (device.cuda()) return enqueue_copy(device, from, to, first, count);
  const int parts = detail::parts_to_wake(cells);
  detail::on_threads(parts, [&](int part) {
    for (long row = rows * part / parts; row < rows * (part + 1) / parts; ++row) {
      const char* source = from.at;
      char* target = to.at;
      long rest = row;
      for (int d = dims - 1; d >= 0; --d) {
        const auto at = static_cast<std::size_t>(d);
        const long index = d == x ? first[at] : first[at] + rest % count[at];
        if (d != x) rest /= count[at];
        source += from.size * index * from.step[d];
        target += to.size * index * to.step[d];
      }
      const long n = count[static_cast<std::size_t>(x)];
      if (from.step[x] == 1 && to.step[x] == 1)
        std::memcpy(target, source, static_cast<std::size_t>(n * from.size));
      else
        for (long k = 0; k < n; ++k)
          std::memcpy(target + k * to.step[x] * to.size, source + k * from.step[x] * from.size,
                      static_cast<std::size_t>(from.size));
    }
  });
}

// A copy of one array into another, replaced by a swap. Outside of the copied region, both fields have the cells of
// `to`. `filled`: the step writes `from` before the copy, so both arrays have equal cells at the end of a step.
struct Swapped {
  int to, from;
  Box region;
  bool filled;
};
std::vector<Swapped> swapped_in(const Asked& asked) {
  std::vector<Swapped> list;
  for (int n = 0; n < asked.lift.nests; ++n) {
    const tsk_nest& nest = asked.lift.nest[n];
    if (nest.cells) continue;
    Swapped swap{nest.access[0].array, nest.access[1].array, asked.region(n), false};
    for (int m = 0; m < n; ++m)
      for (int k = 0; k < asked.lift.nest[m].accesses; ++k)
        swap.filled = swap.filled || asked.lift.nest[m].access[k].array == swap.from;
    list.push_back(swap);
  }
  return list;
}

} // namespace

tsk_array Asked::face(std::size_t array) const {
  const ArrayObject& object = *arrays[array];
  tsk_array face = *object.face;
  if (on_gpu) face.at += object.array->memory(Side::device).data() - face.start;
  return face;
}

Made made_on(const Asked& asked, std::shared_ptr<GridCore> grid) {
  Made made;
  made.grid = std::move(grid);
  for (std::size_t k = 0; k < asked.arrays.size(); ++k)
    made.fields.push_back(field_of(*asked.arrays[k], asked.lift.type[k], made.grid));
  add_items(asked, made);
  return made;
}

void fill(const Asked& asked, Made& made) {
  for (std::size_t k = 0; k < made.fields.size(); ++k) {
    const tsk_array field = made.fields[k].face();
    Box own = made.grid->all();
    for (const Swapped& swap : swapped_in(asked))
      if (swap.from == static_cast<int>(k)) {
        own = swap.region;
        const tsk_array other = asked.face(static_cast<std::size_t>(swap.to));
        copy_cells(other, field, made.fields[k], made.grid->all());
      }
    copy_cells(asked.face(k), field, made.fields[k], own);
    made.fields[k].core->validity().touched();
  }
}

void bring_back(const Asked& asked, const Made& made) {
  struct Back {
    int field;
    Box region;
  };
  std::vector<Back> back(made.fields.size(), Back{-1, {}}); // by array
  for (int n = 0; n < asked.lift.nests; ++n)
    for (int k = 0; k < asked.lift.nest[n].accesses; ++k)
      if (const tsk_access& access = asked.lift.nest[n].access[k]; access.how & TSK_WRITES)
        back[static_cast<std::size_t>(access.array)] = {access.array, made.grid->all()};
  for (const Swapped& swap : swapped_in(asked)) {
    back[static_cast<std::size_t>(swap.to)] = {swap.to, made.grid->all()};
    back[static_cast<std::size_t>(swap.from)] = {swap.filled ? swap.to : swap.from, swap.region};
  }
  for (std::size_t k = 0; k < back.size(); ++k) {
    if (back[k].field < 0) continue;
    const tsk_array from = made.fields[static_cast<std::size_t>(back[k].field)].face();
    tsk_array to = asked.face(k);
    std::copy(from.own, from.own + TSK_DIMS, to.own);
    std::copy(from.end, from.end + TSK_DIMS, to.end);
    copy_cells(from, to, made.fields[k], back[k].region);
  }
}

} // namespace tasuki::xmp
