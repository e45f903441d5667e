/* Coarrays with a value, images numbered by nodes, a bcast of a section, words that are read and written as one. */
#include <stdio.h>
#ifdef _XCALABLEMP
#include <xmp.h>
#pragma xmp nodes p[*]
struct point {
  int x, y;
};
int five:[*] = 5, list[4]:[*] = {1, 2, 3}, unset:[*];
struct point place:[*] = {7, 8};
static int turn(void) {
  static int count:[*] = 40;
  int step:[*] = 1;
  count += step;
  return count;
}
#endif
struct box {
  long n;
} size = {4};
int main(void) {
  long good = 1;
#ifdef _XCALABLEMP
  int me = xmpc_node_num(), all = xmp_num_nodes(), next = (me + 1) % all, before = (me + all - 1) % all;
  good &= five:[next] == 5 && list[1]:[next] == 2 && list[3] == 0 && place.y == 8 && unset == 0;
  good &= turn() == 41 && turn() == 42;
  xmp_sync_all(NULL);
  five:[next] = 10 + me;
  xmp_sync_all(NULL);
  good &= five == 10 + before;
  int row[6] = {0, 0, 0, 0, 0, 0}, word = 0;
  for (int k = 0; k < 6; k++) row[k] = 10 * me + k;
#pragma xmp bcast (row[1:3:2]) from p[all - 1]
  int wide[3][2];
  wide[0:3][1] = five:[next];
  good &= wide[0][1] == 10 + me && wide[2][1] == 10 + me;
  for (int k = 0; k < 6; k++) good &= row[k] == (k % 2 ? 10 * (all - 1) : 10 * me) + k;
#pragma xmp bcast (size.n)
  xmp_atomic_define(unset:[next], me + 1);
  xmp_sync_all(NULL);
  xmp_atomic_ref(&word, unset);
  good &= word == before + 1;
  xmp_atomic_ref(&word, unset:[next]);
  good &= word == me + 1;
  xmp_sync_all(NULL);
#pragma xmp nodes last[*] = p[all - 1:1]
  if (me == 0) {
#pragma xmp image (last)
    five:[0] = 99;
  }
  xmp_sync_all(NULL);
  good &= five == (me == all - 1 ? 99 : 10 + before);
#pragma xmp reduction(&&:good)
#pragma xmp task on p[0]
#endif
  printf("%ld\n", good);
}
