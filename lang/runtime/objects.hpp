// Nodes, templates and arrays as the run time keeps them behind the handles of translated text. Internal.
#pragma once

#include "run_time.hpp"
#include "translated.h"

#include <tasuki/array/array.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tasuki::xmp {

// What an xmp_desc_t shows.
struct Described {
  enum class Kind { nodes, templ, array };
  Kind kind;
  std::string name;
};

struct NodesObject : Described {
  Nodes nodes;
  // Of a part of other nodes: those, and along each of their dimensions, the fastest first, which of them, from 1.
  struct Along {
    int first, last, step;
  };
  const NodesObject* whole = nullptr;
  std::vector<Along> part = {};
  std::optional<int> here() const { return nodes.number_of(RunTime::now().world().rank()); }
};

struct ArrayObject;
class Track;

struct TemplateObject : Described {
  std::vector<std::optional<Extent>> extents;
  const NodesObject* onto = nullptr;
  std::vector<std::optional<Format>> formats; // none: gblock(*) until it is fixed
  Template t;
  std::vector<ArrayObject*> waiting; // for it to be fixed
  bool fixed() const { return t.distributed(); }
  void settle(); // once all is known: distributes, and gives the arrays their memory
};

struct ArrayObject : Described {
  std::string where;
  tsk_array* face = nullptr;
  long size = 0;
  int type = TSK_BYTES; // of its elements, once its descriptor has been asked for
  std::vector<long> extents;
  std::vector<Along> along;
  std::vector<Shadow> shadows;
  TemplateObject* with = nullptr;
  char* memory = nullptr;       // a parameter's
  bool by_pointer = false;      // its memory comes by xmp_malloc
  std::unique_ptr<Array> array; // null until its template is fixed
  std::shared_ptr<Track> track; // of its shadow's cells, under --check
  char nothing[64] =
      {}; // where it begins on ranks that hold none of its elements: no two arrays in one place

  void make();   // its memory
  void unmake(); // without it again
  void show();   // to the translated text
};

NodesObject& nodes_of(const tsk_nodes* nodes);
TemplateObject& template_of(const tsk_template* t);
ArrayObject& array_of(const tsk_array* a); // throws Error where its template is not fixed yet

// The ranks of a reference, in the order in which it names them; without one those that execute. `own_slice`: a "*" of a
// template is this rank's own coordinate along it.
std::vector<int> members_of(const tsk_ref* ref, bool own_slice = false);
// The same as those that do something together; none where the calling rank is not one of them.
std::optional<Ranks> ranks_of(const tsk_ref* ref, bool own_slice = false);
Subscripts subscripts_of(const tsk_ref& ref);

} // namespace tasuki::xmp
