// The faces of an exchange as all ranks see them.
#pragma once

#include <tasuki/field/mapping.hpp>
#include <tasuki/file/record.hpp>
#include <tasuki/halo/exchange.hpp>

#include <string>
#include <vector>

namespace tasuki::info {

struct FaceRow {
  int from = 0, to = 0;  // ranks
  std::string direction; // "x+", "x-y+"
  std::string channel;   // self, peer, mpi; peer:pack
  long bytes = 0;
  std::string shape; // block, block-stride, stride
};

// What is asked of a grid: 1 to 4 extents, x first, and values of so many bytes in its cells.
struct GridQuestion {
  std::vector<long> extents;
  std::array<bool, kMaxDims> periodic{};
  int halo = 1;
  bool twice = true; // cells hold a double, else a float
};
struct GridAnswer {
  GridInfo grid;
  Mapping mapping, naive;     // of blocks to ranks: as it is, and rank r having block r
  std::vector<Box> blocks;    // of each rank, global cells
  std::vector<FaceRow> faces; // on rank 0; one whole halo, corners included
};

// Sets an exchange up and takes it down again. Throws Error as Grid does. Collective.
GridAnswer ask(World& world, const GridQuestion& question);

} // namespace tasuki::info
