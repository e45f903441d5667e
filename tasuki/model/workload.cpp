#include <tasuki/device/copy.hpp>
#include <tasuki/model/workload.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace tasuki {
namespace {

constexpr long kSector = 32;      // bytes that memory moves at least
constexpr long kMostSteps = 4096; // looked at for the average of a program whose steps do not repeat sooner

constexpr int kMostRanks = 1 << 16; // looked at for the one whose step takes longest

// The rank whose step takes longest: its block is as large as any (those that differ by a cell count as
// equal), most of its faces go far, and it has the most neighbours.
int busiest(const Decomposition& cut, const Joining& joining) {
  Index largest{};
  for (int a = 0; a < cut.dims; ++a)
    for (int c = 0; c < cut.ranks[a]; ++c)
      largest[a] = std::max(largest[a], cut.offsets[a][c + 1] - cut.offsets[a][c]);

  int best = 0;
  std::pair<double, int> most{-1, 0}; // cells of faces that go far, neighbours
  for (int rank = 0; rank < std::min(cut.size(), kMostRanks); ++rank) {
    const Box block = cut.block(rank);
    bool large = true;
    for (int a = 0; a < cut.dims; ++a) large = large && block.extent(a) + 1 >= largest[a];
    if (!large) continue;
    std::pair<double, int> score{0, 0};
    for (int a = 0; a < cut.dims; ++a)
      for (const int side : {-1, 1}) {
        std::array<int, kMaxDims> direction{};
        direction[a] = side;
        const int other = cut.neighbour(rank, direction);
        if (other < 0) continue;
        ++score.second;
        if (joining && joining(rank, other) == PairKind::far)
          score.first += static_cast<double>(block.cells()) / static_cast<double>(block.extent(a));
      }
    if (score > most) {
      most = score;
      best = rank;
    }
  }
  return best;
}

Index extents_of(const Box& box) {
  Index n{};
  for (int a = 0; a < box.dims; ++a) n[a] = box.extent(a);
  return n;
}

// How a box of a field lies in memory: rows along x, folded as far as they are dense.
Strided lying(const Layout& layout, const Box& box, long element_bytes) {
  Strided s;
  s.run = box.extent(0) * element_bytes;
  for (int a = 1; a < box.dims; ++a) {
    s.count[s.levels] = box.extent(a);
    s.stride[s.levels++] = layout.stride[a] * element_bytes;
  }
  return folded(s);
}

// The walk through the steps of one rank. It follows the rules of Planner (program/plan.cpp) without its
// fields.
class Schedule {
public:
  Schedule(const Description& program, const Decomposition& cut, const Workload& of, Padding padding)
      : program_(program),
        cut_(cut),
        rank_(of.rank),
        block_(of.block),
        layout_(layout_of(cut.dims, extents_of(of.block), program.halo, padding)) {
    for (std::size_t f = 0; f < program.fields.size(); ++f) validity_.emplace_back(program.all());
  }

  using State = std::vector<Validity>; // of each field
  const State& state() const { return validity_; }
  void set_state(const State& state) { validity_ = state; }

  // Of the parts that fire.
  StepLoad step(const std::vector<bool>& fires) {
    StepLoad load;
    for (std::size_t p = 0; p < fires.size(); ++p) {
      if (!fires[p]) continue;
      const DescribedItem& item = program_.items[p];
      if (const auto* sweep = std::get_if<DescribedSweep>(&item.what)) {
        load.sweeps.push_back(plan(*sweep));
      } else if (const auto* swap = std::get_if<DescribedSwap>(&item.what)) {
        std::swap(validity_[swap->a], validity_[swap->b]);
      } else if (const auto* refresh = std::get_if<DescribedRefresh>(&item.what)) {
        const Depth full{program_.halo, program_.dims};
        std::vector<Need> needs;
        for (const int field : refresh->fields) {
          needs.push_back({field, full});
          validity_[field].exchanged(full, program_.dims);
        }
        load.refreshes.push_back(faces(needs));
      } else {
        ++load.calls;
      }
    }
    return load;
  }

private:
  struct Need {
    int field;
    Depth depth;
  };

  Depth reach_of(const DescribedUse& use) const {
    Depth reach = use.reach;
    for (int a = 0; a < program_.dims; ++a)
      if (!cut_.exchanges(a)) reach.width[a] = Width(0);
    return reach;
  }
  static bool reads(const DescribedUse& use) {
    return use.kind == Access::Kind::read || use.kind == Access::Kind::update;
  }
  static bool writes(const DescribedUse& use) {
    return use.kind == Access::Kind::write || use.kind == Access::Kind::update;
  }

