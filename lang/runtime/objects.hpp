// The objects behind the handles of translated text: nodes, templates and arrays. Internal.
#pragma once

#include "run_time.hpp"
#include "translated.h"

#include <tasuki/array/array.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tasuki {
class Loan;
}

namespace tasuki::xmp {

// An object that an xmp_desc_t describes.
struct Described {
  enum class Kind { nodes, templ, array };
  Kind kind;
  std::string name;
};

struct NodesObject : Described {
  Nodes nodes;
  enum class From { all, executing, others }; // without "=", "= *", "= q[..]"
  From from = From::all;
  // For a part of other nodes: the selected nodes along each dimension of the whole, the fastest first, from 1.
  struct Along {
    int first, last, step;
  };
  const NodesObject* whole = nullptr;
  std::vector<Along> part = {};
  std::optional<int> here() const { return nodes.number_of(RunTime::now().world().rank()); }
};

struct ArrayObject;
class Track;
struct Writes;

struct TemplateObject : Described {
  std::vector<std::optional<Extent>> extents;
  const NodesObject* onto = nullptr;
  std::vector<std::optional<Format>> formats; // nothing: gblock(*), not fixed yet
  Template t;
  std::vector<ArrayObject*> waiting; // arrays that are allocated when the template is fixed
  bool fixed() const { return t.distributed(); }
  void settle(); // when all formats are known: distributes the template and allocates the waiting arrays
};

struct ArrayObject : Described {
  std::string where;
  tsk_array* face = nullptr;
  long size = 0;
  int type = TSK_BYTES; // of its elements, known after its descriptor was requested
  std::vector<long> extents;
  std::vector<Along> along;
  std::vector<Shadow> shadows;
  TemplateObject* with = nullptr;
  char* memory = nullptr;         // of the passed array, for a parameter
  bool by_pointer = false;        // it is allocated by xmp_malloc
  bool has_shadow = false;        // a directive gives it one, whose widths may be 0
  std::unique_ptr<Array> array;   // null until the template is fixed
  std::shared_ptr<Loan> loan;     // of its memory, if its face says that it lends
  std::shared_ptr<Track> track;   // for --check: accesses to its cells
  std::shared_ptr<Writes> writes; // the same: writes, if it has copies
  char nothing[64] =
      {}; // its address on ranks that hold no element of it: it differs from that of all other arrays

  void make();   // allocates its memory
  void unmake(); // frees its memory
  void show();   // updates its descriptor in the translated text
  const Loan* lent()
      const; // its own loan, or that of the array that was passed; null: its ranks have to take part
};

NodesObject& nodes_of(const tsk_nodes* nodes);
TemplateObject& template_of(const tsk_template* t);
ArrayObject& array_of(const tsk_array* a); // throws Error if its template is not fixed yet

// Gives the array its memory on the device, from the present table. Throws Error if it is not there.
void take_device(ArrayObject& object);

// The ranks of a reference, in the order of its subscripts; without one, the executing ranks. `own_slice`: "*" of a
// template is this rank's coordinate along that dimension.
std::vector<int> members_of(const tsk_ref* ref, bool own_slice = false);
// The same ranks, for a collective operation; nothing if the calling rank is not one of them.
std::optional<Ranks> ranks_of(const tsk_ref* ref, bool own_slice = false);
Subscripts subscripts_of(const tsk_ref& ref);

} // namespace tasuki::xmp
