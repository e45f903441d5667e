/* Every reduction of a loop, over a length that no number of ranks divides. */
#include <stdio.h>
#define N 37
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
long a[N];
#pragma xmp align a[i] with t[i]
int main(void) {
  long sum = 5, less = 100, product = 1, all = 1, any = 0, largest = -1000, least = 1000;
  unsigned bits_and = ~0u, bits_or = 0, bits_xor = 7;
  int counts[3] = {1, 0, 0};
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) a[i] = (i * 7) % 11 - 3;
#pragma xmp loop (i) on t[i] reduction(+:sum) reduction(-:less)
  for (int i = 0; i < N; i++) {
    sum += a[i];
    less -= a[i];
  }
#pragma xmp loop (i) on t[i] reduction(*:product)
  for (int i = 0; i < 9; i++) product *= a[i] == 0 ? 1 : a[i];
#pragma xmp loop (i) on t[i] reduction(max:largest) reduction(MIN:least)
  for (int i = 0; i < N; i++) {
    if (a[i] > largest) largest = a[i];
    if (a[i] < least) least = a[i];
  }
#pragma xmp loop (i) on t[i] reduction(&:bits_and) reduction(|:bits_or) reduction(^:bits_xor)
  for (int i = 0; i < N; i++) {
    bits_and &= (unsigned)a[i] | 12u;
    bits_or |= (unsigned)i;
    bits_xor ^= (unsigned)a[i];
  }
#pragma xmp loop (i) on t[i] reduction(&&:all) reduction(||:any)
  for (int i = 0; i < N; i++) {
    all = all && a[i] > -4;
    any = any || a[i] == 7;
  }
#pragma xmp loop (i) on t[i] reduction(+:counts)
  for (int i = 0; i < N; i++) counts[i % 3] += 1;
#pragma xmp task on p[0]
  printf("%ld %ld %ld %ld %ld %u %u %u %ld %ld %d %d %d\n", sum, less, product, largest, least, bits_and, bits_or, bits_xor,
         all, any, counts[0], counts[1], counts[2]);
}
