// Construction of neighbour lists, one per atom, from coordinates of reduced precision.
//
// In three stages: a chunk of lanes finds the atoms near its bounding box, each lane selects a wide list from these,
// and selects its list from the wide list as long as that is valid. List entries are in the order of the lanes.
#pragma once

#include <apps/argon/engine/batch.hpp>
#include <apps/argon/physics/seen.hpp>
#include <tasuki/device/group/group_shape.hpp>

namespace tasuki::argon {

// The lists and their temporary data in a group's memory; neighbours.hpp uses them.
template <class Group>
class Listing {
public:
  // True if a lane has moved so far that an atom missing in the lists may be within the cut-off.
  TS_HD bool strayed(int i, int) const { return way(listed_[i], seen_[i]) > stray_; }

  // Rebuilds the lists for the present coordinates: from wide lists while those are valid, otherwise from all atoms.
  TS_HD void renew(double edge) {
    if (!(laws_.wide_skin > laws_.skin) ||
        g_.any([&](int i, int) TS_LANE { return way(made_[i], seen_[i]) > wide_stray_; }))
      build(edge);
    else
      choose_from_wide();
  }

  TS_HD void build(double edge) {
    const float per_nm = static_cast<float>(8 / edge), cutoff = static_cast<float>(laws_.matter.cutoff);
    const float reach = (cutoff + laws_.skin) * per_nm, wide = (cutoff + laws_.wide_skin) * per_nm;
    const float half = 0.5f * laws_.skin * per_nm, rest = 0.5f * (laws_.wide_skin - laws_.skin) * per_nm;
    constexpr float kSquare = kEighth * kEighth;
    stray_ = half * half * kSquare;
    wide_stray_ = rest * rest * kSquare;
    near_ = bits_of(reach * reach * kSquare);
    g_.each([&](int i, int) TS_LANE { made_.put(i, seen_[i]); });
    g_.each_of(g_.chunks(), [&](int chunk) {
      const int first = chunk * Group::kChunk, end = first + Group::kChunk;
      around_[chunk] = box_around(seen_, first, end < g_.lanes() ? end : g_.lanes());
    });
    look_for_candidates((wide + kSlack) * (wide + kSlack));
    if (laws_.wide_skin > laws_.skin) {
      choose_from_candidates(wide_, wide_trips_, bits_of(wide * wide * kSquare));
      choose_from_wide();
    } else {
      g_.each([&](int i, int) TS_LANE { listed_.put(i, seen_[i]); });
      choose_from_candidates(list_, trips_, near_);
    }
  }

  // True if a list has overflowed since the start: the sums are then invalid.
  TS_HD bool overflowed() const { return overflowed_; }

protected:
  using Index = typename Group::Index;
  using Marks = typename Group::Marks; // a row of candidates has whole ones: four atoms each

  TS_HD Listing(Group& g, const Laws& laws)
      : g_(g),
        laws_(laws),
        seen_(g.template words<2>(g.lanes())),
        listed_(g.template words<2>(g.lanes())),
        made_(g.template words<2>(g.lanes())),
        key_(g.template shared<std::uint32_t>(g.lanes())),
        order_(g.template shared<Index>(g.lanes())),
        candidates_(g.template shared<int>(g.chunks())),
        trips_(g.template shared<int>(g.chunks())),
        wide_trips_(g.template shared<int>(g.chunks())),
        around_(g.template shared<Around>(g.chunks())),
        stride_(g.chunks() * Group::kChunk),
        candidate_(reinterpret_cast<Index*>(g.scratch())),
        wide_(reinterpret_cast<Marks*>(candidate_ + g.chunks() * g.lanes())),
        list_(wide_ + stride_ * (laws.list_room / Marks::kCount)),
        own_x_(g.template own<std::uint32_t>()),
        own_y_(g.template own<std::uint32_t>()),
        own_z_(g.template own<std::uint32_t>()),
        count_(g.template own<int>()),
        pending_(g.template own<Marks>()) {}

