/* Two species that drift: cells of a struct, three numbers of wind a cell, functions of the file. ranks: 1 2 4 6 */
#include <math.h>
#include <stdio.h>
#define NX 18
#define NY 13
#define NZ 11
typedef struct {
  float a, b;
} amounts;
amounts u[NZ][NY][NX], v[NZ][NY][NX];
double wind[NZ][NY][NX][3];
#pragma xmp nodes p[*][2]
#pragma xmp template t[NZ][NY][NX]
#pragma xmp distribute t[block][block][*] onto p
#pragma xmp align [k][j][i] with t[k][j][i] :: u, v
#pragma xmp align [k][j][i][*] with t[k][j][i] :: wind
#pragma xmp shadow [1][1][0] :: u, v

static float most = 0.875f;
static float limit(float x) { return x < 0 ? 0 : x > most ? most : x; }
static float drift(double w, float left, float right) { return limit((float)(w * (right - left))); }

int main(void) {
#pragma xmp loop (k,j,i) on t[k][j][i]
  for (int k = 0; k < NZ; k++)
    for (int j = 0; j < NY; j++)
      for (int i = 0; i < NX; i++) {
        u[k][j][i].a = v[k][j][i].a = (float)((i * 7 + j * 3 + k) % 11) / 8;
        u[k][j][i].b = v[k][j][i].b = i == NX / 2 && j == NY / 2;
        wind[k][j][i][0] = 0.25 * (j % 3);
        wind[k][j][i][1] = 0.125;
        wind[k][j][i][2] = wind[k][j][i][0] - 0.5 * (i % 2);
      }
#pragma acc data copy(u, v) copyin(wind)
  for (int s = 0; s < 10; s++) {
#pragma xmp reflect (u) acc
#pragma xmp loop (k,j,i) on t[k][j][i]
#pragma acc parallel loop collapse(3)
    for (int k = 1; k < NZ - 1; k++)
      for (int j = 1; j < NY - 1; j++)
        for (int i = 1; i < NX - 1; i++) {
          v[k][j][i].a = limit(u[k][j][i].a + drift(wind[k][j][i][0], u[k][j][i - 1].a, u[k][j][i + 1].a) -
                               drift(wind[k][j][i][2], u[k - 1][j][i].a, u[k + 1][j][i].a));
          v[k][j][i].b = limit(u[k][j][i].b + drift(wind[k][j][i][1], u[k][j - 1][i].b, u[k][j + 1][i].b));
        }
#pragma xmp loop (k,j,i) on t[k][j][i]
#pragma acc parallel loop collapse(3)
    for (int k = 1; k < NZ - 1; k++)
      for (int j = 1; j < NY - 1; j++)
        for (int i = 1; i < NX - 1; i++) u[k][j][i] = v[k][j][i];
  }
  double whole = 0, part = 0;
#pragma xmp loop (k,j,i) on t[k][j][i] reduction(+:whole) reduction(max:part)
  for (int k = 0; k < NZ; k++)
    for (int j = 0; j < NY; j++)
      for (int i = 0; i < NX; i++) {
        whole += 1024 * u[k][j][i].a;
        part = fmax(part, u[k][j][i].b * (1 + i));
      }
#pragma xmp task on p[0][0]
  printf("%.6f %.9f\n", whole, part);
  return 0;
}
