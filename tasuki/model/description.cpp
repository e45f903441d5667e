#include <tasuki/model/description.hpp>
#include <tasuki/program/plan.hpp>

#include <algorithm>

namespace tasuki {
namespace {

std::string without_arguments(const std::string& type) { return type.substr(0, type.find('<')); }

} // namespace

Box Description::region(const DescribedSweep& sweep) const {
  Box box = all();
  for (int a = 0; a < dims; ++a) {
    box.lo[a] += sweep.margin[a].lo;
    box.hi[a] -= sweep.margin[a].hi;
  }
  return box;
}

Description Description::resized(const Index& to) const {
  Description other = *this;
  other.extents = to;
  return other;
}

Description Description::with_halo(int width) const {
  Description other = *this;
  other.direct = width == kDirectHalo;
  for (int a = 0; a < dims && !other.direct; ++a)
    if (other.halo[a] != Width(0)) other.halo[a] = Width(width);
  return other;
}

double Description::bytes_a_cell() const {
  double bytes = 0;
  for (const DescribedField& field : fields) bytes += field.cell_bytes();
  return bytes;
}

std::vector<bool> Description::firing(long number) const {
  std::vector<bool> fires;
  for (const DescribedItem& item : items) fires.push_back(tasuki::fires(number, item.period, item.others));
  return fires;
}

Description describe(const Program& program) {
  const GridCore& grid = program.grid();
  const auto& fields = program.planner().fields();
  Description d;
  d.dims = grid.dims();
  d.extents = grid.extents();
  d.periodic = grid.cut().periodic;
  d.wraps = grid.cut().wraps;
  d.halo = grid.asked_halo();
  d.direct = grid.bands().any();
  d.channel_forced = !grid.world().settings().channel.empty();
  for (const auto& field : fields)
    d.fields.push_back({field->name(), field->storage(),
                        field->codec() ? std::make_shared<const Codec>(*field->codec()) : nullptr});
  const auto place_of = [&](const std::shared_ptr<FieldCore>& field) {
    return static_cast<int>(std::find(fields.begin(), fields.end(), field) - fields.begin());
  };

  const auto describe_sweep = [&](const SweepCore& sweep) {
    DescribedSweep s;
    s.name = without_arguments(sweep.name());
    s.reduces = sweep.reduces();
    for (int a = 0; a < d.dims; ++a)
      s.margin[a] = Width(static_cast<int>(sweep.region().lo[a]),
                          static_cast<int>(d.extents[a] - sweep.region().hi[a]));
    for (const Access& access : sweep.accesses())
      if (access.field)
        s.uses.push_back({access.kind,
                          place_of(access.field),
                          {access.shape.width, access.shape.order},
                          access.field->codec() != nullptr});
    return s;
  };
  for (const Item& item : program.items()) {
    DescribedItem made{{}, item.period, item.others};
    if (const auto* sweep = std::get_if<Sweep>(&item.what)) {
      made.what = describe_sweep(**sweep);
    } else if (const auto* swap = std::get_if<Swap>(&item.what)) {
      made.what = DescribedSwap{place_of(swap->a), place_of(swap->b)};
    } else if (const auto* refresh = std::get_if<Refresh>(&item.what)) {
      DescribedRefresh of;
      for (const auto& field : refresh->fields) of.fields.push_back(place_of(field));
      made.what = std::move(of);
    } else {
      made.what = DescribedCall{};
    }
    d.items.push_back(std::move(made));
  }
  return d;
}

} // namespace tasuki
