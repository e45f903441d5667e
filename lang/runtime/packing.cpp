// pack and unpack: the elements that a mask selects, consecutive in the order of C.
#include "intrinsics.hpp"

#include <tasuki/base/reduce.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace tasuki::xmp {
namespace {

// The elements of an array that a mask selects, numbered in the order of C. Every rank stores a bit for each element.
class Taken {
public:
  Taken(ArrayObject& array, ArrayObject* mask, const Ranks& ranks) : own(own_of(array, true)) {
    const Array& all = *array.array;
    long elements = 1;
    for (int d = 0; d < all.dims(); ++d) elements *= all.extent(d);
    bits_.resize(static_cast<std::size_t>((elements + 63) / 64));
    std::vector<char> dense;
    if (mask) {
      conform(*mask->array, all, same_shape(*mask->array, all));
      dense = fetch(*mask, ranks, own.indices);
    }
    for (std::size_t k = 0; k < own.indices.size(); ++k) {
      long number = 0;
      for (int d = 0; d < all.dims(); ++d)
        number = number * all.extent(d) + own.indices[k][static_cast<std::size_t>(d)];
      numbers.push_back(number);
      const char* const at = mask ? dense.data() + static_cast<long>(k) * mask->size : nullptr;
      if (!mask || std::any_of(at, at + mask->size, [](char byte) { return byte != 0; }))
        bits_[static_cast<std::size_t>(number / 64)] |= std::uint64_t{1} << (number % 64);
    }
    bits_ = reduce_sum(ranks, std::move(bits_)); // each bit is set by one rank at most
    before_.push_back(0);
    for (const std::uint64_t word : bits_) before_.push_back(before_.back() + std::popcount(word));
  }
  bool has(std::size_t k) const { return word(k) >> (numbers[k] % 64) & 1; }
  long number(std::size_t k) const { // of own element k among the selected ones
    const std::uint64_t below = (std::uint64_t{1} << (numbers[k] % 64)) - 1;
    return before_[static_cast<std::size_t>(numbers[k] / 64)] + std::popcount(word(k) & below);
  }
  long count() const { return before_.back(); }

  Own own;
  std::vector<long> numbers; // of own elements among all elements

private:
  std::uint64_t word(std::size_t k) const { return bits_[static_cast<std::size_t>(numbers[k] / 64)]; }
  std::vector<std::uint64_t> bits_;
  std::vector<long> before_; // the number of selected elements before each word
};

void room_for(const ArrayObject& v, long count) {
  if (count > v.array->extent(0))
    throw Error(std::to_string(count) + " elements are taken, and '" + v.name + "' has room for " +
                    std::to_string(v.array->extent(0)),
                "make it longer");
}

void pack(xmp_desc_t vector, xmp_desc_t array, xmp_desc_t mask) {
  together("xmp_pack", [&](const Ranks& ranks) {
    ArrayObject &v = described(vector, 1), &a = described(array);
    same_type(v, a);
    const Taken taken(a, mask ? &described(mask) : nullptr, ranks);
    room_for(v, taken.count());
    Delivery delivery(v, ranks);
    for (std::size_t k = 0; k < taken.own.indices.size(); ++k)
      if (taken.has(k)) delivery.put({taken.number(k)}, taken.own.elements[k]);
    delivery.send();
  });
}

void unpack(xmp_desc_t array, xmp_desc_t vector, xmp_desc_t mask) {
  together("xmp_unpack", [&](const Ranks& ranks) {
    ArrayObject &v = described(vector, 1), &a = described(array);
    same_type(v, a);
    const Taken taken(a, mask ? &described(mask) : nullptr, ranks);
    room_for(v, taken.count());
    std::vector<Place> places, to;
    for (std::size_t k = 0; k < taken.own.indices.size(); ++k)
      if (taken.has(k)) {
        places.push_back({taken.number(k)});
        to.push_back(taken.own.indices[k]);
      }
    const std::vector<char> dense = fetch(v, ranks, places);
    Delivery delivery(a, ranks);
    for (std::size_t k = 0; k < to.size(); ++k)
      delivery.put(to[k], dense.data() + static_cast<long>(k) * v.size);
    delivery.send();
  });
}

} // namespace
} // namespace tasuki::xmp

using namespace tasuki;
using namespace tasuki::xmp;

extern "C" {

void xmp_pack(xmp_desc_t v, xmp_desc_t a, xmp_desc_t mask) { pack(v, a, mask); }
void xmp_pack_mask(xmp_desc_t v, xmp_desc_t a, xmp_desc_t mask) { pack(v, a, mask); }
void xmp_pack_nomask(xmp_desc_t v, xmp_desc_t a) { pack(v, a, nullptr); }
void xmp_unpack(xmp_desc_t a, xmp_desc_t v, xmp_desc_t mask) { unpack(a, v, mask); }
void xmp_unpack_mask(xmp_desc_t a, xmp_desc_t v, xmp_desc_t mask) { unpack(a, v, mask); }
void xmp_unpack_nomask(xmp_desc_t a, xmp_desc_t v) { unpack(a, v, nullptr); }
}
