/* options: -DR=2 ranks: 2 4 6 8 */
/* expand and margin of two dimensions: redundant cells are computed instead of sent. */
#include <stdio.h>
#define Y 16
#define X 15
#pragma xmp nodes p[*][R]
#pragma xmp template t[Y][X]
#pragma xmp distribute t[block][block] onto p
long a[Y][X], b[Y][X], c[Y][X];
#pragma xmp align [j][i] with t[j][i] :: a, b, c
#pragma xmp shadow a[2][2]
#pragma xmp shadow b[1][1]
int main(void) {
  long sum = 0;
#pragma xmp loop (j, i) on t[j][i]
  for (int j = 0; j < Y; j++)
    for (int i = 0; i < X; i++) a[j][i] = j * 20 + i, c[j][i] = 0;
#pragma xmp reflect (a)
#pragma xmp loop (j, i) on t[j][i] expand(1, 1)
  for (int j = 1; j < Y - 1; j++)
    for (int i = 1; i < X - 1; i++) b[j][i] = a[j - 1][i] * a[j][i + 1] - a[j + 1][i - 1];
#pragma xmp loop (j, i) on t[j][i]
  for (int j = 2; j < Y - 2; j++)
    for (int i = 2; i < X - 2; i++) c[j][i] = b[j - 1][i - 1] + b[j + 1][i + 1] - b[j][i - 1];
#pragma xmp loop (j, i) on t[j][i] reduction(+:sum)
  for (int j = 0; j < Y; j++)
    for (int i = 0; i < X; i++) sum += c[j][i] * (j + 3 * i);
#pragma xmp task on p[0][0]
  printf("%ld\n", sum);
  return 0;
}
