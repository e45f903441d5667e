/* Every operation of a reduction, over integers of every size and signedness, as a clause and as a directive. */
#include <stdio.h>
#define N 19
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[cyclic(3)] onto p
unsigned char c[N];
long long l[N];
#pragma xmp align c[i] with t[i]
#pragma xmp align l[i] with t[i]
int main(void) {
  unsigned char all = 0xff, any = 0, odd = 0;
  short low = 30000;
  unsigned short high = 2;
  unsigned sum = 5, minus = 1000;
  long long product = 1;
  int yes = 1, no = 0;
  float f = -1;
  double d = 1e9;
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) c[i] = 0x41 | (i * 29 & 0xbe), l[i] = i % 4 + 1;
#pragma xmp loop (i) on t[i] reduction(& : all) reduction(| : any) reduction(^ : odd) reduction(min : low) reduction(max : high)
  for (int i = 0; i < N; i++) {
    all &= c[i], any |= c[i], odd ^= c[i];
    if (c[i] - 100 < low) low = c[i] - 100;
    if (c[i] * 9 > high) high = c[i] * 9;
  }
#pragma xmp loop (i) on t[i] reduction(+ : sum) reduction(- : minus) reduction(* : product) reduction(&& : yes) reduction(|| : no)
  for (int i = 0; i < N; i++) {
    sum += c[i], minus -= c[i], product *= l[i];
    yes = yes && l[i] > 0, no = no || l[i] == 3;
  }
#pragma xmp loop (i) on t[i] reduction(max : f) reduction(min : d)
  for (int i = 0; i < N; i++) {
    if (c[i] / 3.0f > f) f = c[i] / 3.0f;
    if (l[i] * 0.1 < d) d = l[i] * 0.1;
  }
#pragma xmp reduction (max : high, sum)
#pragma xmp reduction (MIN : low, f, d)
#pragma xmp reduction (& : all)
#pragma xmp reduction (|| : no)
#pragma xmp task on p[0]
  {
    printf("%d %d %d %d %d %u %u %lld %d %d\n", all, any, odd, low, high, sum, minus, product, yes, no);
    printf("%.9g %.17g\n", f, d);
  }
  return 0;
}
