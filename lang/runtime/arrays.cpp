// Arrays of translated text: created with their template, described by addresses and steps, allocated later.
#include "calls.hpp"
#include "checking.hpp"
#include "copies.hpp"
#include "objects.hpp"
#include "owners.hpp"
#include "plans.hpp"
#include "present.hpp"
#include "track.hpp"
#include "xmp.h"

#include <tasuki/transfer/ask.hpp>

#include <algorithm>
#include <cstdarg>
#include <map>

namespace tasuki::xmp {
namespace {

// Arrays by the address of their memory, by which a parameter is matched with the passed array.
struct ByMemory {
  explicit ByMemory(World&) {}
  std::multimap<const char*, ArrayObject*> arrays;
};

// The array that was passed for a parameter; null if the program passed other memory.
ArrayObject* passed_for(const ArrayObject& object) {
  const auto& known = RunTime::now().part<ByMemory>().arrays;
  const auto first = known.find(object.memory);
  return first == known.end() ? nullptr : first->second;
}

// Throws Error if the passed array keeps a cyclic dimension whole: loops over a parameter without a shadow count the
// elements of its pieces, which lie side by side.
void expect_pieces(const ArrayObject& object, const ArrayObject& passed, const Alignment& alignment) {
  for (std::size_t d = 0; d < passed.shadows.size(); ++d)
    if (passed.shadows[d].full && !alignment.axes()[d].linear())
      throw Error("parameter '" + object.name + "' has no shadow, and '" + passed.name +
                      "', which is passed, has all of dimension " + std::to_string(d),
                  "write `#pragma xmp shadow " + object.name + "[*]` for the parameter");
}

// Throws Error if the memory layout of a parameter differs from that of the passed array.
void expect_aligned_as_passed(const ArrayObject& object) {
  const ArrayObject* const caller = passed_for(object);
  if (!caller || caller->face->bytes == 0) return;
  const Array &passed = *caller->array, &here = *object.array;
  bool alike = passed.size() == here.size() && passed.dims() == here.dims();
  for (int d = 0; alike && d < here.dims(); ++d)
    alike = passed.holding().axis(d).cells == here.holding().axis(d).cells;
  if (!alike)
    throw Error(
        "parameter '" + object.name + "' is aligned otherwise than '" + passed.name() + "', which is passed",
        "align it so that every node holds the same part, with the same shadow");
}

} // namespace

const Loan* ArrayObject::lent() const {
  if (loan) return loan.get();
  const ArrayObject* const passed = memory ? passed_for(*this) : nullptr;
  return passed ? passed->loan.get() : nullptr;
}

ArrayObject& array_of(const tsk_array* a) {
  if (!a || !a->of) throw Error("a distributed array is used before it is made", "move its directives up");
  auto& object = *static_cast<ArrayObject*>(a->of);
  if (!object.array)
    throw Error("array '" + object.name + "' has no memory yet",
                object.by_pointer ? "give it some by xmp_malloc" : "fix its template before");
  return object;
}

void ArrayObject::make() {
  if (by_pointer && extents.empty()) return;
  std::vector<long> all = extents;
  for (std::size_t d = 0; d < all.size(); ++d)
    if (all[d] < 0 && along[d].dim >= 0) { // a parameter has the length of its template
      const Extent& extent = with->t.extents()[static_cast<std::size_t>(along[d].dim)];
      all[d] = extent.first + extent.count - along[d].offset;
    }
  const Alignment alignment(all, with->t, along);
  const bool none = std::all_of(shadows.begin(), shadows.end(), [](const Shadow& s) { return s.none(); });
  const ArrayObject* const passed = memory && none ? passed_for(*this) : nullptr;
  if (passed && passed->face->bytes > 0 && passed->shadows.size() == shadows.size()) {
    expect_pieces(*this, *passed, alignment);
    shadows = passed->shadows; // a parameter that has none of its own
  }
  array = std::make_unique<Array>(RunTime::now().host(), name, size, alignment, shadows, memory);
  show();
  if (memory) expect_aligned_as_passed(*this);
  if (RunTime::now().checking().on && array->shadowed()) {
    const ArrayObject* const caller = memory ? passed_for(*this) : nullptr;
    track = caller ? caller->track : std::make_shared<Track>(*array);
  }
  if (RunTime::now().checking().on) {
    const ArrayObject* const caller = memory ? passed_for(*this) : nullptr;
    if (caller)
      writes = caller->writes;
    else if (!memory)
      RunTime::now().part<Copies>().add(*this);
  }
  RunTime::now().part<ByMemory>().arrays.emplace(face->start, this);
  if (face->lends && !memory)
    loan = std::make_shared<Loan>(RunTime::now().executing().ranks(), name, face->start,
                                  static_cast<std::uint64_t>(face->bytes));
  if (RunTime::now().world().rank() == 0 && owners_asked_for()) tell_owners(*this);
}

void ArrayObject::unmake() {
  if (!array) return;
  RunTime& run_time = RunTime::now();
  loan.reset();
  if (track && !memory) track->end();
  track.reset();
  run_time.part<Copies>().remove(*this);
  writes.reset();
  run_time.part<Plans>().forget(array->number());
  run_time.part<Assignments>().forget(array->number());
  auto& known = run_time.part<ByMemory>().arrays;
  std::erase_if(known, [&](const auto& entry) { return entry.second == this; });
  if (!memory) run_time.part<Present>().gone(array->memory().data(), array->holding().bytes());
  if (face->bytes == 0) run_time.part<Present>().gone(face, 1);
  array.reset();
}

void ArrayObject::show() {
  const Holding& holding = array->holding();
  tsk_array& a = *face;
  a.dims = array->dims();
  a.size = size;
  a.bytes = holding.bytes();
  a.start = memory ? memory : array->memory().data();
  if (a.bytes == 0) a.start = memory ? memory : nothing;
  a.at = a.start;
  for (int d = 0; d < a.dims; ++d) {
    const AlignedAxis& aligned = array->alignment().axes()[static_cast<std::size_t>(d)];
    const Cut& cut = aligned.cut();
    const Holding::Axis axis = a.bytes ? holding.axis(d) : Holding::Axis{};
    a.own[d] = axis.least;
    a.end[d] = axis.end;
    a.held[d] = axis.cells;
    a.linear[d] = aligned.linear() || shadows[static_cast<std::size_t>(d)].full;
    a.width[d] = std::max(cut.width(), 1L);
    a.cycle[d] = a.width[d] * cut.nodes();
    a.origin[d] = cut.extent().first - aligned.offset();
    a.step[d] = a.bytes ? axis.stride / size : 0;
    if (a.bytes == 0) continue;
    // Indices count from the template's first index, the memory from this rank's first cell.
    const long first = a.linear[d] ? axis.first : tsk_local(&a, d, axis.least);
    a.at -= first * axis.stride;
  }
}

} // namespace tasuki::xmp

