// For --check: copies of an array's elements have the same values on all nodes that hold them. Internal.
//
//     #pragma xmp align v[i] with t[*][i]          // every row of nodes has all of v
//     v[i] = xmpc_node_num();                      // found at the next directive that all nodes come to
//
// What a `reduction` is of is left out from then on: its parts differ until they are summed.
#pragma once

#include "run_time.hpp"

#include <memory>
#include <vector>

namespace tasuki::xmp {

struct ArrayObject;

// The writes of this rank to an array with copies. Parameters share that of the array that was passed.
struct Writes {
  bool lately = false;             // since its copies were compared
  bool parts = false;              // of a sum: not compared
  std::vector<const char*> places; // by cell, of the last one
  void note(long cell, const char* where) {
    lately = true;
    places[static_cast<std::size_t>(cell)] = where;
  }
};

class Copies {
public:
  explicit Copies(World&) {}

  // Begins with an array that has memory, if it lies on all ranks, has copies, and its face says that they are compared.
  void add(ArrayObject& object);
  void remove(const ArrayObject& object) { std::erase(arrays_, &object); }
  // A reduction is of the memory that begins here.
  void reduces(const void* memory);
  // Compares the copies of all arrays that some rank has written; one rank reports a difference, and the run ends.
  // Collective over all ranks, at a directive.
  void compare(const char* where, const char* directive);

private:
  void compare(ArrayObject& object, const char* where, const char* directive);
  std::vector<ArrayObject*> arrays_;
};

} // namespace tasuki::xmp
