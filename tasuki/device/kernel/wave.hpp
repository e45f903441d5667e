// The shape of a wave: several steps of a sweep in one pass over memory in three dimensions, in which a thread block moves
// along z and each step follows the one before it at a distance of two planes. Kernel and model call these rules.
//
//   const WaveShape s = wave_shape(8); // numbers of 8 bytes
//   wave_bytes(8);                     // shared memory of a thread block
#pragma once

#include <tasuki/base/macros.hpp>

namespace tasuki {

struct WaveShape {
  int wide;   // threads along x
  int high;   // threads along y
  int column; // cells of a thread along y

  TS_HD constexpr int rows() const { return high * column; }
  TS_HD constexpr int threads() const { return wide * high; }
};

// Planes in shared memory: a step reads the planes below and above its own, while the step before it writes a fourth. Of the
// memory that is read, two more planes are on their way.
inline constexpr int kWavePlanes = 4, kWaveAhead = 2;

// As many as shared memory has room for. An odd number: the result is in the memory where it belongs.
inline constexpr int kWaveSteps = 3;

// As many cells as registers hold: a thread keeps its column of the last planes of each step. Long columns read less from
// shared memory, which limits numbers of 8 bytes; for numbers of 4 bytes more threads are faster.
TS_HD constexpr WaveShape wave_shape(int number_bytes) {
  return number_bytes == 4 ? WaveShape{64, 8, 6} : WaveShape{64, 4, 8};
}
// In bytes, with a number before the first cell and one after the last: what these cells read beyond the plane, and do not
// use, is in no other plane, which may be written meanwhile.
TS_HD constexpr int wave_plane(int number_bytes) {
  return (wave_shape(number_bytes).rows() * wave_shape(number_bytes).wide + 2) * number_bytes;
}
TS_HD constexpr int wave_bytes(int number_bytes) {
  return (kWaveSteps * kWavePlanes + kWaveAhead) * wave_plane(number_bytes);
}

// Whether waves hold numbers of so many bytes.
TS_HD constexpr bool wave_holds(int number_bytes) { return number_bytes == 4 || number_bytes == 8; }
// Bytes per cell of the fields that a sweep reads in the cell itself, at most: every step reads them anew.
inline constexpr int kWaveHereBytes = 16;

// The parameters of a pass. Cells are local, owned cells from 0.
struct Wave {
  int tile[2], tiles[2];          // along x and y: cells of a tile, and tiles
  int region_lo[3], region_hi[3]; // the cells that the sweep does
  int reach[3];                   // the largest offset of a read, 0 or 1
  int first[3], last[3];          // the cells that exist: those beyond them are not read
  bool wraps[3];                  // the block is its own neighbour along the axis
};

} // namespace tasuki