  // Copies a lane's coordinates, for use while it processes its list.
  TS_HD void set_own(int i, int slot) {
    const Place p = unpacked(seen_[i]);
    own_x_[slot] = p.x;
    own_y_[slot] = p.y;
    own_z_[slot] = p.z;
  }
  TS_HD unsigned row(int k, int i) const {
    return static_cast<unsigned>(k) * static_cast<unsigned>(stride_) + static_cast<unsigned>(i);
  }

  Group& g_;
  const Laws& laws_;
  typename Group::template Words<2> seen_, listed_, made_; // now, and when lists and wide lists were built
  std::uint32_t* key_;                                     // of the order; then a lane's number of entries
  Index* order_;
  int *candidates_, *trips_, *wide_trips_;
  Around* around_;
  int stride_;
  Index* candidate_;
  Marks *wide_, *list_;
  typename Group::template Own<std::uint32_t> own_x_, own_y_, own_z_;

private:
  static constexpr float kSlack = 1e-4f; // eighths of an edge; exceeds all rounding errors

  TS_HD void look_for_candidates(float reach2) {
    const Around* around = around_;
    Index* candidate = candidate_;
    int* found = candidates_;
    const int lanes = g_.lanes();
    g_.filter(
        lanes,
        [seen = seen_, around, reach2](int chunk, int j) TS_LANE {
          const Place p = unpacked(seen[j]);
          const Around a = around[chunk];
          const float x = beyond(p.x, a.middle.x, a.x), y = beyond(p.y, a.middle.y, a.y),
                      z = beyond(p.z, a.middle.z, a.z);
          return fmaf(z, z, fmaf(y, y, x * x)) < reach2;
        },
        [=, seen = seen_](int chunk, int k, int j)
            TS_LANE { candidate[chunk * lanes + k] = static_cast<Index>(seen.mark(j)); },
        [=, seen = seen_](int chunk, int count) TS_LANE {
          found[chunk] = count;
          for (int k = count; k % Marks::kCount != 0; ++k) // padding, read but ignored
            candidate[chunk * lanes + k] = static_cast<Index>(seen.mark(0));
        });
  }

  // Appends an entry to a lane's list if that atom is near. An atom is not its own neighbour, as in add_pair().
  TS_HD void append(Marks* list, int i, int slot, const Element<2>& seen, std::uint32_t entry, bool there,
                    std::uint32_t near) {
    const Place p = unpacked(seen);
    const float x = apart(own_x_[slot], p.x), y = apart(own_y_[slot], p.y), z = apart(own_z_[slot], p.z);
    const float r2 = fmaf(z, z, fmaf(y, y, fmaf(x, x, -1e-30f)));
    const bool listed = bits_of(r2) < near && there;
    const int count = count_[slot];
    if constexpr (Marks::kCount > 1) { // collected until there are as many as one store writes
      if (listed) {
        pending_[slot].push(entry);
        if (count % Marks::kCount == Marks::kCount - 1 && count < laws_.list_room)
          write(list, i, slot, count / Marks::kCount);
        count_[slot] = count + 1;
      }
    } else {
      const int room = laws_.list_room, at = count < room ? count : room - 1;
      if (listed) list[row(at, i)] = {entry};
      count_[slot] = count + (listed ? 1 : 0);
    }
  }
  TS_HD void write(Marks* list, int i, int slot, int at) { list[row(at, i)] = pending_[slot]; }
  TS_HD void start_list(int i, int slot) {
    set_own(i, slot);
    count_[slot] = 0;
  }
  TS_HD void end_list(Marks* list, int i, int slot) {
    const int count = count_[slot];
    key_[i] = static_cast<std::uint32_t>(count);
    if constexpr (Marks::kCount > 1) {
      if (count % Marks::kCount == 0 || count >= laws_.list_room) return;
      for (int k = count; k % Marks::kCount != 0; ++k) pending_[slot].push(seen_.mark(i));
      write(list, i, slot, count / Marks::kCount);
    }
  }
  TS_HD void append_all(Marks* list, int i, int slot, const Marks& marks, int left, std::uint32_t near) {
    if constexpr (Marks::kCount == 4) {
      const Element<2> a = seen_.at(marks[0]), b = seen_.at(marks[1]), c = seen_.at(marks[2]),
                       d = seen_.at(marks[3]);
      append(list, i, slot, a, marks[0], true, near);
      append(list, i, slot, b, marks[1], left > 1, near);
      append(list, i, slot, c, marks[2], left > 2, near);
      append(list, i, slot, d, marks[3], left > 3, near);
    } else {
      append(list, i, slot, seen_.at(marks[0]), marks[0], true, near);
    }
  }

