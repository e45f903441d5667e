#include <tasuki/device/kernel/wave.hpp>
#include <tasuki/model/tiling.hpp>

#include <algorithm>
#include <limits>

namespace tasuki {
namespace {

// As few tiles along an axis as the cells of a thread block allow, whose outermost are not right after all steps.
int tiles_along(long extent, int cells) {
  const int own = cells - 2 * kWaveSteps;
  return static_cast<int>((extent + own - 1) / own);
}

} // namespace

std::optional<TilingChoice> wave_tiles(const TilingRequest& request) {
  const int bytes = request.number_bytes;
  if (request.dims != 3 || request.slot_bytes != 2 * bytes || request.most_depth < kWaveSteps ||
      request.limits.shared_bytes < wave_bytes(bytes))
    return {};
  for (int a = 0; a < 3; ++a)
    if (request.reach[a] > 1 || kWaveSteps * request.reach[a] > request.most_halo[a]) return {};
  // Cells of a plane are numbered by ints.
  if (request.extents[0] * request.extents[1] > std::numeric_limits<int>::max() / 2) return {};
  const WaveShape shape = wave_shape(bytes);
  return TilingChoice{.tiles = {tiles_along(request.extents[0], shape.wide),
                                tiles_along(request.extents[1], shape.rows()), 1},
                      .depth = kWaveSteps,
                      .shared_bytes = wave_bytes(bytes)};
}

} // namespace tasuki
