/* ranks: 1 2 3 4 6 8 */
/* Arrays shorter than their template: a node beside an array's end has none of its elements, and reads its shadow. */
#include <stdio.h>
#define N 8
#pragma xmp nodes p[*]
#pragma xmp template t[N + 1]
#pragma xmp distribute t[block] onto p
#pragma xmp template w[N + 1][N + 1]
#pragma xmp distribute w[block][*] onto p
long u[N + 1], h[N], tail[3], v[N + 1][N], d[N][N + 1], all[4], sums[N];
#pragma xmp align u[i] with t[i]
#pragma xmp align [i] with t[i] :: h, sums
#pragma xmp align tail[i] with t[i + 6]
#pragma xmp align v[i][j] with w[i][j]
#pragma xmp align d[i][j] with w[i][j]
#pragma xmp align all[i] with t[i + 2]
#pragma xmp shadow h[1]
#pragma xmp shadow tail[3:3]
#pragma xmp shadow d[1:0][0]
#pragma xmp shadow all[*]
#pragma xmp shadow sums[1:1]
int main(void) {
  long total = 0;
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) h[i] = 3 * i + 1;
#pragma xmp loop (i) on t[i + 6]
  for (int i = 0; i < 3; i++) tail[i] = 100 + i;
#pragma xmp loop (i) on t[i + 2]
  for (int i = 0; i < 4; i++) all[i] = 1000 * i;
#pragma xmp loop (i, j) on w[i][j]
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= N; j++) d[i][j] = 10 * i + j;
#pragma acc data copyin(d, v)
  {
#pragma xmp reflect(h) width(1)
#pragma xmp reflect(tail, all)
#pragma xmp reflect(d) acc
#pragma xmp loop (i) on t[i]
    for (int i = 0; i <= N; i++) {
      u[i] = all[(5 * i) % 4];
      if (i > 0) u[i] += h[i - 1]; /* of i = N too, where h has no element */
      if (i >= 3 && i < 6) u[i] += tail[i - 3];
    }
#pragma xmp loop (i, j) on w[i][j]
#pragma acc parallel loop collapse(2)
    for (int i = 1; i <= N; i++)
      for (int j = 0; j < N; j++) v[i][j] = d[i - 1][j + 1] - d[i - 1][j];
#pragma acc update host(v)
  }
#pragma xmp loop (i) on t[i] expand(1)
  for (int i = 0; i < N; i++) sums[i] = 0;
#pragma xmp loop (i) on t[i]
  for (int i = 1; i <= N; i++) sums[i - 1] += 5 * i;
#pragma xmp reduce_shadow(sums)
#pragma xmp loop (i) on t[i] reduction(+:total)
  for (int i = 0; i <= N; i++) total += u[i] * (i + 1);
#pragma xmp loop (i) on t[i] reduction(+:total)
  for (int i = 0; i < N; i++) total += sums[i] * (2 * i + 1);
#pragma xmp loop (i) on w[i][*] reduction(+:total)
  for (int i = 1; i <= N; i++)
    for (int j = 0; j < N; j++) total += v[i][j] * (i + j);
#pragma xmp task on p[0]
  printf("%ld\n", total);
  return 0;
}
