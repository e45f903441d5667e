// Elements that are sent to the nodes that hold them, or fetched from there, each by its global index. Internal.
//
//     Delivery to_b(b, ranks);
//     each_own(*a.array, true, [&](const Place& index, const char* element) { to_b.put({index[1], index[0]}, element); });
//     to_b.send();                                  // b is the transpose of a
#pragma once

#include "objects.hpp"
#include "sections.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace tasuki::xmp {

// Sends bytes to each of the ranks, by place, and returns the bytes from each. Collective.
std::vector<std::vector<char>> exchanged(const Ranks& ranks, const std::vector<std::vector<char>>& to);

// Calls visit(index, element) for this rank's elements in the order of C; once_only: of copies only the first owner's.
void each_own(Array& array, bool once_only, const std::function<void(const Place&, char*)>& visit);

// The nodes of an array that hold an element.
class Holders {
public:
  Holders(const Array& array, const Ranks& ranks);
  struct Held {
    int place = 0;   // of the rank in `ranks`
    long offset = 0; // in bytes, from the start of its memory
  };
  std::vector<Held> of(const Place& index, bool once_only);

private:
  const Array& array_;
  const Ranks& ranks_;
  std::vector<std::optional<Holding>> holdings_; // by node
};

class Delivery {
public:
  Delivery(ArrayObject& to, const Ranks& ranks);
  void put(const Place& index, const char* element); // to every node that holds it
  void send();                                       // collective

private:
  ArrayObject& to_;
  const Ranks& ranks_;
  Holders holders_;
  std::vector<std::vector<char>> letters_; // offsets and elements, by place
};

// The elements of these indices, contiguous. Collective.
std::vector<char> fetch(ArrayObject& from, const Ranks& ranks, const std::vector<Place>& indices);

} // namespace tasuki::xmp
