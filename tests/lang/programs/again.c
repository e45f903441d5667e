/* ranks: 1 2 3 4 6 */
/* gmove of the device's memory in one data region after another, where some nodes hold nothing. */
#include <stdio.h>
#define N 5
int a[N], b[N];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp template s[N]
#pragma xmp distribute s[cyclic] onto p
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with s[i]
int main(void) {
  long sum = 0;
  for (int k = 0; k < 4; k++) {
#pragma xmp loop on t[i]
    for (int i = 0; i < N; i++) a[i] = 10 * k + i;
#pragma acc data copyin(a) copyout(b)
    {
#ifdef _XCALABLEMP
#pragma xmp gmove acc
      b[:] = a[:];
#else
#pragma acc parallel loop
      for (int i = 0; i < N; i++) b[i] = a[i];
#endif
    }
#pragma xmp loop on s[i] reduction(+:sum)
    for (int i = 0; i < N; i++) sum += (i + 1) * b[i];
  }
#pragma xmp task on p[0]
  printf("%ld\n", sum);
}
