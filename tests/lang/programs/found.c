/* Locations of maxima: found in an iteration that goes on early, and set again to what they were, at another place. */
#include <stdio.h>
#define N 20
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
long a[N];
#pragma xmp align a[i] with t[i]
int main(void) {
  for (int end = 4; end < N; end += 5) {
    long most = -1, last = -1;
    int at = -1, thrice = -1, i, place = -1;
#pragma xmp loop (i) on t[i]
    for (int i = 0; i < N; i++) a[i] = (7 * i) % 11;
#pragma xmp loop (i) on t[i] reduction(firstmax:most/at, thrice/)
    for (int i = 0; i < end; i++) {
      if (a[i] > most) {
        most = a[i];
        at = i;
        thrice = 3 * i;
        continue;
      }
      for (int k = 0; k < 3; k++) {
        if (k == 1) continue;
        a[i] += k;
      }
    }
#pragma xmp loop (i) on t[i]
    for (int i = 0; i < N; i++) a[i] = (7 * i) % 11;
#pragma xmp loop (i) on t[i] reduction(lastmax:last/i/)
    for (i = 0; i < end; i++) {
      last = a[i] > last ? a[i] : last; /* which sets nothing where it is less */
      if (a[i] < 5) continue;
      if (a[i] >= last) {
        last = a[i];
#ifndef _XCALABLEMP
        place = i;
#endif
      }
    }
#ifdef _XCALABLEMP
    place = i;
#endif
#pragma xmp task on p[0]
    printf("%ld at %d, %d; %ld at %d\n", most, at, thrice, last, place);
  }
  return 0;
}
