// The grids of a kernel over several loops cover all of its tiles, each once, also where one grid cannot have them.
#include "kernels.cuh"

#include <cstdio>

int main() {
  const long extents[] = {1, 3, 4, 5, 64, 65, 262140, 262141, 300000, 1000000};
  for (const long y : extents)
    for (const long z : extents) {
      const tsk_shape shape = tsk_shape_of(3, 65, y, z, kTskMostBlocks);
      const unsigned long wanted = 2ul * ((y + 3) / 4) * z;
      unsigned long tiles = 0;
      TSK_EACH_GRID(from_y, from_z, shape) {
        const dim3 grid = shape.grid_from(from_y, from_z);
        if (grid.y > 65535 || grid.z > 65535 || from_y + grid.y > shape.tiles.y ||
            from_z + grid.z > shape.tiles.z)
          return std::printf("a grid of %u x %u from %u, %u for %ld, %ld\n", grid.y, grid.z, from_y, from_z,
                             y, z),
                 1;
        tiles += (unsigned long)grid.x * grid.y * grid.z;
      }
      if (tiles != wanted)
        return std::printf("%lu tiles instead of %lu for %ld, %ld\n", tiles, wanted, y, z), 1;
    }
}
