// Neighbours by all ordered pairs: for few atoms, testing every pair is faster than neighbour lists.
#pragma once

#include <apps/argon/engine/batch.hpp>
#include <tasuki/device/group/group_shape.hpp>

namespace tasuki::argon {

template <class Group>
class AllPairs;

template <>
class AllPairs<void> {
public:
  static constexpr int kThreads = 128, kBlocks = 6; // the most; and the least blocks per multiprocessor
  static GroupShape shape(int atoms) { return {atoms, static_cast<std::size_t>(atoms) * 16, 0}; }
};

template <class Group>
class AllPairs {
public:
  static constexpr bool kLists = false;
  template <class T>
  using Value = typename Group::template Own<T>;
  template <class T>
  TS_HD static Value<T> value(Group& g) {
    return g.template own<T>();
  }
  static GroupShape shape(int atoms, int) {
    return {atoms, static_cast<std::size_t>(atoms) * sizeof(Place), 0};
  }

  TS_HD AllPairs(Group& g, const Laws&) : g_(g), place_(g.template words<4>(g.lanes())) {}

  // Sets which atom each lane has.
  template <class PlaceOf>
  TS_HD void arrange(const PlaceOf&) {}
  TS_HD int atom(int i) const { return i; }

  // Publishes the coordinates of a lane.
  TS_HD void put(int i, int, const Place& p) const { place_.put(i, {p.x, p.y, p.z, 0}); }
  TS_HD Place get(int i, int) const { return place_of(place_[i]); }

  TS_HD bool overflowed() const { return false; }

  // Sums over the neighbours of every lane, then calls end(i, slot, sums).
  template <class Sums, class End>
  TS_HD void sum(const Scale& scale, const End& end) {
    struct Atom {
      Place at;
      Sums sums;
    };
    g_.accumulate(
        g_.lanes(),
        [place = place_](int i, int) TS_LANE {
          return Atom{place_of(place[i]), Sums{}};
        },
        [place = place_, scale](Atom& a, int j, int) TS_LANE {
          const Place p = place_of(place[j]);
          add_pair(a.sums, scale, apart(a.at.x, p.x), apart(a.at.y, p.y), apart(a.at.z, p.z));
        },
        [&](int i, int slot, const Atom& a) TS_LANE { end(i, slot, a.sums); });
  }

private:
  TS_HD static Place place_of(const Element<4>& e) { return {e.word[0], e.word[1], e.word[2]}; }

  Group& g_;
  typename Group::template Words<4> place_;
};

} // namespace tasuki::argon
