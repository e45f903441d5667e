/* Two elements on as many nodes as there are: shadows, reductions, places, sections, tasks where most hold nothing. */
#include <stdio.h>
#define N 2
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp template c[N]
#pragma xmp distribute c[cyclic(2)] onto p
#pragma xmp template m[N][9]
#pragma xmp distribute m[block][*] onto p
int a[N], b[N], line[N][9];
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with c[i]
#pragma xmp align line[j][i] with m[j][i]
#pragma xmp shadow a[1]
#pragma xmp shadow line[1][2]
static int twice(int x[N]) {
#pragma xmp align x[i] with t[i]
#pragma xmp shadow x[1]
  int sum = 0;
#pragma xmp reflect (x)
#pragma xmp loop (i) on t[i] reduction(+:sum)
  for (int i = 1; i < N; i++) sum += 2 * x[i] + x[i - 1];
  return sum;
}
int main(void) {
  int sum = 0, most = -5, where = -1;
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) a[i] = 8 + i;
#pragma xmp loop (i) on c[i] reduction(firstmax:most/where/)
  for (int i = 0; i < N; i++) {
    b[i] = 3;
    if (b[i] > most) {
      most = b[i];
      where = i;
    }
  }
#pragma xmp loop (j,i) on m[j][i]
  for (int j = 0; j < N; j++)
    for (int i = 0; i < 9; i++) line[j][i] = j * 9 + i;
#pragma xmp reflect (line, a)
  sum += twice(a);
#ifdef _XCALABLEMP
#pragma xmp gmove
  b[0:2] = a[1:2:-1];
#pragma xmp gmove
  line[0][0:2] = b[0:2];
#else
  b[0] = a[1], b[1] = a[0];
  line[0][0] = b[0], line[0][1] = b[1];
#endif
#pragma xmp loop (j) on m[j][:] reduction(+:sum)
  for (int j = 0; j < N; j++)
    for (int i = 0; i < 9; i++) sum += line[j][i] * (i + 1);
#pragma xmp loop (i) on c[i] reduction(+:sum)
  for (int i = 0; i < N; i++) sum += b[i] * (10 + i);
#pragma xmp task on t[1]
  a[1] = 50;
#pragma xmp loop (i) on t[i] reduction(+:sum)
  for (int i = 0; i < N; i++) sum += a[i];
#pragma xmp task on p[0]
  printf("%d %d %d\n", sum, most, where);
}