  // As far into the halo as the sweep could go if all that it reads were fresh.
  Widths most_extension(const DescribedSweep& sweep) const {
    const bool any_write = std::any_of(sweep.uses.begin(), sweep.uses.end(), writes);
    Widths most = program_.halo;
    for (int a = 0; a < program_.dims; ++a) {
      for (const DescribedUse& use : sweep.uses)
        if (use.kind == Access::Kind::read) {
          most[a].lo = std::min(most[a].lo, program_.halo[a].lo - use.reach.width[a].lo);
          most[a].hi = std::min(most[a].hi, program_.halo[a].hi - use.reach.width[a].hi);
        }
      if (!any_write || !cut_.exchanges(a)) most[a] = Width(0);
    }
    return most;
  }

  // What has to be exchanged first, and with it whatever keeps the sweep out of the halo.
  std::vector<Need> needs_of(const DescribedSweep& sweep, const Widths& extension) {
    const int dims = program_.dims;
    std::vector<Need> needs;
    const bool falls_short = std::any_of(sweep.uses.begin(), sweep.uses.end(), [&](const auto& use) {
      return reads(use) && !covers(validity_[use.field].depth(), reach_of(use), dims);
    });
    if (!falls_short) return needs;
    const bool extends = std::any_of(extension.begin(), extension.begin() + dims,
                                     [](const Width& w) { return w != Width(0); });
    for (const DescribedUse& use : sweep.uses) {
      if (!reads(use)) continue;
      Depth want = reach_of(use);
      if (extends) {
        for (int a = 0; a < dims; ++a) {
          want.width[a].lo += extension[a].lo;
          want.width[a].hi += extension[a].hi;
        }
        want.order = dims;
      }
      Validity& validity = validity_[use.field];
      if (covers(validity.depth(), want, dims)) continue;
      want = most(want, validity.depth());
      validity.exchanged(want, dims);
      needs.push_back({use.field, want});
    }
    return needs;
  }

  // As far into the halo as what the sweep reads is valid.
  Widths extension_of(const DescribedSweep& sweep, Widths extension) const {
    const int dims = program_.dims;
    for (const DescribedUse& use : sweep.uses) {
      if (!reads(use)) continue;
      const Depth depth = validity_[use.field].depth(), reach = reach_of(use);
      for (int a = 0; a < dims; ++a) {
        const auto room = [&](int valid, int read, int most) {
          return depth.order < dims ? 0 : std::clamp(valid - read, 0, most);
        };
        extension[a].lo = room(depth.width[a].lo, reach.width[a].lo, extension[a].lo);
        extension[a].hi = room(depth.width[a].hi, reach.width[a].hi, extension[a].hi);
      }
    }
    return extension;
  }

  // The block grown into the halo, as much of it as lies in the region. Local cells.
  Box cells_of(const DescribedSweep& sweep, const Widths& extension) const {
    const Box region = program_.region(sweep);
    Box box = grow(block_, extension);
    for (int a = 0; a < program_.dims; ++a) {
      const bool whole = sweep.margin[a] == Width(0);
      if (!(cut_.periodic[a] && whole)) { // else the region's images join without a seam
        box.lo[a] = std::max(box.lo[a], region.lo[a]);
        box.hi[a] = std::min(box.hi[a], region.hi[a]);
      }
      box.lo[a] -= block_.lo[a];
      box.hi[a] -= block_.lo[a];
    }
    return box;
  }

  // What of it needs no halo that is on its way, and changes no cell that is.
  Box interior_of(const DescribedSweep& sweep, const std::vector<Need>& needs, const Widths& extension,
                  const Box& cells) const {
    const int dims = program_.dims;
    Depth rim{};
    for (const DescribedUse& use : sweep.uses)
      for (const Need& need : needs) {
        if (use.field != need.field) continue;
        rim = most(rim, reach_of(use));
        if (use.kind != Access::Kind::update) continue;
        Depth sent{};
        for (int a = 0; a < dims; ++a) sent.width[a] = Width(need.depth.width[a].hi, need.depth.width[a].lo);
        rim = most(rim, sent);
      }
    Widths within{};
    for (int a = 0; a < dims; ++a)
      within[a] = cut_.ranks[a] == 1 ? extension[a] : Width(-rim.width[a].lo, -rim.width[a].hi);
    return intersect(cells, grow(box_of(dims, extents_of(block_)), within));
  }

  // Bytes that a box of cells moves between memory and the device, short rows as whole sectors.
  double traffic(const DescribedSweep& sweep, const Box& box) const {
    if (box.empty()) return 0;
    const double rows = static_cast<double>(box.cells()) / static_cast<double>(box.extent(0));
    double bytes = 0;
    for (const DescribedUse& use : sweep.uses) {
      const DescribedField& field = program_.fields[use.field];
      const long row = box.extent(0) * field.element_bytes;
      const double moved = static_cast<double>((row + kSector - 1) / kSector * kSector) * field.components;
      bytes += rows * moved * (use.kind == Access::Kind::update ? 2 : 1);
    }
    return bytes;
  }

