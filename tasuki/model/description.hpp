// A program without its data: its accesses with their offsets, regions and periods. It has no ranks and no
// memory, so it can be evaluated for any size and any number of devices.
#pragma once

#include <tasuki/program/program.hpp>
#include <tasuki/program/rules.hpp>

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace tasuki {

struct DescribedField {
  std::string name;
  Storage storage;
  std::shared_ptr<const Codec> codec; // null: cells are sent completely

  double cell_bytes() const { return static_cast<double>(storage.element_bytes * storage.components); }
};
struct DescribedSweep {
  std::string name; // without template arguments: "Relax"
  Widths margin{};  // cells left out at the edges of the grid
  std::vector<Use> uses;
  bool reduces = false;
};
struct DescribedSwap {
  int a, b;
};
struct DescribedRefresh {
  std::vector<int> fields;
};
struct DescribedCall {};

struct DescribedItem {
  std::variant<DescribedSweep, DescribedSwap, DescribedRefresh, DescribedCall> what;
  long period = 1; // as in Item
  bool others = false;
};

// How often a run evaluates a reduction, as its stopping condition or to tell it. A property of the run, not of the program.
struct Looks {
  long every = 0;    // steps; 0: never
  bool late = false; // the result may be known some steps late
  bool in_kernels =
      true;          // whatever stays for many steps evaluates it itself; else the host, between stretches
  bool told = false; // the host gets each value, with all its bits
  friend auto operator<=>(const Looks&, const Looks&) = default;
};

struct Description {
  int dims = 0;
  Index extents{};
  std::array<bool, kMaxDims> periodic{};
  std::array<bool, kMaxDims> wraps{}; // where it is periodic and not cut: periodic indexing, without a halo
  Widths halo{};                      // as requested by the grid
  bool channel_forced = false;        // then a rank may send messages to itself like to others
  bool direct =
      false; // halos of ranks of a node are the neighbours' cells (--halo direct), cut along the slowest axis
  std::vector<DescribedField> fields;
  std::vector<DescribedItem> items;
  Looks looks;

  Box all() const { return box_of(dims, extents); }
  Box region(const DescribedSweep& sweep) const; // global cells
  // The same program on a grid of other extents, with the same margins of sweeps.
  Description resized(const Index& to) const;
  // The same program with this halo width along every axis that has a halo.
  Description with_halo(
      int width) const;        // kDirectHalo: the halo as it is, read where the neighbours' cells lie
  double bytes_a_cell() const; // of all fields
  std::vector<bool> firing(long number) const; // the items executed in the step with this number, from 1
};

Description describe(const Program& program);

} // namespace tasuki
