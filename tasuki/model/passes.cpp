#include <tasuki/device/kernel/wave.hpp>
#include <tasuki/device/tiled/tiled.hpp>
#include <tasuki/model/passes.hpp>
#include <tasuki/model/tiling.hpp>

#include <algorithm>
#include <cmath>

namespace tasuki {
namespace {

// Measured on H100 and H200 (bench/results), in units of the time in which a multiprocessor moves a word of its shared
// memory; fitted once to all passes of the records. A row is one of a tile that is loaded or stored.
constexpr double kTileWords = 130000, kRowWords = 490;
constexpr double kColumnWord = 0.69; // of that time: a column's words are read in a row
// Tiles that start together load together, and nothing computes meanwhile. Over so many rounds they fall out of step, until
// one computes while the other of its multiprocessor loads, but for a share.
constexpr double kInStep = 12, kShown = 0.56;
constexpr double kMoved =
    0.58; // of the time of a tile's bytes at its share of the bandwidth: the others do not all move theirs ..
constexpr double kFetched =
    1.43; // .. and of data that stays in memory during a pass, and is read in each step
// Of passes that look at a sum: the share by which the arithmetic of every step is longer, what the combination of tiles
// takes in a pass, and words per cell of a step that is looked at.
constexpr double kLooking = 0.6, kCombined = 5e-6, kLookWords = 2.8;

TilingRequest request_of(const Workload& load, const Constants& c) {
  constexpr int kEndless = 1 << 26; // cells
  TilingRequest request{.dims = load.cut.dims, .reach = load.reach};
  for (int a = 0; a < request.dims; ++a) {
    request.extents[a] = load.block.extent(a);
    request.most_halo[a] = load.cut.ranks[a] > 1   ? std::min(load.halo[a].lo, load.halo[a].hi)
                           : load.cut.exchanges(a) ? static_cast<int>(load.cut.smallest_block(a))
                                                   : kEndless;
  }
  request.slot_bytes = static_cast<int>(load.slot_bytes);
  request.number_bytes = load.number_bytes;
  request.fixed_bytes[kAllPinned] = static_cast<int>(load.fixed_bytes);
  request.most_depth = kTiledLooks;
  request.odd_depth = !load.whole;
  request.limits.multiprocessors = static_cast<int>(c.multiprocessors);
  request.limits.shared_bytes = static_cast<int>(c.chip_bytes / c.multiprocessors / 2) - 1024; // the system's
  request.limits.words = load.least_words;
  return request;
}

// Of a wave, in the time in which a multiprocessor moves a word: a round, and a word that a cell moves in shared memory.
// Measured on an H200 with stars and boxes of floats and doubles (512^3).
constexpr double kRoundWords = 39000, kWaveWord = 0.51;

// Whether the passes of a sweep are waves, as program/wave_sweep.hpp decides.
bool has_waves(const Workload& load) {
  return load.cut.dims == 3 && wave_holds(load.number_bytes) && load.slot_bytes == 2 * load.number_bytes &&
         load.fixed_bytes <= kWaveHereBytes;
}

// The time of a step in waves (device/kernel/wave.hpp).
TiledStep wave_step(const Workload& load, const Constants& c) {
  TilingRequest request = request_of(load, c);
  request.limits.shared_bytes = static_cast<int>(c.chip_bytes / c.multiprocessors) - 1024; // the system's
  const auto choice = wave_tiles(request);
  if (!choice) return {.not_here = "no wave fits: its cells, its halo or the shared memory is too small"};
  const WaveShape shape = wave_shape(request.number_bytes);
  const double cells = shape.wide * shape.rows(),
               own = static_cast<double>(request.extents[0]) / choice->tiles[0] *
                     static_cast<double>(request.extents[1]) / choice->tiles[1];
  // A multiprocessor has an equal part of the planes of all tiles. Where it begins a tile, planes enter before one leaves.
  const auto height = static_cast<double>(request.extents[2]);
  const double planes = static_cast<double>(choice->tiles[0]) * choice->tiles[1] * height / c.multiprocessors;
  const double rounds = planes + (1 + planes / height) * 3 * kWaveSteps;
  const double moved = cells * request.number_bytes / 4 * (kWaveSteps * (load.wave_reads + 1) + 3); // words
  const double from_memory = (cells + own) * request.number_bytes + own * load.fixed_bytes;         // bytes
  const double round =
      std::max((kRoundWords + kWaveWord * moved) * c.word, from_memory / c.memory * c.multiprocessors) +
      cells * kWaveSteps * load.fixed_bytes / c.cache * c.multiprocessors;
  return TiledStep{.compute = rounds * round / kWaveSteps, .depth = choice->depth, .looks = false};
}

} // namespace

TiledStep pass_step(const Workload& load, const Constants& c) {
  if (has_waves(load)) return wave_step(load, c);
  const TilingRequest request = request_of(load, c);
  const auto choice = best_pass(request);
  if (!choice) return {.not_here = "no halo is as deep as two steps reach"};
  const int depth = choice->depth;
  double tiles = 1, own = 1, done = 1, all = 1, stored = 1, loaded = 1; // cells, and rows
  for (int a = 0; a < request.dims; ++a) {
    const double edge = tile_cells(request, a, choice->tiles[a]), rim = 2.0 * request.reach[a];
    tiles *= choice->tiles[a];
    own *= edge;
    done *= edge + (depth - 1) * rim;
    all *= edge + depth * rim;
    if (a > 0) stored *= edge, loaded *= edge + depth * rim;
  }
  const double at_once = 2 * c.multiprocessors, rounds = std::ceil(tiles / at_once);
  const double left =
      tiles - (rounds - 1) * at_once; // tiles of the last round: alone on their multiprocessors?
  const double pairs = rounds - (left <= c.multiprocessors ? 0.5 : 0);

  const double block = static_cast<double>(load.block.cells()) / c.multiprocessors; // of a multiprocessor
  const bool cached = load.memory <= c.cache_bytes;
  const double compute = depth * done * load.column_words * c.word * kColumnWord; // of a tile
  const double moved = load.slot_bytes / 2 * (2 * own / c.memory + (all - own) / c.cache) * c.multiprocessors;
  const double overhead = (kTileWords + (loaded + stored) * kRowWords) * c.word + kMoved * moved;
  const double in_step = std::min(rounds, kInStep);
  const double fetched =
      depth * done * load.fixed_bytes * c.multiprocessors * kFetched / (cached ? c.cache : c.memory);
  const double seconds =
      2 * (rounds * compute + (in_step + (rounds - in_step) * kShown) * overhead + pairs * fetched);
  return {.compute = seconds / depth,
          .look = block * kLookWords * c.word,
          .looking = (kLooking * 2 * rounds * compute + kCombined) / depth,
          .depth = depth};
}

} // namespace tasuki
