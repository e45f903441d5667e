// reflect, reduce_shadow, gmove, and the waits for asynchronous ones.
#include "checking.hpp"
#include "copies.hpp"
#include "objects.hpp"
#include "plans.hpp"
#include "present.hpp"
#include "sent.hpp"
#include "track.hpp"

#include <tasuki/array/redistribution.hpp>
#include <tasuki/array/shadow_sum.hpp>

#include "numbers.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace tasuki::xmp {
namespace {

bool executes(const Array& array) { return array.node() >= 0; }

} // namespace

void take_device(ArrayObject& object) {
  RunTime& run_time = RunTime::now();
  Array& array = *object.array;
  if (!run_time.apart()) return;
  if (object.face->bytes == 0) { // no elements here; the memory lives as long as the array, as on all ranks
    const Present::Entry* own = run_time.part<Present>().find(object.face, 0, object.name);
    array.on_device(own && own->memory
                        ? own->memory
                        : std::make_shared<ArrayMemory>(run_time.accelerator(), object.face->start));
    return;
  }
  Present::Entry* const entry =
      run_time.part<Present>().find(object.face->start, object.face->bytes, object.name);
  if (!entry)
    throw Error("'" + object.name + "' is not present on the device",
                "bring it over by a data clause before");
  if (entry->memory && entry->host == object.face->start)
    array.on_device(entry->memory);
  else
    array.on_device(std::make_shared<ArrayMemory>(run_time.accelerator(),
                                                  entry->device + (object.face->start - entry->host)));
}

namespace {

long memory_number(ArrayObject& object, Side side) {
  RunTime& run_time = RunTime::now();
  if (side == Side::host || !run_time.apart()) return 0;
  // Where there are no elements it is another one, too, whenever it is on the other ranks: all look for a plan with one result.
  const void* const at = object.face->bytes > 0 ? object.face->start : static_cast<void*>(object.face);
  const Present::Entry* entry = run_time.part<Present>().find(at, object.face->bytes, object.name);
  return entry ? static_cast<long>(entry->number) : 0;
}

std::vector<Side> sides_of(int sides) {
  std::vector<Side> list;
  if (sides & TSK_HOST || !(sides & TSK_DEVICE)) list.push_back(Side::host);
  if (sides & TSK_DEVICE) list.push_back(Side::device);
  if (!RunTime::now().apart()) list = {Side::host}; // host and device memory are the same
  return list;
}

std::vector<Reflected> reflected(int arrays, tsk_array* const* array, const tsk_width* width, int orthogonal,
                                 Side side) {
  std::vector<Reflected> list;
  for (int k = 0; k < arrays; ++k) {
    ArrayObject& object = array_of(array[k]);
    if (!object.array->shadowed() && !object.has_shadow)
      throw Error("array '" + object.name + "' has no shadow", "give it one by shadow, or leave it out");
    if (side == Side::device && executes(*object.array)) take_device(object);
    Reflected one{object.array.get(), {}, orthogonal == 0};
    for (int d = 0; d < object.array->dims(); ++d)
      one.widths.push_back(width ? ShadowWidth{width[d].lo, width[d].hi, width[d].periodic != 0}
                                 : ShadowWidth{});
    list.push_back(std::move(one));
  }
  return list;
}

Reflect& plan_of(const std::vector<Reflected>& list, tsk_array* const* array, Side side) {
  PlanKey key{static_cast<long>(side)};
  std::set<std::uint64_t> numbers;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const auto number = list[k].array->number();
    numbers.insert(number);
    key.insert(key.end(),
               {static_cast<long>(number), memory_number(array_of(array[k]), side), list[k].corners});
    for (const ShadowWidth& width : list[k].widths)
      key.insert(key.end(), {width.lo, width.hi, width.periodic});
  }
  return RunTime::now().part<Plans>().of(key, numbers, [&] { return std::make_unique<Reflect>(list, side); });
}

