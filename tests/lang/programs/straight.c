/* options: -DR=2 ranks: 2 4 6 8 */
/* orthogonal: no corners; some sides of width 0, in the round form. */
#include <stdio.h>
#define Y 9
#define X 12
#pragma xmp nodes p(*, R)
#pragma xmp template t(1:X, 1:Y)
#pragma xmp distribute t(block, block) onto p
double u[Y][X], v[Y][X];
#pragma xmp align [j][i] with t(i+1, j+1) :: u, v
#pragma xmp shadow u[2:1][1:2]
int main(void) {
  double sum = 0;
#pragma xmp loop (i, j) on t(i+1, j+1)
  for (int j = 0; j < Y; j++)
    for (int i = 0; i < X; i++) u[j][i] = j * X + i;
#pragma xmp reflect (u) width(2:0, 0:2) orthogonal
#pragma xmp loop (i, j) on t(i+1, j+1)
  for (int j = 2; j < Y; j++)
    for (int i = 0; i < X - 2; i++) v[j][i] = u[j - 2][i] - 3 * u[j][i + 2];
#pragma xmp reflect (u) width(0:1, 1:0) orthogonal
#pragma xmp loop (i, j) on t(i+1, j+1)
  for (int j = 2; j < Y - 1; j++)
    for (int i = 1; i < X - 2; i++) v[j][i] += u[j + 1][i] * u[j][i - 1];
#pragma xmp loop (i, j) on t(i+1, j+1) reduction(+:sum)
  for (int j = 2; j < Y; j++)
    for (int i = 0; i < X - 2; i++) sum += v[j][i] * (i + 1);
#pragma xmp task on p(1, 1)
  printf("%.0f\n", sum);
  return 0;
}
