// transpose, matmul, gather, scatter, pack, unpack, sort: what all nodes of arrays do with them as a whole.
#include "checking.hpp"
#include "deliver.hpp"
#include "numbers.hpp"
#include "xmp.h"

#include <tasuki/array/redistribution.hpp>
#include <tasuki/base/reduce.hpp>

#include <algorithm>
#include <bit>
#include <cstdarg>
#include <cstring>

namespace tasuki::xmp {
namespace {

ArrayObject& described(xmp_desc_t desc, int dims = 0) {
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

std::string shape(const Array& array) {
  std::string text = array.name();
  for (int d = 0; d < array.dims(); ++d) text += "[" + std::to_string(array.extent(d)) + "]";
  return text;
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

// What all executing ranks do at a call of the program, which has no place.
template <class Act>
void together(const char* name, const Act& act) {
  at(name, [&] {
    const Ranks& ranks = RunTime::now().executing().ranks();
    come_together("", name, ranks);
    act(ranks);
  });
}

// Indices of this rank's elements, of copies the first owner's alone, and the elements.
struct Own {
  std::vector<Place> indices;
  std::vector<const char*> elements;
};
Own own_of(ArrayObject& object, bool once_only) {
  Own own;
  each_own(*object.array, once_only, [&](const Place& index, const char* element) {
    own.indices.push_back(index);
    own.elements.push_back(element);
  });
  return own;
}

long whole_number(const ArrayObject& object, const char* element) {
  long value = 0;
  switch (object.type) {
    case TSK_INT: {
      int v;
      std::memcpy(&v, element, sizeof v);
      value = v;
      break;
    }
    case TSK_LONG:
    case TSK_LLONG: std::memcpy(&value, element, sizeof value); break;
    case TSK_SHORT: {
      short v;
      std::memcpy(&v, element, sizeof v);
      value = v;
      break;
    }
    default: throw Error("'" + object.name + "' holds no indices", "give it elements of int, short or long");
  }
  return value;
}

// For each element of `like`, the index that the arrays of indices have at its place.
std::vector<Place> looked_up(const std::vector<ArrayObject*>& by, const Own& like, const Array& shaped,
                             const Ranks& ranks) {
  std::vector<Place> found(like.indices.size());
  for (ArrayObject* const each : by) {
    conform(*each->array, shaped, same_shape(*each->array, shaped));
    const std::vector<char> dense = fetch(*each, ranks, like.indices);
    for (std::size_t k = 0; k < found.size(); ++k)
      found[k].push_back(whole_number(*each, dense.data() + static_cast<long>(k) * each->size));
  }
  return found;
}

// The arrays of indices of gather and scatter, as many as the other array has dimensions.
std::vector<ArrayObject*> listed(std::va_list list, int count) {
  std::vector<ArrayObject*> by;
  for (int d = 0; d < count; ++d) by.push_back(&described(va_arg(list, xmp_desc_t)));
  return by;
}

// Which elements of an array a mask takes, each with its number among them in the order of C. Every rank knows of all, a bit each.
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
    bits_ = reduce_sum(ranks, std::move(bits_)); // no two ranks have one bit
    before_.push_back(0);
    for (const std::uint64_t word : bits_) before_.push_back(before_.back() + std::popcount(word));
  }
  bool has(std::size_t k) const { return word(k) >> (numbers[k] % 64) & 1; }
  long number(std::size_t k) const { // among those that are taken
    const std::uint64_t below = (std::uint64_t{1} << (numbers[k] % 64)) - 1;
    return before_[static_cast<std::size_t>(numbers[k] / 64)] + std::popcount(word(k) & below);
  }
  long count() const { return before_.back(); }

  Own own;
  std::vector<long> numbers; // of own elements among all

private:
  std::uint64_t word(std::size_t k) const { return bits_[static_cast<std::size_t>(numbers[k] / 64)]; }
  std::vector<std::uint64_t> bits_;
  std::vector<long> before_; // how many are taken in the words before
};

void room_for(const ArrayObject& v, long count) {
  if (count > v.array->extent(0))
    throw Error(std::to_string(count) + " elements are taken, and " + shape(*v.array) + " has room for fewer",
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

// Each rank sorts its own, and counts of each other rank's how many go before: places are known, and no rank has all.
void sort(xmp_desc_t from, xmp_desc_t into, bool up, const char* name) {
  together(name, [&](const Ranks& ranks) {
    ArrayObject &a = described(from, 1), &b = described(into, 1);
    same_type(a, b);
    conform(*a.array, *b.array, same_shape(*a.array, *b.array));
    const auto before = [&](const char* one, const char* other) {
      const int order = compare(a.type, one, other);
      return up ? order < 0 : order > 0;
    };
    Own own = own_of(a, true);
    std::stable_sort(own.elements.begin(), own.elements.end(), before);
    std::vector<char> round;
    for (const char* const element : own.elements) round.insert(round.end(), element, element + a.size);
    std::vector<long> places(own.elements.size());
    for (std::size_t k = 0; k < places.size(); ++k) places[k] = static_cast<long>(k);
    for (int turn = 1; turn < ranks.size(); ++turn) {
      std::vector<std::vector<char>> to(static_cast<std::size_t>(ranks.size()));
      to[static_cast<std::size_t>((ranks.place() + 1) % ranks.size())] = std::move(round);
      const int giver = (ranks.place() + ranks.size() - 1) % ranks.size();
      round = std::move(exchanged(ranks, to)[static_cast<std::size_t>(giver)]);
      const bool is_first = (ranks.place() + ranks.size() - turn) % ranks.size() < ranks.place();
      std::size_t passed = 0;
      for (std::size_t k = 0; k < places.size(); ++k) { // equal ones in the order of the ranks
        while (passed < round.size() && (before(round.data() + passed, own.elements[k]) ||
                                         (is_first && !before(own.elements[k], round.data() + passed))))
          passed += static_cast<std::size_t>(a.size);
        places[k] += static_cast<long>(passed) / a.size;
      }
    }
    Delivery delivery(b, ranks);
    for (std::size_t k = 0; k < places.size(); ++k) delivery.put({places[k]}, own.elements[k]);
    delivery.send();
  });
}

// A whole array's part of one dimension, in memory of every rank.
std::vector<char> panel(ArrayObject& object, int dim, long first, long count, const Ranks& ranks) {
  std::vector<Slice> slices, all;
  std::vector<long> extents;
  long elements = 1;
  for (int d = 0; d < 2; ++d) {
    const long length = d == dim ? count : object.array->extent(d);
    slices.push_back({{d == dim ? first : 0, length, 1}, false});
    all.push_back({{0, length, 1}, false});
    extents.push_back(length);
    elements *= length;
  }
  std::vector<char> memory(static_cast<std::size_t>(elements * object.size));
  assign(section(RunTime::now().host(), memory.data(), object.size, extents, all),
         section(*object.array, slices), ranks);
  return memory;
}

} // namespace
} // namespace tasuki::xmp

using namespace tasuki;
using namespace tasuki::xmp;

extern "C" {

void* tsk_described(const tsk_array* a, int type) {
  if (auto* const object = static_cast<ArrayObject*>(a->of)) object->type = type;
  return a->of;
}

void xmp_transpose(xmp_desc_t into, xmp_desc_t from, int) {
  together("xmp_transpose", [&](const Ranks& ranks) {
    ArrayObject &b = described(into, 2), &a = described(from, 2);
    same_type(b, a);
    conform(*b.array, *a.array,
            b.array->extent(0) == a.array->extent(1) && b.array->extent(1) == a.array->extent(0));
    Delivery delivery(b, ranks);
    each_own(*a.array, true, [&](const Place& index, const char* element) {
      delivery.put({index[1], index[0]}, element);
    });
    delivery.send();
  });
}

void xmp_matmul(xmp_desc_t into, xmp_desc_t left, xmp_desc_t right) {
  together("xmp_matmul", [&](const Ranks& ranks) {
    ArrayObject &c = described(into, 2), &a = described(left, 2), &b = described(right, 2);
    same_type(c, a);
    same_type(c, b);
    const long middle = a.array->extent(1), columns = b.array->extent(1);
    conform(*a.array, *b.array, middle == b.array->extent(0));
    conform(*c.array, *a.array, c.array->extent(0) == a.array->extent(0));
    conform(*c.array, *b.array, c.array->extent(1) == columns);
    const Product add_products = product_of(c.type);
    Own own = own_of(c, true);
    std::vector<char> sums(own.indices.size() * static_cast<std::size_t>(c.size));
    constexpr long kPanel = 64; // terms at a time, in the order of k: the same bits on any number of ranks
    for (long k = 0; k < middle; k += kPanel) {
      const long count = std::min(kPanel, middle - k);
      const std::vector<char> rows = panel(a, 1, k, count, ranks), parts = panel(b, 0, k, count, ranks);
      for (std::size_t at = 0; at < own.indices.size(); ++at)
        add_products(sums.data() + static_cast<long>(at) * c.size,
                     rows.data() + own.indices[at][0] * count * c.size,
                     parts.data() + own.indices[at][1] * c.size, columns, count);
    }
    Delivery delivery(c, ranks);
    for (std::size_t at = 0; at < own.indices.size(); ++at)
      delivery.put(own.indices[at], sums.data() + static_cast<long>(at) * c.size);
    delivery.send();
  });
}

void xmp_gather(xmp_desc_t into, xmp_desc_t from, ...) {
  std::va_list list;
  va_start(list, from);
  together("xmp_gather", [&](const Ranks& ranks) {
    ArrayObject &x = described(into), &a = described(from);
    same_type(x, a);
    const Own own = own_of(x, true);
    const std::vector<Place> places = looked_up(listed(list, a.array->dims()), own, *x.array, ranks);
    const std::vector<char> dense = fetch(a, ranks, places);
    Delivery delivery(x, ranks);
    for (std::size_t k = 0; k < places.size(); ++k)
      delivery.put(own.indices[k], dense.data() + static_cast<long>(k) * x.size);
    delivery.send();
  });
  va_end(list);
}

void xmp_scatter(xmp_desc_t into, xmp_desc_t from, ...) {
  std::va_list list;
  va_start(list, from);
  together("xmp_scatter", [&](const Ranks& ranks) {
    ArrayObject &x = described(into), &a = described(from);
    same_type(x, a);
    const Own own = own_of(a, true);
    const std::vector<Place> places = looked_up(listed(list, x.array->dims()), own, *a.array, ranks);
    Delivery delivery(x, ranks);
    for (std::size_t k = 0; k < places.size(); ++k) delivery.put(places[k], own.elements[k]);
    delivery.send();
  });
  va_end(list);
}

void xmp_pack(xmp_desc_t v, xmp_desc_t a, xmp_desc_t mask) { pack(v, a, mask); }
void xmp_pack_mask(xmp_desc_t v, xmp_desc_t a, xmp_desc_t mask) { pack(v, a, mask); }
void xmp_pack_nomask(xmp_desc_t v, xmp_desc_t a) { pack(v, a, nullptr); }
void xmp_unpack(xmp_desc_t a, xmp_desc_t v, xmp_desc_t mask) { unpack(a, v, mask); }
void xmp_unpack_mask(xmp_desc_t a, xmp_desc_t v, xmp_desc_t mask) { unpack(a, v, mask); }
void xmp_unpack_nomask(xmp_desc_t a, xmp_desc_t v) { unpack(a, v, nullptr); }
void xmp_sort_up(xmp_desc_t from, xmp_desc_t into) { sort(from, into, true, "xmp_sort_up"); }
void xmp_sort_down(xmp_desc_t from, xmp_desc_t into) { sort(from, into, false, "xmp_sort_down"); }
}
