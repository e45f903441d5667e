// Who is near: a list an atom of those within the cut-off and a skin, kept until an atom has gone half of the skin.
//
// At the start of every interval the atoms are put in the order of a curve that fills the box, so that lanes side by side
// have atoms side by side (order.hpp): what their lists name then lies close together. Lists are made anew there too
// (listing.hpp), so a restart between intervals sees the same. A list names atoms in the order of the lanes, so a pair
// beyond the cut-off adds 0 and what lists name besides changes no bit.
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
  static constexpr int kThreads = 1024, kBlocks = 1; // at most, and a processor of a GPU at least

  static constexpr int kKept = 11; // numbers of a lane: place, velocity, force, energy, virial

  // Of groups whose chunks have so many lanes and whose indices so many bytes. room: entries of a list.
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
  using Value = typename Group::template Kept<T>; // while lists are walked along, registers are for that
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

  // Puts atoms in their order, as the places of now have it.
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

  // Where energies are asked for, a list is at its end: the words of where it was made hold the bits that pairs do not
  // see. What comes next makes lists anew, or ends.
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
                if constexpr (Marks::kCount == 4) { // no loop: around one, lanes are not vectorised
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
