/* What the stencils of this folder share: a plane, what becomes of a cell, options. */
#include <stdlib.h>
#include <string.h>

#ifndef CELL
#define CELL static inline
#endif

enum { NY = 32, NX = 64, STEPS = 24 };
typedef double Plane[NY][NX];

CELL double first_value(long z, long y, long x) { return (double)((z * 31 + y * 17 + x * 7) % 97) / 97; }

/* The next value of cell (z, y, x) of `planes` planes; `c` is its plane. All of the rim stays as it is. */
#ifdef _OPENACC
#pragma acc routine seq
#endif
CELL double next_value(const Plane* c, long z, long y, long x, long planes, int points) {
  if (z == 0 || z == planes - 1 || y == 0 || y == NY - 1 || x == 0 || x == NX - 1) return c[0][y][x];
  if (points == 7)
    return 0.4 * c[0][y][x] + 0.1 * (c[-1][y][x] + c[1][y][x] + c[0][y - 1][x] + c[0][y + 1][x] +
                                     c[0][y][x - 1] + c[0][y][x + 1]);
  double sum = 0;
  for (int k = -1; k <= 1; k++)
    for (int j = -1; j <= 1; j++)
      for (int i = -1; i <= 1; i++) sum += c[k][y + j][x + i];
  return sum / 27;
}

typedef struct {
  int points, sections, counts;
  long bt, planes; /* steps between synchronisations; the extent of the slowest axis */
} Options;

static Options options_of(int argc, char** argv) {
  Options all = {7, 0, 0, 4, 48};
  for (int k = 1; k < argc; k++) {
    if (!strcmp(argv[k], "--27")) all.points = 27;
    if (!strcmp(argv[k], "--sections")) all.sections = 1;
    if (!strcmp(argv[k], "--counts")) all.counts = 1;
    if (!strcmp(argv[k], "--bt") && k + 1 < argc) all.bt = atol(argv[++k]);
    if (!strcmp(argv[k], "--planes") && k + 1 < argc) all.planes = atol(argv[++k]);
  }
  return all;
}
