#include <tasuki/run/windows.hpp>

#include <tasuki/base/executors.hpp>
#include <tasuki/device/engine.hpp>
#include <tasuki/device/memory.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tasuki {
namespace {

constexpr long kAligned = 256; // bytes: cells of a window have the same alignment as in the memory
constexpr long kPad = 256;     // bytes before and after a run
// Rows shorter than this (in bytes) are copied whole by a copy engine as fast as their ends alone.
constexpr long kLongRow = 4096;

long round_up(long n, long to) { return (n + to - 1) / to * to; }

class WindowMemory final : public FieldMemory {
public:
  char* start = nullptr; // address as if all planes were present
  long stride = 0;
  char* data() const override { return start; }
  bool reached() const override { return false; }
  char* peer(int) const override {
    throw Error("a window of a field was to be stored into by another rank", "exchange the field's halo");
  }
  long component_stride() const override { return stride; }
};

MemorySource window_memory(WindowMemory*& made) {
  return {"a window", [&made](const MemoryWish&) {
            auto window = std::make_unique<WindowMemory>();
            made = window.get();
            return window;
          }};
}

} // namespace

// The layout of a field's planes in its memory and in a window: `runs` separate runs, one per component.
struct Windows::Place {
  std::shared_ptr<FieldCore> field; // that holds its window while a pass is open
  std::shared_ptr<FieldCore> other; // the memory that the field holds outside a pass
  WindowMemory* window = nullptr;
  long element = 0, bytes = 0; // bytes of an element, and of a plane's run
  long first = 0;              // bytes from the first owned cell to the run of plane 0
  long lead = 0;               // bytes from the memory's start to that cell
  long runs = 1, apart = 0;    // bytes between runs
  long row = 0;                // bytes of a row along x
  bool planes = false;         // each component has its own planes

  // During a pass:
  Pass::Memory used;
  std::size_t offset = 0; // in each buffer
  long window_apart = 0;  // bytes

  long elements_for(long planes_there) const { // of a run in a window
    return round_up((2 * kPad + kAligned + planes_there * bytes + element - 1) / element, 64);
  }
  std::size_t bytes_for(long planes_there) const {
    return static_cast<std::size_t>(round_up(runs * elements_for(planes_there) * element, kAligned));
  }
  long offset_of(long plane) const { return lead + first + plane * bytes; } // in the memory
  char* of_host(long plane, long run) const { return other->origin() + first + plane * bytes + run * apart; }
};

Windows::Windows(Device& device, const Pass::Fields& fields)
    : device_(device),
      room_(device.part<Room>()),
      capacity_(capacity_of(device, room_)),
      bring_(device.kind(), false),
      take_(device.kind(), false),
      begun_(device.kind()) {
  if (device.cuda() && device.world().size() > 1)
    for (Stream* stream : {&bring_, &take_}) stream->watch(device.world());
  for (std::size_t k = 0; k < kWindows; ++k)
    for (auto* events : {&brought_, &kept_, &computed_, &taken_}) events->emplace_back(device.kind());
  // Swapped fields exchange memories, so any of them may hold a memory outside the device at some time.
  if (std::none_of(fields.begin(), fields.end(), [](const auto& field) { return field->outside(); })) return;
  for (const auto& field : fields) {
    Place& place = places_.emplace_back();
    const Layout& layout = field->grid().layout();
    const Storage storage = field->storage();
    const int axis = layout.dims - 1;
    place.field = field;
    place.other = std::make_shared<FieldCore>(
        field->grid_ptr(), field->name() + "'s window", field->type(), field->element_bytes(),
        field->components(), field->codec() ? std::make_shared<const Codec>(*field->codec()) : nullptr,
        window_memory(place.window));
    place.element = storage.element_bytes;
    place.bytes = storage.stride(layout, axis) * place.element;
    for (int a = 0; a < axis; ++a)
      place.first -= layout.halo[a].lo * storage.stride(layout, a) * place.element;
    place.lead = storage.lead(layout) * place.element;
    place.row = layout.row() * place.element;
    place.planes = !lies_by_rows(storage.components) || layout.dims == 1;
    place.runs = place.planes ? storage.components : 1;
    place.apart = storage.component_stride(layout) * place.element;
  }
}

