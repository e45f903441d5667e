// Nodes, templates, and references to parts of them.
#include "checking.hpp"
#include "objects.hpp"

#include <tasuki/base/number.hpp>
#include <tasuki/base/subset.hpp>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace tasuki::xmp {

NodesObject& nodes_of(const tsk_nodes* nodes) {
  if (!nodes || !nodes->of) throw Error("nodes are used before their directive", "move the directive up");
  return *static_cast<NodesObject*>(nodes->of);
}

TemplateObject& template_of(const tsk_template* t) {
  if (!t || !t->of) throw Error("a template is used before its directive", "move the directive up");
  return *static_cast<TemplateObject*>(t->of);
}

Subscripts subscripts_of(const tsk_ref& ref) {
  Subscripts subscripts;
  for (int d = 0; d < ref.dims; ++d) {
    const tsk_sub& sub = ref.sub[d];
    switch (sub.kind) {
      case TSK_ONE: subscripts.push_back(Subscript::one(sub.first)); break;
      case TSK_RANGE:
        subscripts.push_back(Subscript::range(ascending({sub.first, sub.count, sub.step ? sub.step : 1})));
        break;
      case TSK_OWN: subscripts.push_back(Subscript::own()); break;
      default: subscripts.push_back(Subscript::all());
    }
  }
  return subscripts;
}

namespace {

std::vector<int> listed_members(const tsk_ref* ref, bool own_slice) {
  RunTime& run_time = RunTime::now();
  if (!ref || (!ref->nodes && !ref->on_template)) return run_time.executing().members();
  const auto ranks = [](const Nodes& nodes, const std::vector<int>& numbers) {
    std::vector<int> members;
    for (const int number : numbers) members.push_back(nodes.rank(number));
    return members;
  };
  if (ref->nodes) {
    const NodesObject& object = nodes_of(ref->nodes);
    if (ref->dims == 0) return object.nodes.members();
    return ranks(object.nodes, part(object.nodes, subscripts_of(*ref), object.here()));
  }
  const TemplateObject& object = template_of(ref->on_template);
  if (!object.fixed())
    throw Error("template '" + object.name + "' is not fixed", "distribute it and fix it before it is used");
  const Nodes& nodes = object.t.nodes();
  if (ref->dims == 0) return nodes.members();
  std::vector<int> numbers = owners(object.t, subscripts_of(*ref));
  if (const auto here = nodes.number_of(run_time.world().rank()); own_slice && here)
    for (int d = 0; d < ref->dims; ++d)
      if (const int dim = object.t.axes()[static_cast<std::size_t>(d)].node_dim;
          dim >= 0 && ref->sub[d].kind == TSK_OWN)
        std::erase_if(numbers, [&](int number) {
          return nodes.coordinates(number)[static_cast<std::size_t>(dim)] !=
                 nodes.coordinates(*here)[static_cast<std::size_t>(dim)];
        });
  return ranks(nodes, numbers);
}

} // namespace

std::vector<int> members_of(const tsk_ref* ref, bool own_slice) {
  std::vector<int> members = listed_members(ref, own_slice);
  // In a task, iterations of a loop are done by its nodes alone, and so are the parts of a sum.
  if (own_slice) std::erase_if(members, [](int rank) { return !RunTime::now().executing().has(rank); });
  return members;
}

std::optional<Ranks> ranks_of(const tsk_ref* ref, bool own_slice) {
  RunTime& run_time = RunTime::now();
  if (!ref || (!ref->nodes && !ref->on_template)) return run_time.executing().ranks();
  std::vector<int> members = members_of(ref, own_slice);
  World& world = run_time.world();
  for (const int rank : members)
    if (!run_time.executing().has(rank))
      throw Error(
          "the nodes of `on` have rank " + std::to_string(rank) + ", which is not in the task around it",
          "name nodes of the task, or leave `on` out");
  if (std::find(members.begin(), members.end(), world.rank()) == members.end()) return {};
  if (static_cast<int>(members.size()) == world.size()) return Ranks(world);
  return subset(world, members);
}

namespace {

// The k-th free extent, from the environment; dimensions count from the fastest.
int wished(int k) {
  const std::string name = "XMP_NODE_SIZE" + std::to_string(k);
  const char* text = std::getenv(name.c_str());
  return text ? parse_number<int>(text, name + "=", {1}) : 0;
}

} // namespace

void TemplateObject::settle() {
  if (!onto || fixed()) return;
  std::vector<Extent> all;
  std::vector<Format> cuts;
  for (const auto& extent : extents) {
    if (!extent) return;
    all.push_back(*extent);
  }
  for (const auto& format : formats) {
    if (!format) return;
    cuts.push_back(*format);
  }
  Template made(all);
  made.distribute(onto->nodes, cuts);
  t = std::move(made);
  for (ArrayObject* array : std::exchange(waiting, {})) array->make();
}

