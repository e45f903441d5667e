// Elements that go to where an array holds them, or are fetched from there, one by one by their global index. Internal.
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

// Bytes for each of the ranks, by place, against what each has for this one. Collective.
std::vector<std::vector<char>> exchanged(const Ranks& ranks, const std::vector<std::vector<char>>& to);

// Calls visit(index, element) for this rank's elements in the order of C; once_only: of copies those of the first owner.
void each_own(Array& array, bool once_only, const std::function<void(const Place&, char*)>& visit);

// Where the nodes of an array hold an element.
class Holders {
public:
  Holders(const Array& array, const Ranks& ranks);
  struct Held {
    int place = 0;   // of the rank among `ranks`
    long offset = 0; // in bytes, in its memory
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
  std::vector<std::vector<char>> letters_; // offset and element, by place
};

// The elements of these indices, one behind the other. Collective.
std::vector<char> fetch(ArrayObject& from, const Ranks& ranks, const std::vector<Place>& indices);

} // namespace tasuki::xmp
