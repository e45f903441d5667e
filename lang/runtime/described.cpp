// Descriptors of arrays, as arguments of the functions on whole arrays.
#include "intrinsics.hpp"

namespace tasuki::xmp {
namespace {

std::string shape(const Array& array) {
  std::string text = array.name();
  for (int d = 0; d < array.dims(); ++d) text += "[" + std::to_string(array.extent(d)) + "]";
  return text;
}

} // namespace

ArrayObject& described(xmp_desc_t desc, int dims) {
  auto* const object = static_cast<ArrayObject*>(desc);
  if (!object || object->kind != Described::Kind::array)
    throw Error("this is no descriptor of an array", "give it xmp_desc_of(array)");
  if (!object->array)
    throw Error("array '" + object->name + "' has no memory yet", "fix its template before");
  if (dims && object->array->dims() != dims)
    throw Error("array '" + object->name + "' has " + std::to_string(object->array->dims()) + " dimensions",
                "give one of " + std::to_string(dims));
  return *object;
}

void conform(const Array& a, const Array& b, bool alike) {
  if (!alike) throw Error(shape(a) + " and " + shape(b) + " do not conform", "give them fitting extents");
}

bool same_shape(const Array& a, const Array& b) {
  if (a.dims() != b.dims()) return false;
  for (int d = 0; d < a.dims(); ++d)
    if (a.extent(d) != b.extent(d)) return false;
  return true;
}

void same_type(const ArrayObject& a, const ArrayObject& b) {
  if (a.size != b.size || a.type != b.type)
    throw Error("'" + a.name + "' and '" + b.name + "' have elements of different types",
                "give them one type");
}

Own own_of(ArrayObject& object, bool once_only) {
  Own own;
  each_own(*object.array, once_only, [&](const Place& index, const char* element) {
    own.indices.push_back(index);
    own.elements.push_back(element);
  });
  return own;
}

} // namespace tasuki::xmp
