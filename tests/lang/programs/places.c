/* Where the largest and the least stand: the first and the last of equal ones in the order of the whole loop. */
#include <stdio.h>
#define N 24
#define M 5
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[cyclic(2)] onto p
int a[N][M];
#pragma xmp align a[i][*] with t[i]
int main(void) {
  int i, j, top = -1, ti = -1, tj = -1, low = 99, li = -1, lj = -1;
  double value = -1;
  int vi = -1;
#pragma xmp loop (i) on t[i]
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) a[i][j] = (i * 5 + j * 3) % 17;
#pragma xmp loop (i) on t[i] reduction(firstmax:top/ti,tj/) reduction(lastmin:low/li,lj/)
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) {
      if (a[i][j] > top) {
        top = a[i][j];
        ti = i;
        tj = j;
      }
      if (a[i][j] <= low) {
        low = a[i][j];
        li = i;
        lj = j;
      }
    }
#pragma xmp loop (i) on t[i] reduction(firstmax:value/vi/)
  for (i = N - 1; i >= 0; i--)
    if (a[i][2] * 0.5 > value) {
      value = a[i][2] * 0.5;
      vi = i;
    }
#pragma xmp task on p[0]
  printf("%d at %d %d, %d at %d %d, %g at %d\n", top, ti, tj, low, li, lj, value, vi);
}