// The arguments of reflect_init, by the descriptors of its arrays.
class Initiated {
public:
  explicit Initiated(World&) {}
  // The plan that reflect_do has taken last, by side: looked up anew only where the arrays have other memory since.
  struct Taken {
    Reflect* plan = nullptr;
    long forgotten = 0;
    std::vector<long> memories;
  };
  struct How {
    std::vector<std::vector<tsk_width>> widths;
    int orthogonal = 0;
    std::array<Taken, 2> taken{};
    const tsk_width* width() const { return widths.empty() ? nullptr : widths[0].data(); }
  };
  How& of(int arrays, tsk_array* const* array) { return how_[Arrays(array, array + arrays)]; }
  // Null: reflect_init has not named these.
  How* find(int arrays, tsk_array* const* array) {
    if (last_ != how_.end() && std::equal(last_->first.begin(), last_->first.end(), array, array + arrays))
      return &last_->second;
    last_ = how_.find(Arrays(array, array + arrays));
    return last_ == how_.end() ? nullptr : &last_->second;
  }

private:
  using Arrays = std::vector<const void*>;
  using ByArrays = std::map<Arrays, How>;
  ByArrays how_;
  ByArrays::iterator last_ = how_.end();
};

// For --check: finds reads of shadow cells that this reflect should have filled before.
void look(const std::vector<Reflected>& list, tsk_array* const* array) {
  for (std::size_t k = 0; k < list.size(); ++k)
    if (const auto& track = array_of(array[k]).track) {
      track->look(list[k].widths);
      track->filled(list[k].widths, list[k].corners);
    }
}

void come_together(const char* where, const char* directive, int arrays, tsk_array* const* array) {
  if (arrays == 0 || !RunTime::now().checking().on) return;
  const Array& first = *array_of(array[0]).array;
  tasuki::xmp::come_together(
      where, directive,
      executes(first) ? std::optional<Ranks>(ranks_of(first.world(), first.nodes())) : std::nullopt);
}

// For --check: a gmove writes the elements of its left side.
void note_written(const tsk_section& to) {
  ArrayObject& object = array_of(to.array);
  if (!object.track || !executes(*object.array)) return;
  std::vector<long> index(static_cast<std::size_t>(to.dims));
  const auto walk = [&](const auto& self, int d) -> void {
    if (d == to.dims) return object.track->wrote(index);
    for (long k = 0; k < to.slice[d].count; ++k) {
      index[static_cast<std::size_t>(d)] = to.slice[d].first + k * to.slice[d].step;
      self(self, d + 1);
    }
  };
  walk(walk, 0);
}

// For --log info: what a reflect sends.
void note_sent(const char* where, int arrays, tsk_array* const* array, const Reflect& plan) {
  Sent& sent = RunTime::now().part<Sent>();
  if (!sent.on()) return;
  std::string names;
  for (int k = 0; k < arrays; ++k) names += (k ? ", " : "") + array_of(array[k]).name;
  sent.add(where, names, plan);
}

void reflect(const char* where, int arrays, tsk_array* const* array, const tsk_width* width, int orthogonal,
             int sides, long async, bool only_prepare) {
  Plans& plans = RunTime::now().part<Plans>();
  bool looked = only_prepare; // checked once for both memories, host and device
  for (const Side side : sides_of(sides)) {
    const std::vector<Reflected> list = reflected(arrays, array, width, orthogonal, side);
    Reflect& plan = plan_of(list, array, side);
    if (!std::exchange(looked, true)) look(list, array);
    if (only_prepare) continue;
    note_sent(where, arrays, array, plan);
    if (async != TSK_NOW)
      plans.begin(plan, async);
    else
      plan.whole();
  }
}

