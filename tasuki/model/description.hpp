// A program without its data: what it reads and writes, how far away, where, and when. It has no ranks and no
// memory, so it can be thought of at any size and on any number of devices.
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
  std::shared_ptr<const Codec> codec; // null: all of a cell travels

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

// How often a run looks at a reduction to know whether to stop. It belongs to the run, not to the program.
struct Looks {
  long every = 0;    // steps; 0: never
  bool late = false; // it may know some steps late
  bool in_kernels =
      true; // whoever stays for many steps can look by himself; else the host does, between two stretches
};

struct Description {
  int dims = 0;
  Index extents{};
  std::array<bool, kMaxDims> periodic{};
  std::array<bool, kMaxDims> wraps{}; // where it is periodic and not cut: read round its end, without a halo
  Widths halo{};                      // that the grid asks for
  bool channel_forced = false;        // then what a rank sends itself may be a message like others
  std::vector<DescribedField> fields;
  std::vector<DescribedItem> items;
  Looks looks;

  Box all() const { return box_of(dims, extents); }
  Box region(const DescribedSweep& sweep) const; // global cells
  // The same program on a grid of other extents; sweeps leave out as many cells at its edges.
  Description resized(const Index& to) const;
  // The same program with halos of this width along every axis that has one.
  Description with_halo(int width) const;
  double bytes_a_cell() const;                 // of all fields
  std::vector<bool> firing(long number) const; // which items take part in the step of this number, from 1
};

Description describe(const Program& program);

} // namespace tasuki
