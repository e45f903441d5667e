/* array: sections on both sides, with strides, of arrays that lie alike; each element at its owner. */
#include <stdio.h>
#define Y 7
#define X 12
#pragma xmp nodes p(*)
#pragma xmp template t(0:X-1, 0:Y-1)
#pragma xmp distribute t(cyclic(2), *) onto p
float a[Y][X], b[Y][X];
#pragma xmp align [j][i] with t(i, j) :: a, b
int main(void) {
  float sum = 0;
#pragma xmp loop (i) on t(i, *)
  for (int i = 0; i < X; i++)
    for (int j = 0; j < Y; j++) a[j][i] = j, b[j][i] = i;
#ifdef _XCALABLEMP
#pragma xmp array on t(0:X-1, 0:Y-1)
  a[0:Y][0:X] = a[0:Y][0:X] * 2 + b[0:Y][0:X];
#pragma xmp array on t(1:X-1:3, 2:2)
  a[2][1:4:3] = 100;
#pragma xmp array on t(0:X-1, 5:5)
  b[5][:] = a[5][:] - 1;
#else
  for (int j = 0; j < Y; j++)
    for (int i = 0; i < X; i++) a[j][i] = a[j][i] * 2 + b[j][i];
  for (int k = 0; k < 4; k++) a[2][1 + 3 * k] = 100;
  for (int i = 0; i < X; i++) b[5][i] = a[5][i] - 1;
#endif
#pragma xmp loop (i) on t(i, *) reduction(+ : sum)
  for (int i = 0; i < X; i++)
    for (int j = 0; j < Y; j++) sum += a[j][i] * (i + 1) - b[j][i] * j;
#pragma xmp task on p(1)
  printf("%g\n", sum);
  return 0;
}
