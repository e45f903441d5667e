#include <tasuki/program/intent.hpp>

#include <tasuki/base/digest.hpp>

#include <fmt/format.h>

#include <typeinfo>

namespace tasuki {
namespace {

// "1" for widths that are equal below and above along all axes of the grid, otherwise "1, 2:0".
std::string text_of(const Widths& widths, int dims) {
  std::string all;
  bool same = true;
  for (int a = 0; a < dims; ++a) {
    const Width w = widths[a];
    same = same && w == widths[0];
    all += (a ? ", " : "") + (w.lo == w.hi ? std::to_string(w.lo) : fmt::format("{}:{}", w.lo, w.hi));
  }
  return same && widths[0].lo == widths[0].hi ? std::to_string(widths[0].lo) : all;
}

std::string text_of(const Access& access, int dims) {
  switch (access.kind) {
    case Access::Kind::read: {
      if (access.here) return "reads " + access.name;
      const char* const shape = access.shape.order == 1          ? "star"
                                : access.shape.order == 2        ? "edges"
                                : access.shape.order >= kMaxDims ? "box"
                                                                 : "shape";
      return fmt::format("reads {} {}({})", access.name, shape, text_of(access.shape.width, dims));
    }
    case Access::Kind::write: return "writes " + access.name;
    case Access::Kind::update: return "updates " + access.name;
    case Access::Kind::anywhere: return "reads " + access.name + " anywhere";
    case Access::Kind::reduce: return "reduces " + access.name;
    case Access::Kind::use: return "uses " + access.name;
  }
  return {};
}

// How deep a field's halo is valid; {} in every way of having none.
Depth depth_of(const FieldCore& field) {
  const Depth depth = field.validity().depth();
  return depth.order == 0 || depth.width == Widths{} ? Depth{} : depth;
}

struct TextOf {
  std::string operator()(const Sweep& sweep) const {
    std::string text = sweep->name() + " over " + to_string(sweep->region());
    for (const Access& access : sweep->accesses()) text += ", " + text_of(access, sweep->grid().dims());
    const SweepCore& core = *sweep;
    // A hash of the types of fields, reductions and cell function, which the names do not contain.
    return fmt::format("{} (type {:08x})", text,
                       static_cast<std::uint32_t>(Digest().add(typeid(core).name()).value() >> 32));
  }
  std::string operator()(const Swap& swap) const { return "swap " + swap.a->name() + ", " + swap.b->name(); }
  std::string operator()(const Refresh& refresh) const {
    std::string text = "exchange";
    for (const auto& field : refresh.fields) text += " " + field->name();
    return text;
  }
  std::string operator()(const Call&) const { return "call"; }
  std::string operator()(const Settle& settle) const { return "settle " + settle->name(); }
};

} // namespace

Terms terms_of(const Items& items) {
  Terms terms;
  for (const Item& item : items) {
    std::string text = std::visit(TextOf{}, item.what);
    if (item.period != 1 || item.others)
      text += fmt::format(" in {} {} steps", item.others ? "all but every" : "every", item.period);
    terms.emplace_back(fmt::format("item {}", terms.size() + 1), text);
  }
  return terms;
}

Terms terms_of(const Planner& planner) {
  Terms terms;
  for (const auto& field : planner.fields()) {
    const Depth depth = depth_of(*field);
    const int dims = field->grid().dims();
    const std::string halo = depth.width == Widths{}
                                 ? "stale"
                                 : fmt::format("valid to {} off {} axes at once", text_of(depth.width, dims),
                                               std::min(depth.order, dims));
    terms.emplace_back("the halo of " + field->name(), halo);
    terms.emplace_back("the memory of " + field->name(), fmt::format("number {}", field->memory_id()));
    if (!field->common()) continue;
    static const char* const kSeen[] = {"not synchronised", "synchronised", "being read"};
    terms.emplace_back("the cells of " + field->name() + " as all ranks see them",
                       kSeen[static_cast<int>(field->validity().everywhere())]);
  }
  return terms;
}

std::uint64_t digest_of(const Program& program) {
  Digest digest;
  digest.add(program.planner().digest());
  for (const auto& field : program.planner().fields()) {
    const Depth depth = depth_of(*field);
    for (int a = 0; a < field->grid().dims(); ++a)
      digest.add(static_cast<std::uint64_t>(depth.width[a].lo))
          .add(static_cast<std::uint64_t>(depth.width[a].hi));
    digest.add(static_cast<std::uint64_t>(depth.order)).add(static_cast<std::uint64_t>(field->memory_id()));
    digest.add(static_cast<std::uint64_t>(field->validity().everywhere()));
  }
  return digest.value();
}

} // namespace tasuki
