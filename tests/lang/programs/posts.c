/* Words between images: posts with and without a tag, waits of any, locks of several places, images that meet two by two. */
#include <stdio.h>
#ifdef _XCALABLEMP
#include <xmp.h>
#pragma xmp nodes p[*]
long number:[*], list[4]:[*], grid[2][3]:[2][*];
xmp_lock_t guards[2]:[*];
#endif
int main(void) {
  long good = 1;
#ifdef _XCALABLEMP
  int me = xmpc_this_image(), all = xmp_num_images(), next = (me + 1) % all, before = (me + all - 1) % all, status = 1;
  number = me;
  xmp_sync_all(&status);
  good &= status == XMP_STAT_SUCCESS;
#pragma xmp post (p[next], 4)
#pragma xmp wait (p[before], 4)
  list[1]:[next] = number * 10;
#pragma xmp post (p[next], 5)
#pragma xmp wait (p[before])
  good &= list[1] == 10 * before;
  xmp_sync_all(NULL);
  if (me > 0) {
#pragma xmp post (p[0], me)
  } else {
    for (int k = 1; k < all; k++) {
#pragma xmp wait
    }
  }
  for (int k = 0; k < 5; k++) {
#pragma xmp lock (guards[1]:[0])
    long now = list[2]:[0];
    list[2]:[0] = now + me + 1;
#pragma xmp unlock (guards[1]:[0])
  }
  xmp_sync_all(NULL);
  if (me == 0) good &= list[2] == 5 * (all * (all + 1) / 2);
  if (all % 2 == 0) {
    grid[1][2] = 100 + me;
    xmp_sync_all(NULL);
    good &= grid[1][2]:[me % 2][me / 2] == 100 + me && grid[1][2]:[1][all / 2 - 1] == 99 + all;
  }
  int other = me ^ 1;
  if (other < all) xmp_sync_image(other, NULL);
  xmp_sync_images_all(NULL);
#pragma xmp reduction(&&:good)
#pragma xmp task on p[0]
#endif
  printf("%ld\n", good);
}