  TS_HD void choose_from_candidates(Marks* list, int* trips, std::uint32_t near) {
    const Marks* candidate = reinterpret_cast<const Marks*>(candidate_);
    const int rows = g_.lanes() / Marks::kCount;
    g_.gather([this](int chunk) { return (candidates_[chunk] + Marks::kCount - 1) / Marks::kCount; },
              [&](int i, int slot) TS_LANE { start_list(i, slot); },
              [=](int i, int k) TS_LANE { return candidate[i / Group::kChunk * rows + k]; },
              [&](int i, int slot, int k, const Marks& marks) TS_LANE {
                append_all(list, i, slot, marks, candidates_[i / Group::kChunk] - k * Marks::kCount, near);
              },
              [&](int i, int slot) TS_LANE { end_list(list, i, slot); });
    close(list, trips);
  }
  TS_HD void choose_from_wide() {
    g_.each([&](int i, int) TS_LANE { listed_.put(i, seen_[i]); });
    g_.gather([this](int chunk) { return wide_trips_[chunk]; },
              [&](int i, int slot) TS_LANE { start_list(i, slot); },
              [this](int i, int k) TS_LANE { return wide_[row(k, i)]; },
              [&](int i, int slot, int, const Marks& marks)
                  TS_LANE { append_all(list_, i, slot, marks, Marks::kCount, near_); },
              [&](int i, int slot) TS_LANE { end_list(list_, i, slot); });
    close(list_, trips_);
  }

  // The lists of a chunk are padded to the length of the longest one, with the lane's own atom, which is no neighbour.
  // A list that was too short has lost neighbours. The number of entries replaces the lane's key.
  TS_HD void close(Marks* list, int* trips) {
    const std::uint32_t* counts = key_;
    const int lanes = g_.lanes(), room = laws_.list_room;
    g_.each_of(g_.chunks(), [=](int chunk) {
      std::uint32_t most = 1;
      for (int i = chunk * Group::kChunk; i < (chunk + 1) * Group::kChunk && i < lanes; ++i)
        most = counts[i] > most ? counts[i] : most;
      const int entries = static_cast<int>(most) < room ? static_cast<int>(most) : room;
      trips[chunk] = (entries + Marks::kCount - 1) / Marks::kCount;
    });
    const bool lost = g_.any([&](int i, int) {
      const int end = trips[i / Group::kChunk];
      Marks own;
      for (int k = 0; k < Marks::kCount; ++k) own.push(seen_.mark(i));
      for (int k = (static_cast<int>(counts[i]) + Marks::kCount - 1) / Marks::kCount; k < end; ++k)
        list[row(k, i)] = own;
      return counts[i] > static_cast<std::uint32_t>(room);
    });
    overflowed_ = overflowed_ || lost;
  }

  typename Group::template Own<int> count_;
  typename Group::template Own<Marks> pending_;
  float stray_ = 0, wide_stray_ = 0;
  std::uint32_t near_ = 0;
  bool overflowed_ = false;
};

} // namespace tasuki::argon
