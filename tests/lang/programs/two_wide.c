/* options: -DR=2 ranks: 2 4 6 8 */
/* Nodes of two dimensions, uneven blocks, a cell of shadow around each: corners come from the node across. */
#include <stdio.h>
#define Y 13
#define X 7
#pragma xmp nodes p[R][*]
#pragma xmp template t[Y][X]
#pragma xmp distribute t[block][block] onto p
int u[Y][X], v[Y][X];
#pragma xmp align [j][i] with t[j][i] :: u, v
#pragma xmp shadow u[1][1]
int main(void) {
  long sum = 0;
#pragma xmp loop (j, i) on t[j][i]
  for (int j = 0; j < Y; j++)
    for (int i = 0; i < X; i++) u[j][i] = 17 * j + i * i;
  for (int k = 0; k < 4; k++) {
#pragma xmp reflect (u)
#pragma xmp loop (j, i) on t[j][i]
    for (int j = 1; j < Y - 1; j++)
      for (int i = 1; i < X - 1; i++)
        v[j][i] = u[j - 1][i - 1] + 2 * u[j - 1][i + 1] - u[j + 1][i - 1] + 3 * u[j + 1][i + 1] - 4 * u[j][i];
#pragma xmp loop (j, i) on t[j][i]
    for (int j = 1; j < Y - 1; j++)
      for (int i = 1; i < X - 1; i++) u[j][i] = v[j][i] % 1000;
  }
#pragma xmp loop (j, i) on t[j][i] reduction(+:sum)
  for (int j = 0; j < Y; j++)
    for (int i = 0; i < X; i++) sum += u[j][i] * (j * 31 + i);
#pragma xmp task on p[0][0]
  printf("%ld\n", sum);
  return 0;
}
