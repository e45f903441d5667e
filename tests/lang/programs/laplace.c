/* options: -DN=200 -DSTEPS=50 ranks: 1 2 4 6 */
#include <stdio.h>
#ifndef N
#define N 4096
#endif
#ifndef STEPS
#define STEPS 1000
#endif
double u[N][N], uu[N][N];
#pragma xmp nodes p[*][2]
#pragma xmp template t[N][N]
#pragma xmp distribute t[block][block] onto p
#pragma xmp align [j][i] with t[j][i] :: u, uu
#pragma xmp shadow uu[1][1]
int main(void) {
  double change = 0;
#pragma xmp loop (j,i) on t[j][i]
  for (int j = 0; j < N; j++) for (int i = 0; i < N; i++) u[j][i] = uu[j][i] = j == 0;
#pragma acc data copy(u, uu)
  for (int k = 0; k < STEPS; k++) {
#pragma xmp loop (j,i) on t[j][i]
#pragma acc parallel loop collapse(2)
    for (int j = 1; j < N-1; j++) for (int i = 1; i < N-1; i++) uu[j][i] = u[j][i];
#pragma xmp reflect (uu) acc
#pragma xmp loop (j,i) on t[j][i]
#pragma acc parallel loop collapse(2)
    for (int j = 1; j < N-1; j++) for (int i = 1; i < N-1; i++)
      u[j][i] = (uu[j-1][i] + uu[j+1][i] + uu[j][i-1] + uu[j][i+1]) / 4;
  }
#pragma xmp loop (j,i) on t[j][i] reduction(+:change)
  for (int j = 1; j < N-1; j++) for (int i = 1; i < N-1; i++) change += uu[j][i] - u[j][i];
#pragma xmp task on p[0][0]
  printf("change %.12g\n", change);
}