  std::vector<FaceLoad> faces(const std::vector<Need>& needs) const {
    const int dims = program_.dims;
    std::map<std::array<int, kMaxDims>, FaceLoad> by_direction;
    int directions = 1;
    for (int a = 0; a < dims; ++a) directions *= 3;
    for (int k = 0; k < directions; ++k) {
      std::array<int, kMaxDims> d{};
      int axes = 0, rest = k;
      for (int a = 0; a < dims; ++a, rest /= 3) {
        d[a] = rest % 3 - 1;
        axes += d[a] != 0;
      }
      if (axes == 0) continue;
      const int to = cut_.neighbour(rank_, d);
      if (to < 0) continue;
      for (const Need& need : needs) {
        if (axes > need.depth.order) continue;
        Box box = box_of(dims, extents_of(block_));
        for (int a = 0; a < dims; ++a) {
          if (!cut_.exchanges(a) && d[a] != 0) box.hi[a] = box.lo[a];
          if (d[a] > 0) box.lo[a] = box.hi[a] - need.depth.width[a].lo;
          if (d[a] < 0) box.hi[a] = box.lo[a] + need.depth.width[a].hi;
        }
        if (box.empty()) continue;
        const DescribedField& field = program_.fields[need.field];
        const Strided cells = lying(layout_, box, field.element_bytes);
        FaceLoad& face = by_direction[d];
        face.direction = d;
        face.to = to;
        face.bytes += cells.bytes() * field.components;
        if (face.row_bytes > 0) continue;
        face.row_bytes = cells.run;
        face.shape = cells.levels == 0                 ? FaceShape::block
                     : cells.run > field.element_bytes ? FaceShape::block_stride
                                                       : FaceShape::stride;
      }
    }
    std::vector<FaceLoad> list;
    for (auto& [d, face] : by_direction) list.push_back(std::move(face));
    return list;
  }

  SweepLoad plan(const DescribedSweep& sweep) {
    SweepLoad load;
    load.name = sweep.name;
    load.reduces = sweep.reduces;
    const Widths most = most_extension(sweep);
    const std::vector<Need> needs = needs_of(sweep, most);
    const Widths extension = extension_of(sweep, most);
    const Box cells = cells_of(sweep, extension);
    load.cells = cells.cells();
    load.bytes = traffic(sweep, cells);
    load.interior_cells = load.cells;
    load.interior_bytes = load.bytes;
    if (!needs.empty()) {
      load.exchanges = true;
      load.faces = faces(needs);
      const Box interior = interior_of(sweep, needs, extension, cells);
      load.interior_cells = interior.cells();
      load.interior_bytes = traffic(sweep, interior);
      for (const Box& rest : subtract(cells, interior)) {
        load.rim_cells += rest.cells();
        load.rim_bytes += traffic(sweep, rest);
      }
    }
    for (const DescribedUse& use : sweep.uses)
      if (writes(use)) validity_[use.field].written(program_.region(sweep), {extension, program_.dims});
    return load;
  }

  const Description& program_;
  const Decomposition& cut_;
  int rank_;
  Box block_;
  Layout layout_;
  State validity_;
};

// The cells that a shape covers: its own, and those off it along at most `order` axes.
double points(const Depth& reach, int dims) {
  std::vector<double> by_axes(static_cast<std::size_t>(dims) + 1, 0.0); // how many are off so many axes
  by_axes[0] = 1;
  for (int a = 0; a < dims; ++a)
    for (int axes = a + 1; axes > 0; --axes)
      by_axes[axes] += by_axes[axes - 1] * (reach.width[a].lo + reach.width[a].hi);
  return std::accumulate(by_axes.begin(), by_axes.begin() + std::min(dims, reach.order) + 1, 0.0);
}

// What a kernel of many steps keeps.
void add_roles(Workload& load, const Description& program) {
  std::vector<bool> slot(program.fields.size());
  double sweeps = 0;
  for (const DescribedItem& item : program.items) {
    if (const auto* swap = std::get_if<DescribedSwap>(&item.what)) slot[swap->a] = slot[swap->b] = true;
    const auto* sweep = std::get_if<DescribedSweep>(&item.what);
    if (!sweep) continue;
    const auto period = static_cast<double>(item.period);
    const double share = (item.others ? period - 1 : 1) / period;
    sweeps += share;
    for (const DescribedUse& use : sweep->uses) {
      const double numbers = program.fields[use.field].components * share;
      load.words += numbers * (use.kind == Access::Kind::read     ? points(use.reach, program.dims)
                               : use.kind == Access::Kind::update ? 2
                                                                  : 1);
      bool beyond = use.kind != Access::Kind::read;
      for (int a = 0; a < program.dims; ++a) {
        const int reach = std::max(use.reach.width[a].lo, use.reach.width[a].hi);
        load.reach[a] = std::max(load.reach[a], reach);
        beyond = beyond || reach > 0;
      }
      if (beyond) slot[use.field] = true;
    }
  }
  if (sweeps > 0) load.words /= sweeps;
  for (std::size_t f = 0; f < slot.size(); ++f)
    (slot[f] ? load.slot_bytes : load.fixed_bytes) += program.fields[f].cell_bytes();
}

} // namespace

