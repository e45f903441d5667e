/* Loops over cyclic pieces that begin and end anywhere, up and down: places in memory are counted over all pieces. */
#include <stdio.h>
#define MAXN 24
#pragma xmp nodes p[*]
static long check(int n, int lo, int hi) {
  long bad = 0;
  int i;
#pragma xmp template t[n]
#pragma xmp distribute t[cyclic(3)] onto p
  int a[n], b[n];
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with t[i]
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < n; i++) a[i] = -1, b[i] = 2 * i;
#pragma xmp loop (i) on t[i]
  for (i = lo; i < hi; i++) { if (i == 7) continue; a[i] = b[i] + 1; }
#pragma xmp loop (i) on t[i]
  for (i = hi - 1; i >= lo; i--) b[i] = a[i] * 3;
#pragma xmp loop (i) on t[i] reduction(+:bad)
  for (int i = 0; i < n; i++) {
    int want = i >= lo && i < hi && i != 7 ? 2 * i + 1 : -1;
    bad += a[i] != want; bad += b[i] != (i >= lo && i < hi ? 3 * want : 2 * i);
  }
  return bad;
}
int main(void) {
  long bad = 0;
  for (int n = 1; n < MAXN; n += 4) for (int lo = 0; lo < n; lo += 3) for (int hi = lo; hi <= n; hi += 3) bad += check(n, lo, hi);
#pragma xmp task on p[0]
  printf("%ld\n", bad);
  return bad != 0;
}