using namespace tasuki;
using namespace tasuki::xmp;

extern "C" {

void tsk_array_make(const char* where, tsk_array* a, const char* name, long size, int dims,
                    const long* extents, const tsk_template* with, const tsk_align* align,
                    const tsk_shadow* shadow, void* memory) {
  if (a->of) return;
  at(where, [&] {
    auto object = std::make_unique<ArrayObject>();
    object->kind = Described::Kind::array;
    object->name = name;
    object->where = where;
    object->face = a;
    object->size = size;
    object->with = &template_of(with);
    object->memory = static_cast<char*>(memory);
    object->by_pointer = extents == nullptr;
    object->has_shadow = shadow != nullptr;
    for (int d = 0; d < dims; ++d) {
      if (extents) object->extents.push_back(extents[d]);
      object->along.push_back(align[d].kind == TSK_WITH ? tasuki::with(align[d].dim, align[d].offset)
                                                        : not_aligned());
      object->shadows.push_back(shadow ? Shadow{shadow[d].lo, shadow[d].hi, shadow[d].full != 0} : Shadow{});
    }
    a->dims = dims;
    a->size = size;
    if (object->with->fixed())
      object->make();
    else
      object->with->waiting.push_back(object.get());
    a->of = object.release();
  });
}

void tsk_array_end(tsk_array* a) {
  auto* const object = static_cast<ArrayObject*>(a->of);
  if (!object) return;
  at(object->where.c_str(), [&] {
    if (RunTime::runs()) object->unmake();
    if (!object->array && !object->with->fixed()) std::erase(object->with->waiting, object);
  });
  delete object;
  a->of = nullptr;
}

void* xmp_malloc(xmp_desc_t desc, ...) {
  auto& object = *static_cast<ArrayObject*>(desc);
  va_list list;
  va_start(list, desc);
  const char* const where = place_of_call(object.where.c_str());
  at(where, [&] {
    come_together(where, "xmp_malloc", RunTime::now().executing().ranks());
    if (!object.by_pointer || object.array)
      throw Error("array '" + object.name + "' has memory already",
                  "give it some once, and free it before it gets other");
    object.extents.clear();
    for (std::size_t d = 0; d < object.along.size(); ++d) object.extents.push_back(va_arg(list, int));
    if (object.with->fixed())
      object.make();
    else
      object.with->waiting.push_back(&object);
  });
  va_end(list);
  return object.face->start;
}

void xmp_free(xmp_desc_t desc) {
  auto& object = *static_cast<ArrayObject*>(desc);
  const char* const where = place_of_call(object.where.c_str());
  at(where, [&] {
    come_together(where, "xmp_free", RunTime::now().executing().ranks());
    object.unmake();
    object.extents.clear();
  });
}
}
