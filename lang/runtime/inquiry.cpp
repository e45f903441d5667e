// The inquiry functions of xmp.h.
#include "objects.hpp"
#include "plans.hpp"
#include "xmp.h"

#include <tasuki/base/reduce.hpp>

#include <algorithm>

using namespace tasuki;
using namespace tasuki::xmp;

namespace {

Described& object_of(xmp_desc_t desc) {
  if (!desc) throw Error("a descriptor shows nothing", "ask for one by xmp_desc_of once the thing is made");
  return *static_cast<Described*>(desc);
}
// Calls fill(object) if the descriptor is of that kind and has the dimension.
template <class Object, class Fill>
int ask(xmp_desc_t desc, Described::Kind kind, const Fill& fill) {
  return at("", [&] {
    Described& some = object_of(desc);
    if (some.kind != kind) return -1;
    return fill(static_cast<Object&>(some)) ? 0 : -1;
  });
}
template <class Fill>
int ask_nodes(xmp_desc_t desc, const Fill& fill) {
  return ask<NodesObject>(desc, Described::Kind::nodes, fill);
}
template <class Fill>
int ask_template(xmp_desc_t desc, const Fill& fill) {
  return ask<TemplateObject>(desc, Described::Kind::templ, fill);
}
template <class Fill>
int ask_array(xmp_desc_t desc, int dim, const Fill& fill) {
  return ask<ArrayObject>(desc, Described::Kind::array, [&](ArrayObject& object) {
    return object.array && dim >= 0 && dim < object.array->dims() &&
           fill(object, static_cast<std::size_t>(dim));
  });
}
// The index of a dimension that XcalableMP counts from the fastest.
template <class Dims>
std::size_t own_dim(const Dims& dims, int dim) {
  return dims.size() - static_cast<std::size_t>(dim);
}
bool is_dim(std::size_t dims, int dim) { return dim >= 1 && static_cast<std::size_t>(dim) <= dims; }

int place_in_executing() {
  return RunTime::now().executing().has(RunTime::now().world().rank())
             ? static_cast<int>(std::lower_bound(RunTime::now().executing().members().begin(),
                                                 RunTime::now().executing().members().end(),
                                                 RunTime::now().world().rank()) -
                                RunTime::now().executing().members().begin())
             : 0;
}

} // namespace

