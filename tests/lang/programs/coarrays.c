/* Coarrays: what images put to and get from each other, in both directions round, scalars, sections, posts and waits. */
#include <stdio.h>
#define N 6
#ifdef _XCALABLEMP
#include <xmp.h>
#pragma xmp nodes p[*]
int a[N]:[*], one:[*];
double line[3][4]:[*];
#endif
int main(void) {
  long good = 1;
#ifdef _XCALABLEMP
  int me = xmpc_node_num(), all = xmp_num_nodes(), next = (me + 1) % all, before = (me + all - 1) % all, got[N];
  for (int k = 0; k < N; k++) a[k] = 100 * me + k;
  for (int k = 0; k < 12; k++) line[k / 4][k % 4] = me + k / 100.0;
  one = me;
  xmp_sync_all(NULL);
  got[0:N] = a[0:N]:[next];
  for (int k = 0; k < N; k++) good &= got[k] == 100 * next + k;
  good &= one:[before] == before;
  xmp_sync_all(NULL);
  a[1:2]:[next] = got[3:2];
  one:[next] = 7 * me;
  xmp_sync_all(NULL);
  good &= a[1] == 100 * me + 3 && a[2] == 100 * me + 4 && a[0] == 100 * me && a[3] == 100 * me + 3;
  good &= one == 7 * before;
  double column[3];
  column[0:3] = line[0:3][2]:[next];
  for (int k = 0; k < 3; k++) good &= column[k] == next + (4 * k + 2) / 100.0;
  xmp_sync_all(NULL);
  one = me, a[2] = 5;
  xmp_sync_all(NULL);
  good &= one:[next]++ == next && ++one:[next] == next + 2;
  one:[next] *= 10;
  a[2]:[next] -= 1 + one:[next] / 10;
  good &= (one:[next]-- == 10 * next + 20) && one:[next] == 10 * next + 19;
  xmp_sync_all(NULL);
  good &= one == 10 * me + 19 && a[2] == 2 - me;
  xmp_sync_all(NULL);
  a[0]:[before] = one:[next];
  line[0:3][1]:[before] = line[0:3][0]:[next];
  xmp_sync_all(NULL);
  int far = (next + 1) % all;
  good &= a[0] == 10 * far + 19;
  for (int k = 0; k < 3; k++) good &= line[k][1] == far + 4 * k / 100.0;
#pragma xmp reduction(&&:good)
#pragma xmp task on p[0]
#endif
  printf("%ld\n", good);
}