namespace {

// Stores the formats of a template whose nodes are known.
void take_formats(TemplateObject& object, const tsk_format* formats) {
  object.formats.clear();
  int node_dim = 0;
  for (std::size_t d = 0; d < object.extents.size(); ++d) {
    const tsk_format& given = formats[d];
    const int nodes = given.kind == TSK_KEPT                 ? 1
                      : node_dim < object.onto->nodes.dims() ? object.onto->nodes.extent(node_dim)
                                                             : 0;
    node_dim += given.kind != TSK_KEPT;
    if (node_dim > object.onto->nodes.dims())
      throw Error("template '" + object.name + "' is cut along more dimensions than nodes '" +
                      object.onto->name + "' have, " + std::to_string(object.onto->nodes.dims()),
                  "write * for the others");
    switch (given.kind) {
      case TSK_BLOCK: object.formats.push_back(block(given.width)); break;
      case TSK_CYCLIC: object.formats.push_back(cyclic(given.width ? given.width : 1)); break;
      case TSK_GBLOCK:
        if (given.sizes)
          object.formats.push_back(gblock(std::vector<long>(given.sizes, given.sizes + nodes)));
        else
          object.formats.push_back(std::nullopt);
        break;
      default: object.formats.push_back(whole());
    }
  }
}

} // namespace
} // namespace tasuki::xmp

using namespace tasuki;
using namespace tasuki::xmp;

namespace {

// The nodes that a reference selects along each dimension, the fastest first.
std::vector<NodesObject::Along> parts_of(const NodesObject& whole, const tsk_ref& ref) {
  const int dims = whole.nodes.dims();
  std::vector<NodesObject::Along> parts;
  for (int d = dims; d-- > 0;) {
    const tsk_sub sub = ref.dims == 0 ? tsk_sub{TSK_ALL, 0, 0, 0} : ref.sub[d];
    const int first = static_cast<int>(sub.first) + 1, count = static_cast<int>(sub.count),
              step = static_cast<int>(sub.step);
    if (sub.kind == TSK_ONE)
      parts.push_back({first, first, 1});
    else if (sub.kind == TSK_RANGE)
      parts.push_back({first, first + (count - 1) * step, step});
    else if (const auto here = whole.here(); sub.kind == TSK_OWN && here) {
      const int own = whole.nodes.coordinates(*here)[static_cast<std::size_t>(d)] + 1;
      parts.push_back({own, own, 1});
    } else
      parts.push_back({1, whole.nodes.extent(d), 1});
  }
  return parts;
}

} // namespace

extern "C" {

void tsk_nodes_make(const char* where, tsk_nodes* nodes, const char* name, int dims, const long* extents,
                    const tsk_ref* of) {
  if (nodes->of) return;
  at(where, [&] {
    std::vector<int> members;
    if (of) {
      members = members_of(of);
    } else {
      for (int rank = 0; rank < RunTime::now().world().size(); ++rank) members.push_back(rank);
    }
    std::vector<int> all;
    for (int d = 0; d < dims; ++d) {
      if (extents[d] != TSK_REST && extents[d] < 1)
        throw Error("nodes '" + std::string(name) + "' have an extent below 1", "give it one of 1 or more");
      all.push_back(extents[d] == TSK_REST ? 0 : static_cast<int>(extents[d]));
    }
    all = filled(std::move(all), static_cast<int>(members.size()), wished);
    auto object = std::make_unique<NodesObject>(
        NodesObject{{Described::Kind::nodes, name}, Nodes(std::move(all), std::move(members))});
    if (of)
      object->from = of->nodes || of->on_template ? NodesObject::From::others : NodesObject::From::executing;
    if (of && of->nodes) {
      object->whole = &nodes_of(of->nodes);
      object->part = parts_of(*object->whole, *of);
    }
    nodes->of = object.release();
  });
}

void tsk_nodes_end(tsk_nodes* nodes) {
  delete static_cast<NodesObject*>(nodes->of);
  nodes->of = nullptr;
}

void tsk_template_make(const char* where, tsk_template* t, const char* name, int dims,
                       const tsk_extent* extents) {
  if (t->of) return;
  at(where, [&] {
    auto object = std::make_unique<TemplateObject>();
    object->kind = Described::Kind::templ;
    object->name = name;
    for (int d = 0; d < dims; ++d)
      object->extents.push_back(
          extents[d].count < 0 ? std::nullopt : std::optional<Extent>({extents[d].first, extents[d].count}));
    t->of = object.release();
  });
}

void tsk_distribute(const char* where, tsk_template* t, const tsk_nodes* onto, const tsk_format* formats) {
  at(where, [&] {
    TemplateObject& object = template_of(t);
    if (object.onto) return; // already done, for a static local
    object.onto = &nodes_of(onto);
    take_formats(object, formats);
    object.settle();
  });
}

void tsk_template_fix(const char* where, tsk_template* t, const tsk_format* formats,
                      const tsk_extent* extents) {
  at(where, [&] {
    come_together(where, "template_fix", RunTime::now().executing().ranks());
    TemplateObject& object = template_of(t);
    if (object.fixed()) throw Error("template '" + object.name + "' is fixed already", "fix it once");
    if (!object.onto)
      throw Error("template '" + object.name + "' is fixed and not distributed", "distribute it before");
    for (std::size_t d = 0; extents && d < object.extents.size(); ++d)
      object.extents[d] = Extent{extents[d].first, extents[d].count};
    if (formats) take_formats(object, formats);
    object.settle();
    if (!object.fixed())
      throw Error("template '" + object.name + "' is not fixed by this",
                  "give its extents and the sizes of gblock(*)");
  });
}

void tsk_template_end(tsk_template* t) {
  delete static_cast<TemplateObject*>(t->of);
  t->of = nullptr;
}
}
