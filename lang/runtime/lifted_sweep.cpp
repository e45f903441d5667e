#include "lifted_sweep.hpp"

#include "numbers.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace tasuki::xmp {
namespace {

std::vector<Access> accesses_of(const tsk_nest& nest, const std::vector<LiftedField>& fields) {
  std::vector<Access> list;
  for (int k = 0; k < nest.accesses; ++k) {
    const tsk_access& from = nest.access[k];
    const std::shared_ptr<FieldCore>& field = fields[static_cast<std::size_t>(from.array)].core;
    Access access{.kind = from.how == TSK_READS    ? Access::Kind::read
                          : from.how == TSK_WRITES ? Access::Kind::write
                                                   : Access::Kind::update,
                  .field = field,
                  .name = field->name()};
    if (access.kind == Access::Kind::read) {
      const int dims = field->grid().dims();
      for (int a = 0; a < dims; ++a)
        access.shape.width[a] = Width(from.lo[dims - 1 - a], from.hi[dims - 1 - a]);
      access.shape.order = from.order;
      access.here = from.order == 0;
    }
    list.push_back(std::move(access));
  }
  return list;
}

std::vector<LiftedField> listed(const tsk_nest& nest, const std::vector<LiftedField>& fields) {
  std::vector<LiftedField> list;
  for (int k = 0; k < nest.accesses; ++k)
    list.push_back(fields[static_cast<std::size_t>(nest.access[k].array)]);
  return list;
}

// The axis along which a box is cut for threads: the outermost one that is long enough, so that rows stay whole.
int axis_to_cut(const Box& box, int parts) {
  for (int a = box.dims - 1; a > 0; --a)
    if (box.extent(a) >= parts) return a;
  int longest = box.dims - 1;
  for (int a = box.dims - 1; a >= 0; --a)
    if (box.extent(a) > box.extent(longest)) longest = a;
  return longest;
}

} // namespace

tsk_array LiftedField::face() const {
  const GridCore& grid = core->grid();
  const Layout& layout = grid.layout();
  const Box owned = grid.owned();
  tsk_array a{};
  a.dims = static_cast<int>(axis.size());
  a.size = static_cast<long>(core->element_bytes());
  a.at = core->origin();
  long component = core->component_stride(layout);
  for (int d = a.dims - 1, x = 0; d >= 0; --d) {
    const auto at = static_cast<std::size_t>(d);
    a.linear[d] = 1;
    if (axis[at]) {
      a.step[d] = core->stride(layout, x);
      a.own[d] = owned.lo[x];
      a.end[d] = owned.hi[x];
      a.at -= a.size * owned.lo[x] * a.step[d];
      ++x;
    } else {
      a.step[d] = component;
      a.end[d] = extents[at];
      component *= extents[at];
    }
  }
  return a;
}

int LiftedField::dimension(int of) const {
  int d = static_cast<int>(axis.size()) - 1;
  for (int a = -1; d >= 0; --d)
    if (axis[static_cast<std::size_t>(d)] && ++a == of) break;
  return d;
}

// A task uses the fields' memories of the time at which it was created. Each part has its own reductions.
class LiftedSweep::Task final : public HostTask {
public:
  Task(const LiftedSweep& sweep, const std::vector<Box>& boxes, int parts)
      : sweep_(sweep), origin_(sweep.grid().owned()), boxes_(boxes), parts_(parts) {
    arrays_ = sweep.arrays();
    reduced_.resize(static_cast<std::size_t>(parts));
  }
  int parts() const override { return parts_; }
  void part(int thread, int threads) override {
    for (int k = thread; k < parts_; k += threads) {
      std::vector<Number>& reduced = reduced_[static_cast<std::size_t>(k)];
      reduced = sweep_.starts();
      std::vector<void*> into;
      for (Number& number : reduced) into.push_back(number.data());
      for (const Box& box : boxes_) share(box, k, into.data());
    }
  }
  void fold() override {
    sweep_.results_ = sweep_.starts();
    join();
  }
  // Combines the reductions of the parts.
  void join() const {
    for (std::size_t n = 0; n < sweep_.reduced_.size(); ++n) {
      const Fold fold = fold_of(sweep_.reduced_[n].op, sweep_.reduced_[n].type);
      for (const std::vector<Number>& part : reduced_) fold(sweep_.results_[n].data(), part[n].data());
    }
  }

private:
  void share(const Box& box, int part, void* const* reduced) const {
    const int cut = axis_to_cut(box, parts_);
    Place lo{}, hi{};
    for (int a = 0; a < box.dims; ++a) {
      const auto at = static_cast<std::size_t>(box.dims - 1 - a);
      const long first = box.lo[a] + origin_.lo[a], n = box.extent(a);
      lo[at] = a == cut ? first + n * part / parts_ : first;
      hi[at] = a == cut ? first + n * (part + 1) / parts_ : first + n;
      if (lo[at] >= hi[at]) return;
    }
    sweep_.each_image(box.dims - 1, lo, hi, arrays_,
                      [&](const Place& from, const Place& to, const std::vector<tsk_array>& arrays) {
                        const tsk_cells some{from.data(), to.data(), arrays.data(), sweep_.given_, reduced};
                        sweep_.cells_(&some);
                      });
  }

