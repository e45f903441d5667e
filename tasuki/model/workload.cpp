#include <tasuki/device/kernel/wave.hpp>
#include <tasuki/device/tiled/columns.hpp>
#include <tasuki/field/bands.hpp>
#include <tasuki/halo/boxes.hpp>
#include <tasuki/model/workload.hpp>
#include <tasuki/program/rules.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace tasuki {
namespace {

constexpr long kSector = 32;        // smallest memory transaction in bytes
constexpr long kMostCounted = 4096; // for the average of a program whose steps do not repeat earlier

constexpr int kMostRanks = 1 << 16; // examined to find the slowest rank

// The rank that is expected to be the slowest: its block is as large as any (up to a cell), the largest part of its
// faces crosses slow links, and it has the most neighbours.
int busiest(const Decomposition& cut, const Joining& joining) {
  Index largest{};
  for (int a = 0; a < cut.dims; ++a)
    for (int c = 0; c < cut.ranks[a]; ++c)
      largest[a] = std::max(largest[a], cut.offsets[a][c + 1] - cut.offsets[a][c]);

  int best = 0;
  std::pair<double, int> most{-1, 0}; // cells of faces over slow links, neighbours
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

long cells_of(const std::vector<Box>& boxes) {
  long cells = 0;
  for (const Box& box : boxes) cells += box.cells();
  return cells;
}

Index extents_of(const Box& box) {
  Index n{};
  for (int a = 0; a < box.dims; ++a) n[a] = box.extent(a);
  return n;
}

// Simulates the steps of one rank, by the planner's rules (program/rules.hpp).
class Schedule {
public:
  Schedule(const Description& program, const Decomposition& cut, const Workload& of, Padding padding,
           const Joining& joining)
      : program_(program),
        cut_(cut),
        joining_(joining),
        grid_{&cut_, halo_of(cut, program.halo), of.rank, !program.channel_forced,
              program.direct && cut.size() > 1},
        layout_(layout_of(cut.dims, extents_of(of.block), grid_.halo, padding)) {
    for (std::size_t f = 0; f < program.fields.size(); ++f) validity_.emplace_back(program.all());
  }

  using State = std::vector<Validity>; // of each field
  const State& state() const { return validity_; }
  void set_state(const State& state) { validity_ = state; }

  // The load of the items that are executed.
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
        std::vector<Need> needs;
        for (const int field : refresh->fields) {
          needs.push_back(
              {field, whole_halo(grid_.halo, program_.dims, program_.fields[field].codec != nullptr)});
          validity_[field].exchanged(needs.back().depth, program_.dims);
        }
        load.refreshes.push_back(faces(needs));
      } else {
        ++load.calls;
        meet(load);
      }
    }
    return load;
  }

