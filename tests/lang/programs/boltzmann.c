/* OpenACC: a lattice Boltzmann step. Extents are enumerators, fields pointers to arrays of arrays; tables, and parameters with a length. */
#include <stdio.h>
#include <stdlib.h>
enum { Q = 9, NX = 12, NY = NX - 2 };
#pragma xmp nodes p[*]
static const int cx[Q] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[Q] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const int w36[Q] = {16, 4, 4, 4, 4, 1, 1, 1, 1};
typedef double lattice[NY][NX][Q];
#pragma acc routine seq
static double equal(int q, double rho, double ux, double uy, const int x[Q], const int y[Q], const int weight[Q]) {
  double cu = 3 * (x[q] * ux + y[q] * uy);
  return weight[q] / 36. * rho * (1 + cu + 0.5 * cu * cu - 1.5 * (ux * ux + uy * uy));
}
#pragma acc routine seq
static double added(int n, double v[n], const int c[n]) {
  double sum = 0;
  for (int q = 0; q < n; q++) sum += v[q] * c[q];
  return sum;
}
int main(void) {
  lattice *f = malloc(sizeof *f), *g = malloc(sizeof *g);
  for (int y = 0; y < NY; y++)
    for (int x = 0; x < NX; x++)
      for (int q = 0; q < Q; q++) (*f)[y][x][q] = equal(q, 1, 0.01 * (y * y % 5), 0, cx, cy, w36);
#pragma acc data copy(f[0:1]) create(g[0:1]) copyin(cx, cy, w36)
  for (int t = 0; t < 5; t++) {
#pragma acc parallel loop collapse(2)
    for (int y = 0; y < NY; y++)
      for (int x = 0; x < NX; x++) {
        double rho = 0, ux = added(Q, (*f)[y][x], cx), uy = added(Q, (*f)[y][x], cy);
        for (int q = 0; q < Q; q++) rho += (*f)[y][x][q];
        for (int q = 0; q < Q; q++) {
          int to_x = (x + cx[q] + NX) % NX, to_y = (y + cy[q] + NY) % NY;
          double e = equal(q, rho, ux / rho, uy / rho, cx, cy, w36);
          (*g)[to_y][to_x][q] = (*f)[y][x][q] - 0.6 * ((*f)[y][x][q] - e);
        }
      }
#pragma acc parallel loop collapse(3)
    for (int y = 0; y < NY; y++)
      for (int x = 0; x < NX; x++)
        for (int q = 0; q < Q; q++) (*f)[y][x][q] = (*g)[y][x][q];
  }
  double mass = 0, momentum = 0;
  for (int y = 0; y < NY; y++)
    for (int x = 0; x < NX; x++)
      for (int q = 0; q < Q; q++) {
        mass += (*f)[y][x][q];
        momentum += (*f)[y][x][q] * cx[q] * (y + 1);
      }
#pragma xmp task on p[0]
  printf("%.12f %.12f\n", mass, momentum);
  free(f);
  free(g);
}
