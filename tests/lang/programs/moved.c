/* gmove between arrays of unlike formats, by strides, in, out and async; scalars; a row to a column. */
#include <stdio.h>
#define N 18
#pragma xmp nodes p[*]
#pragma xmp template tb[N]
#pragma xmp distribute tb[block] onto p
#pragma xmp template tc(0:N-1)
#pragma xmp distribute tc(cyclic(4)) onto p
#pragma xmp template td[N][N]
#pragma xmp distribute td[*][cyclic] onto p
long b[N], c[N], d[N][N], own[N];
#pragma xmp align b[i] with tb[i]
#pragma xmp align c[i] with tc(i)
#pragma xmp align d[j][i] with td[j][i]
int main(void) {
  long sum = 0, one = 0;
  double half = 0;
  int few = 5;
#pragma xmp loop (i) on tb[i]
  for (int i = 0; i < N; i++) b[i] = i * i + 1;
#pragma xmp loop (i) on tc(i)
  for (int i = 0; i < N; i++) c[i] = -i;
#pragma xmp loop (i) on td[*][i]
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) d[j][i] = 100 * j + i;
#ifdef _XCALABLEMP
#pragma xmp gmove
  c[1:5:3] = b[0:5:2];
#pragma xmp gmove
  d[0:N][3] = c[:];
#pragma xmp gmove async(7)
  b[0:9] = d[4][9:9];
#pragma xmp wait_async (7)
#pragma xmp gmove in
  own[0:6] = d[2:6:3][16];
#pragma xmp barrier
#pragma xmp gmove out
  c[12:6] = own[0:6];
#pragma xmp barrier
#pragma xmp gmove
  one = b[17];
#pragma xmp gmove
  d[17][17] = c[12];
#pragma xmp gmove
  half = b[16];
#pragma xmp gmove
  b[3:4] = few;
#else
  for (int k = 0; k < 5; k++) c[1 + 3 * k] = b[2 * k];
  for (int k = 0; k < N; k++) d[k][3] = c[k];
  for (int k = 0; k < 9; k++) b[k] = d[4][9 + k];
  for (int k = 0; k < 6; k++) own[k] = d[2 + 3 * k][16];
  for (int k = 0; k < 6; k++) c[12 + k] = own[k];
  one = b[17];
  d[17][17] = c[12];
  half = b[16];
  for (int k = 0; k < 4; k++) b[3 + k] = few;
#endif
#pragma xmp loop (i) on tb[i] reduction(+ : sum)
  for (int i = 0; i < N; i++) sum += b[i] * (i + 1);
#pragma xmp loop (i) on tc(i) reduction(+ : sum)
  for (int i = 0; i < N; i++) sum += c[i] * (i + 2);
#pragma xmp loop (i) on td[*][i] reduction(+ : sum)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) sum += d[j][i] * (i + 2 * j);
#pragma xmp task on p[0]
  printf("%ld %ld %g\n", sum, one, half);
  return 0;
}