extern "C" {

MPI_Comm xmp_get_mpi_comm(void) {
  return at("", [] { return RunTime::now().executing().ranks().comm(); });
}
int xmpc_node_num(void) { return at("", place_in_executing); }
int xmp_node_num(void) { return xmpc_node_num() + 1; }
int xmp_num_nodes(void) {
  return at("", [] { return static_cast<int>(RunTime::now().executing().members().size()); });
}
int xmpc_num_nodes(void) { return xmp_num_nodes(); }
int xmpc_all_node_num(void) {
  return at("", [] { return RunTime::now().world().rank(); });
}
int xmp_all_node_num(void) { return xmpc_all_node_num() + 1; }
int xmp_all_num_nodes(void) {
  return at("", [] { return RunTime::now().world().size(); });
}
int xmpc_all_num_nodes(void) { return xmp_all_num_nodes(); }
double xmp_wtime(void) { return seconds(); }
double xmp_wtick(void) { return 1e-9; }
int xmp_test_async(int id) {
  return at("", [&] { return RunTime::now().part<Plans>().under_way(id) ? 0 : 1; });
}

int xmp_desc_kind(xmp_desc_t desc, int* kind) {
  return at("", [&] {
    switch (object_of(desc).kind) {
      case Described::Kind::nodes: *kind = XMP_DESC_NODES; break;
      case Described::Kind::templ: *kind = XMP_DESC_TEMPLATE; break;
      case Described::Kind::array: *kind = XMP_DESC_ARRAY; break;
    }
    return 0;
  });
}

int xmp_nodes_ndims(xmp_desc_t nodes, int* ndims) {
  return ask_nodes(nodes, [&](NodesObject& object) {
    *ndims = object.nodes.dims();
    return true;
  });
}
int xmp_nodes_index(xmp_desc_t nodes, int dim, int* index) {
  return ask_nodes(nodes, [&](NodesObject& object) {
    const auto here = object.here();
    if (!here || !is_dim(object.nodes.extents().size(), dim)) return false;
    *index = object.nodes.coordinates(*here)[own_dim(object.nodes.extents(), dim)] + 1;
    return true;
  });
}
int xmp_nodes_size(xmp_desc_t nodes, int dim, int* size) {
  return ask_nodes(nodes, [&](NodesObject& object) {
    if (!is_dim(object.nodes.extents().size(), dim)) return false;
    *size = object.nodes.extents()[own_dim(object.nodes.extents(), dim)];
    return true;
  });
}
int xmp_nodes_attr(xmp_desc_t nodes, int* attr) {
  return ask_nodes(nodes, [&](NodesObject& object) {
    const int kinds[] = {XMP_ENTIRE_NODES, XMP_EXECUTING_NODES,
                         XMP_EQUIVALENCE_NODES}; // as NodesObject::From
    *attr = kinds[static_cast<int>(object.from)];
    return true;
  });
}
int xmp_nodes_equiv(xmp_desc_t nodes, xmp_desc_t* whole, int first[], int last[], int step[]) {
  return ask_nodes(nodes, [&](NodesObject& object) {
    *whole = const_cast<NodesObject*>(object.whole);
    for (std::size_t d = 0; d < object.part.size(); ++d) {
      first[d] = object.part[d].first;
      last[d] = object.part[d].last;
      step[d] = object.part[d].step;
    }
    return object.whole != nullptr;
  });
}

int xmp_template_fixed(xmp_desc_t t, int* fixed) {
  return ask_template(t, [&](TemplateObject& object) {
    *fixed = object.fixed();
    return true;
  });
}
int xmp_template_ndims(xmp_desc_t t, int* ndims) {
  return ask_template(t, [&](TemplateObject& object) {
    *ndims = static_cast<int>(object.extents.size());
    return true;
  });
}
int xmp_template_lbound(xmp_desc_t t, int dim, int* lbound) {
  return ask_template(t, [&](TemplateObject& object) {
    if (!is_dim(object.extents.size(), dim)) return false;
    const auto& extent = object.extents[own_dim(object.extents, dim)];
    if (!extent) return false;
    *lbound = static_cast<int>(extent->first);
    return true;
  });
}
int xmp_template_ubound(xmp_desc_t t, int dim, int* ubound) {
  return ask_template(t, [&](TemplateObject& object) {
    if (!is_dim(object.extents.size(), dim)) return false;
    const auto& extent = object.extents[own_dim(object.extents, dim)];
    if (!extent) return false;
    *ubound = static_cast<int>(extent->first + extent->count - 1);
    return true;
  });
}

int xmp_dist_format(xmp_desc_t t, int dim, int* format) {
  return ask_template(t, [&](TemplateObject& object) {
    if (!object.fixed() || !is_dim(object.extents.size(), dim)) return false;
    const Template::Axis& axis = object.t.axes()[own_dim(object.extents, dim)];
    const int kinds[] = {XMP_NOT_DISTRIBUTED, XMP_BLOCK, XMP_CYCLIC, XMP_GBLOCK}; // as Format::Kind
    *format = kinds[static_cast<int>(axis.cut.kind())];
    return true;
  });
}
int xmp_dist_blocksize(xmp_desc_t t, int dim, int* size) {
  return ask_template(t, [&](TemplateObject& object) {
    if (!object.fixed() || !is_dim(object.extents.size(), dim)) return false;
    const Template::Axis& axis = object.t.axes()[own_dim(object.extents, dim)];
    if (axis.cut.kind() == Format::Kind::gblock) return false;
    *size = static_cast<int>(axis.cut.width());
    return true;
  });
}
int xmp_dist_gblockmap(xmp_desc_t t, int dim, int* map) {
  return ask_template(t, [&](TemplateObject& object) {
    if (!object.fixed() || !is_dim(object.extents.size(), dim)) return false;
    const Template::Axis& axis = object.t.axes()[own_dim(object.extents, dim)];
    if (axis.cut.kind() != Format::Kind::gblock) return false;
    for (int node = 0; node < axis.cut.nodes(); ++node) map[node] = static_cast<int>(axis.cut.count(node));
    return true;
  });
}
int xmp_dist_nodes(xmp_desc_t t, xmp_desc_t* nodes) {
  return ask_template(t, [&](TemplateObject& object) {
    if (!object.onto) return false;
    *nodes = const_cast<NodesObject*>(object.onto);
    return true;
  });
}
int xmp_dist_axis(xmp_desc_t t, int dim, int* axis) {
  return ask_template(t, [&](TemplateObject& object) {
    if (!object.fixed() || !is_dim(object.extents.size(), dim)) return false;
    const int node_dim = object.t.axes()[own_dim(object.extents, dim)].node_dim;
    *axis = node_dim < 0 ? 0 : object.t.nodes().dims() - node_dim;
    return node_dim >= 0;
  });
}

int xmp_align_axis(xmp_desc_t a, int dim, int* axis) {
  return ask_array(a, dim - 1, [&](ArrayObject& object, std::size_t d) {
    const int along = object.along[d].dim;
    *axis = along < 0 ? 0 : static_cast<int>(object.with->extents.size()) - along;
    return along >= 0;
  });
}
int xmp_align_offset(xmp_desc_t a, int dim, int* offset) {
  return ask_array(a, dim - 1, [&](ArrayObject& object, std::size_t d) {
    *offset = static_cast<int>(object.along[d].offset);
    return object.along[d].dim >= 0;
  });
}
int xmp_align_replicated(xmp_desc_t a, int dim, int* replicated) {
  return ask_array(a, 0, [&](ArrayObject& object, std::size_t) {
    if (!is_dim(object.with->extents.size(), dim)) return false;
    const auto own = static_cast<int>(own_dim(object.with->extents, dim));
    *replicated = std::none_of(object.along.begin(), object.along.end(),
                               [&](const Along& along) { return along.dim == own; });
    return true;
  });
}
int xmp_align_template(xmp_desc_t a, xmp_desc_t* t) {
  return ask_array(a, 0, [&](ArrayObject& object, std::size_t) {
    *t = object.with;
    return true;
  });
}

int xmp_array_ndims(xmp_desc_t a, int* ndims) {
  return ask_array(a, 0, [&](ArrayObject& object, std::size_t) {
    *ndims = object.array->dims();
    return true;
  });
}
int xmp_array_lshadow(xmp_desc_t a, int dim, int* width) {
  return ask_array(a, dim - 1, [&](ArrayObject& object, std::size_t d) {
    *width = static_cast<int>(object.shadows[d].lo);
    return true;
  });
}
int xmp_array_ushadow(xmp_desc_t a, int dim, int* width) {
  return ask_array(a, dim - 1, [&](ArrayObject& object, std::size_t d) {
    *width = static_cast<int>(object.shadows[d].hi);
    return true;
  });
}
int xmp_array_lbound(xmp_desc_t a, int dim, int* lbound) {
  return ask_array(a, dim - 1, [&](ArrayObject&, std::size_t) {
    *lbound = 0;
    return true;
  });
}
int xmp_array_ubound(xmp_desc_t a, int dim, int* ubound) {
  return ask_array(a, dim - 1, [&](ArrayObject& object, std::size_t d) {
    *ubound = static_cast<int>(object.array->extent(static_cast<int>(d)) - 1);
    return true;
  });
}
void xmp_array_lbound_global(xmp_desc_t a, int dim, int* index) {
  ask_array(a, dim - 1, [&](ArrayObject& object, std::size_t d) {
    *index = static_cast<int>(object.face->own[d]);
    return object.face->bytes > 0;
  });
}
void xmp_array_ubound_global(xmp_desc_t a, int dim, int* index) {
  ask_array(a, dim - 1, [&](ArrayObject& object, std::size_t d) {
    *index = static_cast<int>(object.face->end[d]) - 1;
    return object.face->bytes > 0;
  });
}
size_t xmp_array_type_size(xmp_desc_t a) {
  size_t bytes = 0;
  ask_array(a, 0, [&](ArrayObject& object, std::size_t) {
    bytes = static_cast<size_t>(object.size);
    return true;
  });
  return bytes;
}
int xmp_array_gsize(xmp_desc_t a, int dim) { return xmp_array_gcgubound(a, dim) + 1; }
int xmp_array_gcglbound(xmp_desc_t a, int dim) {
  int index = -1;
  xmp_array_lbound(a, dim, &index);
  return index;
}
int xmp_array_gcgubound(xmp_desc_t a, int dim) {
  int index = -1;
  xmp_array_ubound(a, dim, &index);
  return index;
}
int xmp_array_gcllbound(xmp_desc_t a, int dim) {
  int index = 0;
  xmp_array_lbound_global(a, dim, &index);
  return index;
}
int xmp_array_gclubound(xmp_desc_t a, int dim) {
  int index = -1;
  xmp_array_ubound_global(a, dim, &index);
  return index;
}
int xmp_array_lcllbound(xmp_desc_t a, int dim) {
  int index = 0;
  xmp_array_gtol(a, dim, xmp_array_gcllbound(a, dim), &index);
  return index;
}
int xmp_array_lclubound(xmp_desc_t a, int dim) {
  int index = -1;
  xmp_array_gtol(a, dim, xmp_array_gclubound(a, dim), &index);
  return index;
}
size_t xmp_array_lsize(xmp_desc_t a, int dim, int* size) {
  return static_cast<size_t>(ask_array(a, dim - 1, [&](ArrayObject& object, std::size_t d) {
    *size = object.array->node() < 0 ? 0 : static_cast<int>(object.face->held[d]);
    return true;
  }));
}
int xmp_array_laddr(xmp_desc_t a, void** address) {
  return ask_array(a, 0, [&](ArrayObject& object, std::size_t) {
    *address = object.face->start;
    return true;
  });
}
int xmp_array_lead_dim(xmp_desc_t a, int size[]) {
  return ask_array(a, 0, [&](ArrayObject& object, std::size_t) {
    for (int d = 0; d < object.array->dims(); ++d) size[d] = static_cast<int>(object.face->held[d]);
    return true;
  });
}
int xmp_array_gtol(xmp_desc_t a, int dim, int global, int* local) {
  return ask_array(a, dim - 1, [&](ArrayObject& object, std::size_t d) {
    const Array& array = *object.array;
    if (array.node() < 0 || array.holding().empty()) return false;
    if (global < 0 || global >= array.extent(static_cast<int>(d))) return false;
    *local = static_cast<int>(array.holding().cell(array.alignment(), static_cast<int>(d), global));
    return true;
  });
}
int xmp_array_owner(xmp_desc_t a, int ndims, int index[], int* owner) {
  return ask_array(a, 0, [&](ArrayObject& object, std::size_t) {
    const Array& array = *object.array;
    if (ndims != array.dims()) return false;
    std::vector<long> at(index, index + ndims);
    for (int d = 0; d < ndims; ++d)
      if (at[static_cast<std::size_t>(d)] < 0 || at[static_cast<std::size_t>(d)] >= array.extent(d))
        return false;
    *owner = array.alignment().owners(at).front() + 1;
    return true;
  });
}
}
