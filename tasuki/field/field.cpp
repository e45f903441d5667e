#include <tasuki/base/agree.hpp>
#include <tasuki/base/digest.hpp>
#include <tasuki/base/gather.hpp>
#include <tasuki/field/field.hpp>

#include <fmt/format.h>

#include <cstring>

namespace tasuki {

// A field's device memory. Swapped fields exchange their memories; the number of a memory is the same on all ranks.
struct FieldCore::Memory {
  Memory(const FieldCore& field, int number, const MemorySource& source)
      : world(field.grid().world()),
        id(number),
        lent(source.lend({field.grid().device(), field.name(), field.storage().bytes(field.grid().layout()),
                          number, field.grid_ptr(), field.storage()})) {}
  // Ranks free shared memory collectively. A rank that makes another collective call instead gets an Error.
  ~Memory() {
    if (!unwinding()) agree(world, "drops a field", {});
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  World& world;
  int id;
  std::unique_ptr<FieldMemory> lent;
};

namespace {

// Numbers memories in the order in which they are made, which is the same on all ranks.
struct MemoryCounter {
  explicit MemoryCounter(World&) {}
  int next = 0;
};

Combine combine_of(ValueType type, int sign) {
  switch (type) {
    case ValueType::f32: return sign > 0 ? Combine::add_f32 : Combine::subtract_f32;
    case ValueType::f64: return sign > 0 ? Combine::add_f64 : Combine::subtract_f64;
    case ValueType::i16: return sign > 0 ? Combine::add_i16 : Combine::subtract_i16;
    default: return Combine::none;
  }
}

// Compares the field's properties on all ranks before they allocate its memory together.
void expect_alike(const FieldCore& field, const MemorySource& source) {
  static const char* const kNames[] = {"float", "double", "complex<float>", "complex<double>",
                                       "int16", "int32",  "int64",          "struct"};
  const GridCore& grid = field.grid();
  std::string extents;
  for (int a = 0; a < grid.dims(); ++a) extents += (a ? "x" : "") + std::to_string(grid.extents()[a]);
  Digest codec;
  if (field.codec())
    for (const auto& axis : field.codec()->terms)
      for (const auto& side : axis) {
        codec.add(side.size());
        for (const WireTerm& term : side) codec.bytes(&term, sizeof term);
      }
  agree(grid.world(), "makes a field",
        {{"name", field.name()},
         {"values", fmt::format("{}[{}] of {} bytes", kNames[static_cast<int>(field.type())],
                                field.components(), field.element_bytes())},
         {"grid", extents},
         {"memory", source.name},
         {"codec", field.codec() ? fmt::format("{:x}", codec.value()) : ""}});
}

bool alike(const Codec* a, const Codec* b) { return a == b || (a && b && *a == *b); }

void check_codec(const FieldCore& field) {
  const auto in = [&](int k) { return k >= 0 && k < field.components(); };
  for (const auto& sides : field.codec()->terms)
    for (const auto& terms : sides)
      for (const WireTerm& term : terms) {
        if (!in(term.to) || !in(term.from) || (term.sign != 0 && !in(term.with)))
          throw Error("the codec of field '" + field.name() + "' names a component that the field has not",
                      "use components from 0 to " + std::to_string(field.components() - 1));
        if (term.sign != 0 && combine_of(field.type(), term.sign) == Combine::none)
          throw Error("the codec of field '" + field.name() + "' adds values that cannot be added",
                      "use float, double or 16-bit integers");
      }
}

// With --halo direct a halo is the neighbour's own cells, as they are.
void check_bands(const FieldCore& field, const MemorySource& source) {
  const std::string what = "--halo direct cannot do field '" + field.name() + "': ";
  if (field.codec()) throw Error(what + "its codec makes a halo of other numbers", "leave --halo direct out");
  if (!source.bands)
    throw Error(what + "its memory is " + source.name + ", where the bands of ranks do not lie side by side",
                "let it have memory of its own, or leave --halo direct out");
}

} // namespace

FieldCore::FieldCore(std::shared_ptr<GridCore> grid, std::string name, ValueType type,
                     std::size_t element_bytes, int components, std::shared_ptr<const Codec> codec,
                     const MemorySource& source)
    : grid_(std::move(grid)),
      name_(std::move(name)),
      type_(type),
      element_bytes_(element_bytes),
      components_(components),
      codec_(std::move(codec)),
      validity_(grid_->all()) {
  if (codec_) check_codec(*this);
  if (grid_->bands().any()) check_bands(*this, source);
  expect_alike(*this, source);
  memory_ = std::make_shared<Memory>(*this, grid_->world().part<MemoryCounter>().next++, source);
}

char* FieldCore::origin() const {
  return memory_->lent->data() + static_cast<std::size_t>(storage().lead(grid_->layout())) * element_bytes_;
}

char* FieldCore::origin_of(int rank) const {
  char* start = memory_->lent->peer(grid_->world().node_rank_of(rank));
  return start + static_cast<std::size_t>(storage().lead(grid_->layout_of(rank))) * element_bytes_;
}

char* FieldCore::anywhere(int rank) const {
  char* start = memory_->lent->anywhere(rank);
  return start + static_cast<std::size_t>(storage().lead(grid_->layout_of(rank))) * element_bytes_;
}

CommonMemory* FieldCore::common() const { return memory_->lent->common(); }

bool FieldCore::reached() const { return memory_->lent->reached(); }

bool FieldCore::outside() const { return memory_->lent->outside(); }

long FieldCore::component_stride(const Layout& layout) const {
  const long own = memory_->lent->component_stride();
  return own ? own : storage().component_stride(layout);
}

int FieldCore::memory_id() const { return memory_->id; }

void FieldCore::swap(FieldCore& other) {
  if (grid_ != other.grid_ || type_ != other.type_ || element_bytes_ != other.element_bytes_ ||
      components_ != other.components_ || !alike(codec_.get(), other.codec_.get()))
    throw Error("fields '" + name_ + "' and '" + other.name_ +
                    "' cannot be swapped: they differ in grid, value or codec",
                "swap fields of one grid, one value type and one codec");
  std::swap(memory_, other.memory_);
  std::swap(validity_, other.validity_);
}

Strided FieldCore::strided(char* origin, const Layout& layout, const Box& local, const WireTerm& term) const {
  Strided s = storage().strided(origin, layout, local, term.from);
  if (term.sign == 0) return s;
  s.combine = combine_of(type_, term.sign);
  s.with = (term.with - term.from) * storage().component_stride(layout) * static_cast<long>(element_bytes_);
  return s;
}

namespace {

// Every component's owned cells, strided in the field, dense at `dense`.
template <class Visit>
void for_components(const FieldCore& field, char* dense, const Visit& visit) {
  Box local = box_of(field.grid().dims(), field.grid().layout().extents);
  for (int k = 0; k < field.components(); ++k) {
    const Strided inside = field.strided(field.origin(), field.grid().layout(), local, k);
    visit(inside, packed(inside, dense + k * inside.bytes()));
  }
}

} // namespace

void FieldCore::read(void* to) const {
  Device& device = grid_->device();
  const std::size_t bytes = static_cast<std::size_t>(grid_->owned().cells()) * components_ * element_bytes_;
  Buffer staging(device, bytes, outside() ? tasuki::Memory::pinned : tasuki::Memory::device);
  std::vector<CopyPair> pairs;
  for_components(*this, staging.data(), [&](const Strided& inside, const Strided& dense) {
    pairs.push_back({inside, dense});
  });
  CopyPlan(device, std::move(pairs)).enqueue(device.stream());
  device.stream().synchronize();
  copy_to_host(device, to, staging.data(), bytes);
}

void FieldCore::write(const void* from) {
  Device& device = grid_->device();
  const std::size_t bytes = static_cast<std::size_t>(grid_->owned().cells()) * components_ * element_bytes_;
  Buffer staging(device, bytes, outside() ? tasuki::Memory::pinned : tasuki::Memory::device);
  copy_to_device(device, staging.data(), from, bytes);
  std::vector<CopyPair> pairs;
  for_components(*this, staging.data(), [&](const Strided& inside, const Strided& dense) {
    pairs.push_back({dense, inside});
  });
  CopyPlan(device, std::move(pairs)).enqueue(device.stream());
  device.stream().synchronize();
  validity_.touched();
}

namespace detail {

FieldLayout layout_of(const Storage& storage, const Layout& layout) {
  FieldLayout told;
  told.bytes = storage.bytes(layout);
  told.alignment = kFieldAlignment;
  told.origin = storage.lead(layout);
  told.extents = layout.extents;
  for (int a = 0; a < layout.dims; ++a) told.stride[a] = storage.stride(layout, a);
  told.component_stride = storage.component_stride(layout);
  return told;
}

void gather(const FieldCore& field, const void* block, void* whole) {
  const GridCore& grid = field.grid();
  World& world = grid.world();
  agree(world, "gathers a field", {{"name", field.name()}});
  const std::size_t e = field.element_bytes();
  const int dims = grid.dims();
  const auto place = [&](int rank, const char* from) {
    const Box b = grid.cut().block(rank);
    const std::size_t row = static_cast<std::size_t>(b.extent(0)) * e;
    for (int k = 0; k < field.components(); ++k)
      for (Index at = b.lo;;) {
        std::size_t cell = static_cast<std::size_t>(k);
        for (int a = dims - 1; a >= 0; --a) cell = cell * grid.extents()[a] + at[a];
        std::memcpy(static_cast<char*>(whole) + cell * e, from, row);
        from += row;
        int a = 1;
        while (a < dims && ++at[a] == b.hi[a]) {
          at[a] = b.lo[a];
          ++a;
        }
        if (a >= dims) break;
      }
  };
  const std::size_t mine = static_cast<std::size_t>(grid.owned().cells()) * field.components() * e;
  gather_in_turn(world, block, mine,
                 [&](int rank, const std::vector<char>& bytes) { place(rank, bytes.data()); });
}

} // namespace detail
} // namespace tasuki