Windows::~Windows() {
  if (unwinding()) return;
  try {
    for (Stream* stream : {&bring_, &take_}) stream->synchronize();
  } catch (const Error&) { // the device has failed; the next use of it reports the error
  }
}

// Exchanges and sums also need buffers, which --device-memory does not include.
std::size_t Windows::capacity_of(const Device& device, const Room& room) {
  if (!room.limited()) return std::numeric_limits<std::size_t>::max() / kWindows;
  const World& world = device.world();
  if (world.settings().device_memory > 0) return room.free() / kWindows;
  const std::size_t sharers =
      world.settings().share_devices ? static_cast<std::size_t>(world.host_size()) : 1;
  return room.free() / sharers / 8 * 7 / kWindows;
}

std::size_t Windows::bytes_for(const Pass& pass, long planes) const {
  std::size_t bytes = 0;
  for (std::size_t k = 0; k < places_.size(); ++k)
    if (places_[k].field->outside() && pass.memories()[k].used.touched())
      bytes += places_[k].bytes_for(planes);
  return bytes;
}

long Windows::height(const Pass& pass) const {
  const Skew& skew = pass.skew();
  const long all = pass.hi() - pass.lo(), most = all + skew.most_lag();
  if (bytes_for(pass, all) <= capacity_) return std::max(most, 1L);
  long fits = 0; // planes per window
  for (long step = all; step > 0; step /= 2)
    while (bytes_for(pass, fits + step) <= capacity_) fits += step;
  if (bytes_for(pass, fits) > capacity_) return 0;
  return fits - skew.below() - skew.above();
}

bool Windows::suits(const Pass& pass) const {
  const Skew& skew = pass.skew();
  return height(pass) >= std::min(skew.below() + skew.above(), pass.hi() - pass.lo() + skew.most_lag());
}

void Windows::check(const Pass& pass, const std::string& sweep) const {
  if (height(pass) >= 1) return;
  const std::size_t need = kWindows * bytes_for(pass, 1 + pass.skew().below() + pass.skew().above());
  const bool all_outside = device_.world().settings().executor != kAutoExecutor;
  throw Error(
      "the device has " + bytes_text(kWindows * capacity_) + " left for windows, and sweep '" + sweep +
          "' needs " + bytes_text(need) + " for one plane at a time",
      all_outside
          ? "give --device-memory more, or cut the grid along other axes (--ranks)"
          : "take --executor streamed, which leaves no field on the device, or give --device-memory more");
}

void Windows::reserve(std::size_t windows, std::size_t bytes) {
  for (std::size_t k = 0; k < windows; ++k) {
    if (buffers_[k].bytes() >= bytes) continue;
    for (Stream* stream : {&bring_, &take_, &device_.stream()}) stream->synchronize();
    buffers_[k] = Buffer();
    shares_[k] = Room::Share();
    buffers_[k] = Buffer(device_, bytes);
    shares_[k] = Room::Share(room_, bytes);
  }
}

void Windows::open(const Pass& pass, const std::vector<Slab>& slabs) {
  long planes = 0;
  for (const Slab& slab : slabs) planes = std::max(planes, slab.top - slab.bottom);
  reserve(std::min(kWindows, slabs.size()), bytes_for(pass, planes));
  slab_ = 0;
  std::size_t offset = 0;
  for (std::size_t k = 0; k < places_.size(); ++k) {
    Place& place = places_[k];
    if (!place.field->outside() || !pass.memories()[k].used.touched()) continue;
    place.used = pass.memories()[k];
    place.offset = offset;
    offset += place.bytes_for(planes);
    place.window_apart = place.elements_for(planes) * place.element;
    place.window->stride = place.planes ? place.elements_for(planes) : 0;
    place.field->swap(*place.other);
    open_.push_back(&place);
  }
  begun_.record(device_.stream());
  bring_.wait(begun_);
}

char* Windows::at(const Place& place, std::size_t window, long bottom, long plane, long run) const {
  return buffers_[window].data() + place.offset + kPad + place.offset_of(bottom) % kAligned +
         (plane - bottom) * place.bytes + run * place.window_apart;
}