private:
  // Bytes moved between memory and the device for boxes of cells; short rows count as whole sectors.
  double traffic(const DescribedSweep& sweep, const std::vector<Box>& boxes) const {
    double bytes = 0;
    for (const Box& box : boxes) {
      const double rows = static_cast<double>(box.cells()) / static_cast<double>(box.extent(0));
      for (const Use& use : sweep.uses) {
        const Storage& storage = program_.fields[use.field].storage;
        const long row = box.extent(0) * storage.element_bytes;
        const double moved =
            static_cast<double>((row + kSector - 1) / kSector * kSector) * storage.components;
        bytes += rows * moved * (use.kind == Access::Kind::update ? 2 : 1);
      }
    }
    return bytes;
  }

  // A call may write what neighbours read where it lies.
  void meet(StepLoad& load) {
    if (!grid_.direct) return;
    std::vector<int> all(validity_.size());
    std::iota(all.begin(), all.end(), 0);
    if (const std::vector<Need> needs = meeting_before(all, validity_); !needs.empty())
      load.refreshes.push_back(faces(needs));
  }

  // Whether a face is the receiver's halo already. Edges and corners travel.
  bool is_there(const SentFace& sent) const {
    if (!grid_.direct || axes_of(sent.direction) > 1) return false;
    const int step = sent.direction[static_cast<std::size_t>(program_.dims - 1)];
    if (next_band(cut_, grid_.rank, step) != sent.to) return false;
    return !joining_ || joining_(grid_.rank, sent.to) == PairKind::node;
  }

  std::vector<FaceLoad> faces(const std::vector<Need>& needs) const {
    int order = 0;
    std::vector<SentField> fields;
    for (const Need& need : needs) {
      order = std::max(order, need.depth.order);
      const DescribedField& field = program_.fields[need.field];
      fields.push_back({field.storage, field.codec.get(), need.depth});
    }
    std::vector<FaceLoad> list;
    for (const SentFace& sent : sent_faces(cut_, grid_.rank, layout_, fields, directions(cut_, order))) {
      if (sent.parts.empty()) continue;
      const Rows& first = sent.parts.front();
      FaceLoad face{sent.direction, sent.to, 0, first.shape,
                    first.levels == 0 ? first.bytes : first.row_bytes};
      for (const Rows& rows : sent.parts) face.bytes += rows.bytes;
      if (is_there(sent)) face.near = std::exchange(face.bytes, 0);
      list.push_back(face);
    }
    return list;
  }

  SweepLoad plan(const DescribedSweep& sweep) {
    SweepLoad load;
    load.name = sweep.name;
    load.reduces = sweep.reduces;
    const SweepPlan plan = plan_sweep(grid_, {program_.region(sweep), sweep.uses}, validity_);
    load.syncs = !plan.syncs.empty();
    load.anywhere = std::any_of(sweep.uses.begin(), sweep.uses.end(),
                                [](const Use& use) { return use.kind == Access::Kind::anywhere; });
    load.cells = cells_of(plan.boxes);
    load.bytes = traffic(sweep, plan.boxes);
    load.exchanges = !plan.needs.empty();
    if (load.exchanges) load.faces = faces(plan.needs);
    const std::vector<Box>& interior = load.exchanges ? plan.interior : plan.boxes;
    load.interior_cells = cells_of(interior);
    load.interior_bytes = traffic(sweep, interior);
    load.rim_cells = cells_of(plan.rim);
    load.rim_bytes = traffic(sweep, plan.rim);
    return load;
  }

  const Description& program_;
  const Decomposition& cut_;
  const Joining& joining_;
  PlannedGrid grid_;
  Layout layout_;
  State validity_;
};

// The number of cells of a stencil: offsets that are nonzero along at most `order` axes.
double points(const Depth& reach, int dims) {
  std::vector<double> by_axes(static_cast<std::size_t>(dims) + 1, 0.0); // by the number of axes of the offset
  by_axes[0] = 1;
  for (int a = 0; a < dims; ++a)
    for (int axes = a + 1; axes > 0; --axes)
      by_axes[axes] += by_axes[axes - 1] * (reach.width[a].lo + reach.width[a].hi);
  return std::accumulate(by_axes.begin(), by_axes.begin() + std::min(dims, reach.order) + 1, 0.0);
}

// Bytes per cell of the fields that a step writes before it reads them,
// so that their previous contents are not needed.
double bytes_written_first(const Description& program) {
  std::vector<bool> met(program.fields.size());
  double bytes = 0;
  for (const DescribedItem& item : program.items) {
    const auto* const sweep = std::get_if<DescribedSweep>(&item.what);
    if (!sweep) continue;
    for (const Use& use : sweep->uses) {
      const auto field = static_cast<std::size_t>(use.field);
      if (!met[field] && !use.reads()) bytes += program.fields[field].cell_bytes();
      met[field] = true;
    }
  }
  return bytes;
}

