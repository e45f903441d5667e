/* options: -DSIZES=3 ranks: 3 */
/* gblock in both forms; a node in the middle has nothing, and shadows reach over it as far as there is something. */
#include <stdio.h>
#define N 12
int sizes[3] = {5, 0, 7}, others[3] = {0, 12, 0};
#pragma xmp nodes p[SIZES]
#pragma xmp template t[N]
#pragma xmp distribute t[gblock(sizes)] onto p
#pragma xmp template s(1:N)
#pragma xmp distribute s(gblock(others)) onto p
int a[N], b[N];
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with s(i+1)
int main(void) {
  int sum = 0, most = -1, at = -1;
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) a[i] = i * 11 % 12;
#pragma xmp loop (i) on s(i+1)
  for (int i = 0; i < N; i++) b[i] = -i;
#ifdef _XCALABLEMP
#pragma xmp gmove
  b[2:10] = a[0:10];
#else
  for (int i = 0; i < 10; i++) b[i + 2] = a[i];
#endif
#pragma xmp loop (i) on s(i+1) reduction(+:sum) reduction(firstmax:most/at/)
  for (int i = 0; i < N; i++) {
    sum += b[i] * (i + 1);
    if (b[i] > most) most = b[i], at = i;
  }
#pragma xmp task on p[2]
  printf("%d %d %d\n", sum, most, at);
  return 0;
}
