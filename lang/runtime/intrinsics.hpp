// Common parts of the functions on whole arrays: descriptors, shapes, own elements. Internal.
#pragma once

#include "calls.hpp"
#include "checking.hpp"
#include "deliver.hpp"
#include "xmp.h"

#include <vector>

namespace tasuki::xmp {

// The array of a descriptor. Throws Error if it has no memory, or not `dims` dimensions (0: any number).
ArrayObject& described(xmp_desc_t desc, int dims = 0);

// These throw an Error with both shapes or names.
void conform(const Array& a, const Array& b, bool alike);
void same_type(const ArrayObject& a, const ArrayObject& b);
bool same_shape(const Array& a, const Array& b);

// The indices and the elements of this rank; elements with several copies only on their first owner.
struct Own {
  std::vector<Place> indices;
  std::vector<const char*> elements;
};
Own own_of(ArrayObject& object, bool once_only);

// Runs an action that all executing ranks do at a call of the program.
template <class Act>
void together(const char* name, const Act& act) {
  const char* const where = place_of_call();
  at(*where ? where : name, [&] {
    const Ranks& ranks = RunTime::now().executing().ranks();
    come_together(where, name, ranks);
    act(ranks);
  });
}

} // namespace tasuki::xmp
