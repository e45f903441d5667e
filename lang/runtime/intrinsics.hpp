// What the functions on whole arrays have in common: descriptors, shapes, own elements. Internal.
#pragma once

#include "checking.hpp"
#include "deliver.hpp"
#include "xmp.h"

#include <vector>

namespace tasuki::xmp {

// The array of a descriptor, which has its memory; of so many dimensions where that is asked. Throws Error.
ArrayObject& described(xmp_desc_t desc, int dims = 0);

// Throw Error, with both shapes or names.
void conform(const Array& a, const Array& b, bool alike);
void same_type(const ArrayObject& a, const ArrayObject& b);
bool same_shape(const Array& a, const Array& b);

// Indices of this rank's elements, of copies the first owner's alone, and the elements.
struct Own {
  std::vector<Place> indices;
  std::vector<const char*> elements;
};
Own own_of(ArrayObject& object, bool once_only);

// What all executing ranks do at a call of the program, which has no place.
template <class Act>
void together(const char* name, const Act& act) {
  at(name, [&] {
    const Ranks& ranks = RunTime::now().executing().ranks();
    come_together("", name, ranks);
    act(ranks);
  });
}

} // namespace tasuki::xmp
