/* Sums that stay on the device over many loops, and come back where the host reads them, or where their region ends. */
#include <stdio.h>
#define N 300
#ifndef STEPS
#define STEPS 5
#endif
#pragma xmp nodes p[*]
double a[N];
int k[N];

static int pairs(int n) {
  int even = 0, odd = 0, seen = 0;
#pragma acc data copyin(k)
  {
    for (int s = 0; s < STEPS; s++) {
#pragma acc parallel loop reduction(+:even) reduction(max:odd)
      for (int i = 0; i < n; i++) {
        even += k[i] % 2 == 0;
        if (k[i] % 2 && k[i] > odd) odd = k[i];
      }
#pragma acc parallel loop reduction(+:even) async(1)
      for (int i = 0; i < n; i++) even += 2;
    }
    seen = even; /* the host reads one of them, and goes on */
    even -= 7;
#pragma acc parallel loop reduction(+:even)
    for (int i = 0; i < n; i++) even += k[i];
    if (even > seen) odd++;
#pragma acc parallel loop reduction(max:odd)
    for (int i = 0; i < even % 90; i++) /* and so does a bound */
      if (k[i] + i > odd) odd = k[i] + i;
  }
  return even + 3 * odd + seen;
}

int main(void) {
  double sum = 0, far = 0;
  for (int i = 0; i < N; i++) a[i] = 0.25 * i, k[i] = i * 37 % 101;
#pragma acc data copy(a)
  for (int s = 0; s < STEPS; s++) {
#pragma acc parallel loop
    for (int i = 0; i < N; i++) a[i] += 0.5;
#pragma acc parallel loop reduction(+:sum)
    for (int i = 0; i < N; i++) sum += a[i];
#pragma acc parallel loop reduction(max:far)
    for (int i = 0; i < N; i++)
      if (a[i] * (10 - s) > far) far = a[i] * (10 - s);
  }
  int others = pairs(N);
#pragma xmp task on p[0]
  printf("%.3f %.3f %d\n", sum, far, others);
}
