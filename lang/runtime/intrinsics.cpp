// transpose, matmul, gather, scatter, sort; pack and unpack are in packing.cpp.
#include "intrinsics.hpp"

#include "numbers.hpp"

#include <tasuki/array/redistribution.hpp>

#include <algorithm>
#include <cstdarg>
#include <cstring>

namespace tasuki::xmp {
namespace {

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

// For each element of `like`, the index formed by the elements of the index arrays at the same position.
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

// The index arrays of gather and scatter, one per dimension of the other array.
std::vector<ArrayObject*> listed(std::va_list list, int count) {
  std::vector<ArrayObject*> by;
  for (int d = 0; d < count; ++d) by.push_back(&described(va_arg(list, xmp_desc_t)));
  return by;
}

// Each rank counts, for all elements of the other ranks, how many of its own precede them: this gives the final places.
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
      for (std::size_t k = 0; k < places.size(); ++k) { // equal elements in the order of the ranks
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

// A part of a whole array along one dimension, copied to the memory of every rank.
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

void xmp_sort_up(xmp_desc_t from, xmp_desc_t into) { sort(from, into, true, "xmp_sort_up"); }
void xmp_sort_down(xmp_desc_t from, xmp_desc_t into) { sort(from, into, false, "xmp_sort_down"); }
}