// What reflect_init has prepared, again.
void reflect_again(const char* where, Initiated::How& how, int arrays, tsk_array* const* array, Side side) {
  Plans& plans = RunTime::now().part<Plans>();
  Initiated::Taken& taken = how.taken[side == Side::device];
  bool same = taken.plan && taken.forgotten == plans.forgotten();
  for (int k = 0; same && k < arrays; ++k)
    same = taken.memories[static_cast<std::size_t>(k)] == memory_number(array_of(array[k]), side);
  if (!same) {
    taken.plan = &plan_of(reflected(arrays, array, how.width(), how.orthogonal, side), array, side);
    taken.forgotten = plans.forgotten();
    taken.memories.clear();
    for (int k = 0; k < arrays; ++k) taken.memories.push_back(memory_number(array_of(array[k]), side));
  }
  plans.settle(taken.plan);
  note_sent(where, arrays, array, *taken.plan);
  taken.plan->whole();
}

std::vector<Slice> slices_of(const tsk_section& given, int dims) {
  if (given.dims != dims)
    throw Error("a section has " + std::to_string(given.dims) + " subscripts for " + std::to_string(dims) +
                    " dimensions",
                "give each dimension one");
  std::vector<Slice> slices;
  for (int d = 0; d < dims; ++d) {
    const tsk_slice& s = given.slice[d];
    slices.push_back({{s.first, s.count, s.step ? s.step : 1}, s.index != 0});
  }
  return slices;
}

// The first rank that holds some of an array and does not execute; nothing if all do.
std::optional<int> absent_of(const ArrayObject& object, const Ranks& executing) {
  for (const int rank : object.array->nodes().members())
    if (!executing.place_of(rank)) return rank;
  return std::nullopt;
}

Section section_of(const tsk_section& given, Side side) {
  RunTime& run_time = RunTime::now();
  if (given.array) {
    ArrayObject& object = array_of(given.array);
    if (side == Side::device && executes(*object.array)) take_device(object);
    return section(*object.array, slices_of(given, object.array->dims()), side);
  }
  void* memory = given.at;
  Device& device = side == Side::device ? run_time.accelerator() : run_time.host();
  if (side == Side::device && run_time.apart()) {
    Present::Entry* entry = run_time.part<Present>().find(memory, given.size, "what a gmove names");
    if (!entry)
      throw Error("what a gmove names is not present on the device", "bring it over by a data clause before");
    memory = entry->device + (static_cast<char*>(memory) - entry->host);
  }
  std::vector<long> extents(given.extents, given.extents + given.dims);
  std::vector<Slice> slices = slices_of(given, given.dims);
  if (given.dims == 0) { // a scalar
    extents = {1};
    slices = {{{0, 1, 1}, true}};
  }
  return section(device, memory, given.size, std::move(extents), std::move(slices));
}

void add_section(PlanKey& key, const tsk_section& given, Side side) {
  ArrayObject& object = array_of(given.array);
  key.insert(key.end(), {static_cast<long>(object.array->number()), memory_number(object, side), given.dims});
  for (int d = 0; d < given.dims; ++d) {
    const tsk_slice& s = given.slice[d];
    key.insert(key.end(), {s.first, s.count, s.step, s.index});
  }
}

// Between arrays over all ranks it is set up once.
void assign_again(const tsk_section& to, const tsk_section& from, Side side, const Ranks& executing) {
  const Section left = section_of(to, side), right = section_of(from, side);
  const bool all = left.array && right.array && left.array->everywhere() && right.array->everywhere();
  if (!all) return assign(left, right, executing);
  PlanKey key{static_cast<long>(side)};
  add_section(key, to, side);
  add_section(key, from, side);
  RunTime::now().part<Assignments>().whole(key, {left.array->number(), right.array->number()}, [&] {
    return std::make_unique<Redistribution>(left, right, executing);
  });
}

} // namespace
} // namespace tasuki::xmp

using namespace tasuki;
using namespace tasuki::xmp;