double Workload::mean(const std::function<double(const StepLoad&)>& of) const {
  double sum = 0;
  for (const StepLoad& step : steps) sum += step.share * of(step);
  return sum;
}
double Workload::cells() const {
  return mean([](const StepLoad& step) {
    double sum = 0;
    for (const SweepLoad& sweep : step.sweeps) sum += static_cast<double>(sweep.cells);
    return sum;
  });
}
double Workload::bytes() const {
  return mean([](const StepLoad& step) {
    double sum = 0;
    for (const SweepLoad& sweep : step.sweeps) sum += sweep.bytes;
    return sum;
  });
}
double Workload::sent(bool to_itself) const {
  return mean([&](const StepLoad& step) {
    double sum = 0;
    const auto add = [&](const std::vector<FaceLoad>& faces) {
      for (const FaceLoad& face : faces)
        if ((face.to == rank) == to_itself) sum += static_cast<double>(face.bytes);
    };
    for (const SweepLoad& sweep : step.sweeps) add(sweep.faces);
    for (const auto& faces : step.refreshes) add(faces);
    return sum;
  });
}

Joining nodes_of(int devices) {
  return [devices](int a, int b) {
    return a == b ? PairKind::self : a / devices == b / devices ? PairKind::node : PairKind::far;
  };
}

Decomposition cut_for(const Description& program, int devices, const ExchangeCost& cost,
                      const std::array<int, kMaxDims>& ranks) {
  DecompositionRequest request;
  request.dims = program.dims;
  request.extents = program.extents;
  request.periodic = program.periodic;
  request.wraps = program.wraps;
  request.halo = program.halo;
  request.ranks = ranks;
  request.size = devices;
  return decompose(request, cost);
}

Workload workload(const Description& program, const Decomposition& cut, Padding padding,
                  const Joining& joining) {
  Workload load;
  load.cut = cut;
  load.halo = program.halo;
  load.looks = program.look_every > 0 ? 1.0 / static_cast<double>(program.look_every) : 0;
  load.look_late = program.look_late;
  load.rank = busiest(cut, joining);
  load.block = cut.block(load.rank);
  add_roles(load, program);
  load.memory = program.bytes_a_cell() * static_cast<double>(load.block.cells());

  // The halos fill in the first steps; then the state comes back with the periods of the parts, and the steps
  // from one time to the next are those of the whole run. A step like one before is looked up.
  long round = 1;
  for (const DescribedItem& item : program.items)
    round = std::min(kMostSteps, std::lcm(round, std::min(kMostSteps, item.period)));
  long fill = 1;
  for (int a = 0; a < cut.dims; ++a) fill = std::max<long>({fill, program.halo[a].lo, program.halo[a].hi});
  fill = (fill + round - 1) / round * round;

  Schedule schedule(program, cut, load, padding);
  std::vector<Schedule::State> states{schedule.state()};
  struct Known {
    std::size_t step, after;
  };
  std::map<std::pair<std::vector<bool>, std::size_t>, Known> known; // by what fires, in which state
  std::size_t state = 0;
  const auto advance = [&](long number) {
    const std::vector<bool> fires = program.firing(number);
    if (const auto found = known.find({fires, state}); found != known.end()) {
      state = found->second.after;
      return found->second.step;
    }
    schedule.set_state(states[state]);
    load.steps.push_back(schedule.step(fires));
    const auto same = std::find(states.begin(), states.end(), schedule.state());
    const std::size_t after = static_cast<std::size_t>(same - states.begin());
    if (same == states.end()) states.push_back(schedule.state());
    known[{fires, state}] = {load.steps.size() - 1, after};
    state = after;
    return load.steps.size() - 1;
  };
  for (long number = 1; number <= fill; ++number) advance(number);
  const std::size_t start = state;
  long counted = 0;
  do {
    load.steps[advance(fill + ++counted)].share += 1;
  } while (counted < kMostSteps && (counted % round != 0 || state != start));
  std::erase_if(load.steps, [](const StepLoad& step) { return step.share == 0; });
  for (StepLoad& step : load.steps) step.share /= static_cast<double>(counted);
  return load;
}

} // namespace tasuki