  const LiftedSweep& sweep_;
  const Box origin_;
  std::vector<Box> boxes_;
  int parts_;
  std::vector<tsk_array> arrays_;
  std::vector<std::vector<Number>> reduced_; // by part
};

LiftedSweep::LiftedSweep(const tsk_nest& nest, const Box& region, const std::vector<LiftedField>& fields,
                         void* const* given)
    : SweepCore(nest.where, fields.front().core->grid_ptr(), region, accesses_of(nest, fields)),
      cells_(nest.cells),
      gpu_(nest.gpu),
      reduced_(nest.reduced, nest.reduced + nest.reductions),
      fields_(listed(nest, fields)),
      given_(given) {
  for (const Access& access : accesses())
    if (access.kind != Access::Kind::write)
      read_bytes_ += static_cast<long>(access.field->element_bytes()) * access.field->components();
}

void LiftedSweep::each_image(int axis, const Place& lo, const Place& hi, const std::vector<tsk_array>& arrays,
                             const Cells& done) const {
  for (; axis >= 0; --axis) {
    const auto at = static_cast<std::size_t>(grid().dims() - 1 - axis);
    const long n = grid().extents()[axis];
    if (lo[at] >= 0 && hi[at] <= n) continue;
    for (long first = lo[at] < 0 ? -n : 0; first < hi[at]; first += n) {
      Place from = lo, to = hi;
      from[at] = std::max(lo[at] - first, 0L);
      to[at] = std::min(hi[at] - first, n);
      if (from[at] >= to[at]) continue;
      std::vector<tsk_array> moved = arrays;
      for (std::size_t k = 0; k < moved.size(); ++k)
        moved[k].at += moved[k].size * first * moved[k].step[fields_[k].dimension(axis)];
      each_image(axis - 1, from, to, moved, done);
    }
    return;
  }
  done(lo, hi, arrays);
}

std::vector<tsk_array> LiftedSweep::arrays() const {
  std::vector<tsk_array> faces;
  for (const LiftedField& field : fields_) faces.push_back(field.face());
  return faces;
}

void LiftedSweep::launch_kernels(Stream& stream, const std::vector<Box>& boxes) const {
  const Box origin = grid().owned();
  const tsk_launch launch{name().c_str(), TSK_ACC_NOW, stream.handle(), nullptr};
  const std::vector<tsk_array> fields = arrays();
  for (const Box& box : boxes) {
    if (box.empty()) continue;
    Place lo{}, hi{};
    for (int a = 0; a < box.dims; ++a) {
      const auto at = static_cast<std::size_t>(box.dims - 1 - a);
      lo[at] = box.lo[a] + origin.lo[a];
      hi[at] = box.hi[a] + origin.lo[a];
    }
    each_image(box.dims - 1, lo, hi, fields,
               [&](const Place& from, const Place& to, const std::vector<tsk_array>& moved) {
                 const tsk_cells some{from.data(), to.data(), moved.data(), given_, nullptr};
                 if (const char* wrong = gpu_(&some, &launch))
                   throw Error("the kernel of " + name() + " failed: " + wrong, "report it");
               });
  }
}

std::vector<LiftedSweep::Number> LiftedSweep::starts() const {
  std::vector<Number> list(reduced_.size());
  for (std::size_t n = 0; n < list.size(); ++n)
    std::memcpy(list[n].data(), given_[reduced_[n].start],
                static_cast<std::size_t>(size_of(reduced_[n].type)));
  return list;
}

long LiftedSweep::work(const std::vector<Box>& boxes) const {
  long cells = 0;
  for (const Box& box : boxes) cells += box.cells();
  return cells * std::max(1L, read_bytes_ / 64);
}

void LiftedSweep::launch(Stream& stream, const std::vector<Box>& boxes, bool first) const {
  if (grid().device().cuda()) return launch_kernels(stream, boxes);
  Task task(*this, boxes, detail::parts_to_wake(work(boxes)));
  detail::on_threads(task.parts(), [&](int part) { task.part(part, task.parts()); });
  if (first) results_ = starts();
  task.join();
}

std::unique_ptr<HostTask> LiftedSweep::host_task(const std::vector<Box>& boxes) const {
  return std::make_unique<Task>(*this, boxes, detail::parts_to_share(work(boxes)));
}

TiledLimits LiftedSweep::tiled_limits(TiledKind) const {
  return {.reason = "sweep '" + name() + "' is a loop of C, of which a kernel does one step"};
}

} // namespace tasuki::xmp