extern "C" {

void tsk_reflect(const char* where, int arrays, tsk_array* const* array, const tsk_width* width,
                 int orthogonal, int sides, long async) {
  at(where, [&] {
    come_together(where, "reflect", arrays, array);
    reflect(where, arrays, array, width, orthogonal, sides, async, false);
  });
}

void tsk_reflect_init(const char* where, int arrays, tsk_array* const* array, const tsk_width* width,
                      int orthogonal, int sides) {
  at(where, [&] {
    auto& how = RunTime::now().part<Initiated>().of(arrays, array);
    how = {};
    how.orthogonal = orthogonal;
    if (width && arrays > 0) how.widths.push_back(std::vector<tsk_width>(width, width + array[0]->dims));
    reflect(where, arrays, array, width, orthogonal, sides, TSK_NOW, true);
  });
}

void tsk_reflect_do(const char* where, int arrays, tsk_array* const* array, int sides) {
  at(where, [&] {
    come_together(where, "reflect_do", arrays, array);
    Initiated::How* const how = RunTime::now().part<Initiated>().find(arrays, array);
    if (!how)
      throw Error("reflect_do of arrays that no reflect_init has named",
                  "write reflect_init with the same list before");
    if (RunTime::now().checking().on)
      return reflect(where, arrays, array, how->width(), how->orthogonal, sides, TSK_NOW, false);
    for (const Side side : sides_of(sides)) reflect_again(where, *how, arrays, array, side);
  });
}

void tsk_reduce_shadow(const char* where, int arrays, tsk_array* const* array, const int* type,
                       const tsk_width* width, int orthogonal, int sides, long) {
  at(where, [&] {
    come_together(where, "reduce_shadow", arrays, array);
    if (RunTime::now().exact_sums() && !std::all_of(type, type + arrays, is_whole))
      throw Error("--deterministic: the last bits of this reduce_shadow depend on the number of ranks",
                  "let each element read what its neighbours add, or start it without the option");
    for (const Side side : sides_of(sides)) { // an asynchronous one may complete early
      const auto list = reflected(arrays, array, width, orthogonal, side);
      for (int k = 0; k < arrays; ++k)
        add_shadows(list[static_cast<std::size_t>(k)], side, adder_of(type[k]));
    }
  });
}

void tsk_wait_async(const char* where, int ids, const long* id, const tsk_ref*) {
  at(where, [&] {
    for (int k = 0; k < ids; ++k) RunTime::now().part<Plans>().finish(id[k]);
    if (RunTime::now().apart()) RunTime::now().accelerator().stream().synchronize();
  });
}

void tsk_gmove(const char* where, int mode, const tsk_section* to, const tsk_section* from, int sides, long) {
  at(where, [&] {
    RunTime& run_time = RunTime::now();
    const Ranks& executing = run_time.executing().ranks();
    tasuki::xmp::come_together(where, "gmove", executing);
    const tsk_section* const far = mode == TSK_GMOVE_IN ? from : mode == TSK_GMOVE_OUT ? to : nullptr;
    const auto absent = far && far->array ? absent_of(array_of(far->array), executing) : std::nullopt;
    for (const Side side : sides_of(sides)) {
      if (!absent) {
        assign_again(*to, *from, side, executing);
        continue;
      }
      const Loan* const lent = array_of(far->array).lent();
      if (!lent || side != Side::host)
        throw Error("gmove " + std::string(mode == TSK_GMOVE_IN ? "in" : "out") + " of array '" +
                        array_of(far->array).name + "', of which rank " + std::to_string(*absent) +
                        " takes no part",
                    lent ? "bring it to the host before, and move it there"
                         : "let all nodes of the array execute it, or the file that declares the array");
      if (mode == TSK_GMOVE_IN)
        fetch(section_of(*to, side), section_of(*from, side), *lent, executing);
      else
        store(section_of(*to, side), *lent, section_of(*from, side), executing);
    }
    if (to->array) note_written(*to);
    if (to->array)
      if (const auto& writes = array_of(to->array).writes) writes->lately = true;
  });
}
}
