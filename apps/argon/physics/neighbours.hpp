// Neighbour lists: for each atom, those within the cut-off plus a skin, valid until an atom has moved half of the skin.
//
// At the start of every interval the atoms are sorted along a space-filling curve, so that neighbouring lanes have
// neighbouring atoms (order.hpp) and their lists refer to nearby memory. Lists are also rebuilt there (listing.hpp), so
// a restart between intervals gives the same lists. List entries are in the order of the lanes, and a pair beyond the
// cut-off adds 0, so that further entries of a list change no bit of the sums.
#pragma once

#include <apps/argon/physics/listing.hpp>
#include <apps/argon/physics/order.hpp>
#include <apps/argon/physics/own_sums.hpp>

namespace tasuki::argon {

template <class Group>
class Lists;

template <>
class Lists<void> {
public:
  static constexpr int kThreads = 1024, kBlocks = 1; // the most; and the least blocks per multiprocessor

  static constexpr int kKept = 11; // numbers per lane: coordinates, velocity, force, energy, virial

  // For groups with `chunk` lanes per chunk and `index` bytes per index. room: entries of a list.
  static GroupShape shape(int atoms, int room, int chunk, std::size_t index) {
    const std::size_t n = static_cast<std::size_t>(atoms), chunks = (n + chunk - 1) / chunk;
    const std::size_t shared =
        3 * 8 * n + 4 * n + index * n + 12 * chunks + 24 * chunks + 20 * 16 + kKept * 4 * n;
    return {atoms, shared, index * chunks * (n + static_cast<std::size_t>(2 * chunk * room))};
  }
};

template <class Group>
class Lists : public Listing<Group> {
public:
  static constexpr bool kLists = true;
  template <class T>
  using Value = typename Group::template Kept<T>; // loops over lists need the registers for other values
  template <class T>
  TS_HD static Value<T> value(Group& g) {
    return g.template kept<T>();
  }

  TS_HD Lists(Group& g, const Laws& laws)
      : Base(g, laws),
        x_(value<std::uint32_t>(g)),
        y_(value<std::uint32_t>(g)),
        z_(value<std::uint32_t>(g)),
        sums_(g) {}

  // Sorts the atoms by their present coordinates.
  template <class PlaceOf>
  TS_HD void arrange(const PlaceOf& place_of) {
    argon::arrange(g_, key_, order_, place_of);
  }
  TS_HD int atom(int i) const { return static_cast<int>(order_[i]); }

  TS_HD void put(int i, int slot, const Place& p) {
    x_(i, slot) = p.x;
    y_(i, slot) = p.y;
    z_(i, slot) = p.z;
    seen_.put(i, packed(p));
  }
  TS_HD Place get(int i, int slot) { return {x_(i, slot), y_(i, slot), z_(i, slot)}; }

  // With energies, the lists are used for the last time, so the coordinates at which they were built are overwritten by
  // the low bits that pairs do not use otherwise. The next operation rebuilds the lists, or there is none.
  template <class Sums, class End>
  TS_HD void sum(const Scale& scale, const End& end) {
    if constexpr (Sums::kEnergies)
      g_.each([&](int i, int slot) TS_LANE {
        const Place p{x_(i, slot), y_(i, slot), z_(i, slot)};
        listed_.put(i, {{(p.x & 0x7ffu) | (p.z & 0x7ffu) << 11 | (p.y & 0x3ffu) << 22, 0}});
      });
    g_.gather([this](int chunk) { return trips_[chunk]; },
              [&](int i, int slot) TS_LANE {
                if constexpr (Sums::kEnergies) {
                  own_x_[slot] = x_(i, slot);
                  own_y_[slot] = y_(i, slot);
                  own_z_[slot] = z_(i, slot);
                } else {
                  set_own(i, slot);
                }
                sums_.put(slot, Sums{});
              },
              [this](int i, int k) TS_LANE { return list_[row(k, i)]; },
              [&](int, int slot, int, const Marks& marks) TS_LANE {
                Sums sums = sums_.template get<Sums>(slot);
                if constexpr (Marks::kCount == 4) { // no loop: it would prevent vectorisation over lanes
                  const Element<2> a = seen_.at(marks[0]), b = seen_.at(marks[1]), c = seen_.at(marks[2]),
                                   d = seen_.at(marks[3]);
                  add_entry(sums, slot, scale, a, marks[0]);
                  add_entry(sums, slot, scale, b, marks[1]);
                  add_entry(sums, slot, scale, c, marks[2]);
                  add_entry(sums, slot, scale, d, marks[3]);
                } else {
                  add_entry(sums, slot, scale, seen_.at(marks[0]), marks[0]);
                }
                sums_.put(slot, sums);
              },
              [&](int i, int slot) TS_LANE { end(i, slot, sums_.template get<Sums>(slot)); });
  }

private:
  using Base = Listing<Group>;
  using Base::g_, Base::seen_, Base::listed_, Base::key_, Base::order_, Base::trips_, Base::list_;
  using Base::own_x_, Base::own_y_, Base::own_z_, Base::row, Base::set_own;
  using typename Base::Marks;

  template <class Sums>
  TS_HD void add_entry(Sums& sums, int slot, const Scale& scale, const Element<2>& seen,
                       std::uint32_t entry) {
    const Place p = unpacked(seen);
    if constexpr (Sums::kEnergies) {
      const std::uint32_t rest = listed_.at(entry).word[0];
      add_pair(sums, scale, apart(own_x_[slot], (p.x & ~0x7ffu) | (rest & 0x7ffu)),
               apart(own_y_[slot], p.y | rest >> 22),
               apart(own_z_[slot], (p.z & ~0x7ffu) | (rest >> 11 & 0x7ffu)));
    } else {
      add_pair(sums, scale, apart(own_x_[slot], p.x), apart(own_y_[slot], p.y), apart(own_z_[slot], p.z));
    }
  }

  Value<std::uint32_t> x_, y_, z_;
  OwnSums<Group> sums_;
};

} // namespace tasuki::argon