// The numbers of a field that a cell reads where it shares its reads with the others of a column of `cells` cells along y:
// those above and below are in registers.
double points_in_column(const Depth& reach, int dims, int cells) {
  if (dims < 2) return points(reach, dims);
  Depth across = reach; // offsets that are 0 along y
  across.width[1] = {};
  const double all = points(across, dims), span = reach.width[1].lo + reach.width[1].hi;
  across.order = std::min(reach.order, dims) - 1; // of these, columns of more than one cell
  return all + (reach.order < 1 ? 0 : points(across, dims)) * span / cells;
}

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
    int least = 0;
    for (int a = 0; a < program.dims; ++a) load.whole = load.whole && sweep->margin[a] == Width(0);
    for (const Use& use : sweep->uses) {
      const Storage& storage = program.fields[use.field].storage;
      const double numbers = storage.components * share;
      load.words += numbers * (use.kind == Access::Kind::read     ? points(use.reach, program.dims)
                               : use.kind == Access::Kind::update ? 2
                                                                  : 1);
      least += tile_words(storage.components, storage.element_bytes);
      bool beyond = use.kind != Access::Kind::read;
      for (int a = 0; a < program.dims; ++a) {
        const int reach = std::max(use.reach.width[a].lo, use.reach.width[a].hi);
        load.reach[a] = std::max(load.reach[a], reach);
        beyond = beyond || reach > 0;
      }
      if (beyond) slot[use.field] = true;
    }
    load.least_words = std::max(load.least_words, least);
    for (const Use& use : sweep->uses) {
      if (!slot[use.field]) continue;
      const Storage& storage = program.fields[use.field].storage;
      const double read = use.reads() ? points_in_column(use.reach, program.dims, pass_column(least)) : 0;
      if (use.reads() && program.dims == 3) { // the own column of each plane is in registers
        const Width along = use.reach.width[2];
        load.wave_reads +=
            share *
            (points_in_column(use.reach, 3, wave_shape(static_cast<int>(storage.element_bytes)).column) -
             (along == Width(0) ? 1 : 3));
      }
      load.column_words +=
          (read + use.writes()) * tile_words(storage.components, storage.element_bytes) * share;
    }
  }
  if (sweeps > 0) load.words /= sweeps, load.column_words /= sweeps, load.wave_reads /= sweeps;
  for (std::size_t f = 0; f < slot.size(); ++f) {
    (slot[f] ? load.slot_bytes : load.fixed_bytes) += program.fields[f].cell_bytes();
    if (slot[f]) load.number_bytes = static_cast<int>(program.fields[f].storage.element_bytes);
  }
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

double Workload::messages() const {
  return mean([](const StepLoad& step) {
    double sum = 0;
    const auto add = [&](const std::vector<FaceLoad>& faces) {
      std::set<int> neighbours;
      for (const FaceLoad& face : faces) neighbours.insert(face.to);
      sum += static_cast<double>(neighbours.size());
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
  for (int a = 0; a < program.dims - 1 && program.direct; ++a)
    if (request.ranks[a] == 0) request.ranks[a] = 1;
  return decompose(request, cost);
}

Workload workload(const Description& program, const Decomposition& cut, Padding padding,
                  const Joining& joining) {
  return workload_of(busiest(cut, joining), program, cut, padding, joining);
}

Workload workload_of(int rank, const Description& program, const Decomposition& cut, Padding padding,
                     const Joining& joining) {
  Workload load;
  load.direct = program.direct && cut.size() > 1;
  load.cut = cut;
  load.halo = program.halo;
  load.looks = program.looks.every > 0 ? 1.0 / static_cast<double>(program.looks.every) : 0;
  load.look_late = program.looks.late;
  load.looks_in_kernels = program.looks.in_kernels && // kernels of many steps do steps that are alike
                          std::all_of(program.items.begin(), program.items.end(),
                                      [](const DescribedItem& item) { return item.period == 1; });
  load.look_told = program.looks.told;
  load.rank = rank;
  load.block = cut.block(load.rank);
  add_roles(load, program);
  load.memory = program.bytes_a_cell() * static_cast<double>(load.block.cells());
  load.read_first = load.memory - bytes_written_first(program) * static_cast<double>(load.block.cells());

  // Halos become valid in the first steps; afterwards the state repeats with the periods of the items, and the
  // steps of one period represent the whole run. Repeated steps are looked up.
  long round = 1;
  for (const DescribedItem& item : program.items)
    round = std::min(kMostCounted, std::lcm(round, std::min(kMostCounted, item.period)));
  long fill = 1;
  for (int a = 0; a < cut.dims; ++a) fill = std::max<long>({fill, program.halo[a].lo, program.halo[a].hi});
  fill = (fill + round - 1) / round * round;

  Schedule schedule(program, cut, load, padding, joining);
  std::vector<Schedule::State> states{schedule.state()};
  struct Known {
    std::size_t step, after;
  };
  std::map<std::pair<std::vector<bool>, std::size_t>, Known> known; // by executed items and state
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
  } while (counted < kMostCounted && (counted % round != 0 || state != start));
  std::erase_if(load.steps, [](const StepLoad& step) { return step.share == 0; });
  for (StepLoad& step : load.steps) step.share /= static_cast<double>(counted);
  return load;
}

} // namespace tasuki
