/* Every type of number as an element and in reductions; complex ones; arrays as variables of a reduction. */
#include <complex.h>
#include <stdio.h>
#define N 11
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[cyclic(2)] onto p
typedef unsigned short word;
typedef double pair[2];
enum colour { red, green = 5, blue };
signed char sc[N];
unsigned char uc[N];
word us[N];
unsigned long long ull[N];
float f[N];
double complex z[N];
pair pairs[N];
enum colour colours[N];
_Bool flags[N];
#pragma xmp align [i] with t[i] :: sc, uc, us, ull, f, z, colours, flags
#pragma xmp align pairs[i][*] with t[i]
int main(void) {
  signed char least = 100;
  unsigned char bits = 255;
  word all = 0;
  unsigned long long product = 1;
  float top = -1;
  double complex sum = 0;
  double both[2] = {0.5, 0.25};
  long counts[3] = {0, 0, 0};
  _Bool every = 1, some = 0;
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) {
    sc[i] = (signed char)(5 - i * 7 % 11);
    uc[i] = (unsigned char)(240 | i);
    us[i] = (word)(1 << i);
    ull[i] = 1 + i % 3;
    f[i] = (float)(i * 3 % 8) / 2;
    z[i] = i + 2 * i * I;
    pairs[i][0] = i;
    pairs[i][1] = -2 * i;
    colours[i] = i % 2 ? green : blue;
    flags[i] = i != 3;
  }
#pragma xmp loop (i) on t[i] reduction(min:least) reduction(&:bits) reduction(|:all) reduction(*:product)
  for (int i = 0; i < N; i++) {
    if (sc[i] < least) least = sc[i];
    bits &= uc[i];
    all |= us[i];
    product *= ull[i];
  }
#pragma xmp loop (i) on t[i] reduction(max:top) reduction(+:sum, both, counts) reduction(&&:every) reduction(||:some)
  for (int i = 0; i < N; i++) {
    if (f[i] > top) top = f[i];
    sum += z[i];
    both[0] += pairs[i][0];
    both[1] += pairs[i][1];
    counts[colours[i] == green] += 1;
    counts[2] += sizeof(z[i]);
    every = every && flags[i];
    some = some || !flags[i];
  }
#pragma xmp task on p[0]
  {
    printf("%d %d %d %llu %g %g %g\n", least, bits, all, product, top, creal(sum), cimag(sum));
    printf("%g %g %ld %ld %ld %d %d\n", both[0], both[1], counts[0], counts[1], counts[2], every, some);
  }
}