// Copies whole planes; of a memory that a sweep writes before reading, only the surroundings of the written cells.
void Windows::add_brought(const Place& place, std::size_t here, const Slab& slab,
                          std::vector<CopyPair>& list) const {
  const Pass::Planes& used = place.used.used;
  const long from = std::max(slab.kept, used.lo), to = std::min(slab.top, used.hi);
  if (from >= to) return;
  const Layout& layout = place.field->grid().layout();
  const int axis = layout.dims - 1;
  if (place.used.fresh.empty() || (device_.cuda() && place.row < kLongRow)) {
    for (long run = 0; run < place.runs; ++run)
      list.push_back({{.base = place.of_host(from, run), .run = (to - from) * place.bytes},
                      {.base = at(place, here, slab.bottom, from, run), .run = (to - from) * place.bytes}});
    return;
  }
  Box planes = grow(box_of(layout.dims, layout.extents), layout.halo);
  planes.lo[axis] = from;
  planes.hi[axis] = to;
  for (const Box& box : without(planes, place.used.fresh))
    for (int k = 0; k < place.field->components(); ++k) {
      const long apart = place.planes ? k * (place.window_apart - place.apart) : 0;
      list.push_back({place.field->strided(place.other->origin(), layout, box, k),
                      place.field->strided(place.field->origin() + apart, layout, box, k)});
    }
}

void Windows::enter(const Slab& slab) {
  const auto here = static_cast<std::size_t>(slab_) % kWindows, before = (here + 2) % kWindows;
  std::vector<CopyPair> brought, kept;
  for (Place* place : open_) {
    place->window->start = reinterpret_cast<char*>(
        reinterpret_cast<std::uintptr_t>(buffers_[here].data() + place->offset + kPad) -
        static_cast<std::uintptr_t>(place->offset_of(slab.bottom) / kAligned * kAligned));
    const Pass::Planes& used = place->used.used;
    const long bottom = std::max(slab.bottom, used.lo), keep = std::min(slab.kept, used.hi);
    for (long run = 0; run < place->runs && bottom < keep; ++run) {
      const long bytes = (keep - bottom) * place->bytes;
      kept.push_back({{.base = at(*place, before, bottom_, bottom, run), .run = bytes},
                      {.base = at(*place, here, slab.bottom, bottom, run), .run = bytes}});
    }
    add_brought(*place, here, slab, brought);
  }
  for (const CopyPair& pair : brought) use_.brought += pair.from.bytes();
  bring_.wait(taken_[here]);
  bring_.wait(kept_[(here + 1) % kWindows]); // two slabs ago, planes were copied from this window
  EngineCopies(device_, std::move(brought)).enqueue(bring_);
  brought_[here].record(bring_);
  Stream& compute = device_.stream();
  compute.wait(brought_[here]);
  EngineCopies(device_, std::move(kept)).enqueue(compute);
  kept_[here].record(compute);
  bottom_ = slab.bottom;
}

void Windows::leave(const Slab& slab) {
  const auto here = static_cast<std::size_t>(slab_++) % kWindows;
  std::vector<CopyPair> taken;
  for (const Place* place : open_) {
    const Pass::Planes& written = place->used.written;
    const long from = std::max(slab.done, written.lo), to = std::min(slab.done_to, written.hi);
    if (from >= to || place->used.dead) continue;
    for (long run = 0; run < place->runs; ++run) {
      Strided mine{.base = at(*place, here, slab.bottom, from, run), .run = (to - from) * place->bytes};
      Strided there{.base = place->of_host(from, run), .run = mine.run};
      taken.push_back({mine, there});
      use_.taken += mine.run;
    }
  }
  computed_[here].record(device_.stream());
  take_.wait(computed_[here]);
  EngineCopies(device_, std::move(taken)).enqueue(take_);
  taken_[here].record(take_);
}

void Windows::close() {
  if (slab_ > 0) device_.stream().wait(taken_[static_cast<std::size_t>(slab_ - 1) % kWindows]);
  for (Place* place : open_) place->field->swap(*place->other);
  open_.clear();
}

} // namespace tasuki
