/* What keeps a loop in order: a flag of the outside, a value that goes from one iteration to the next, an unknown call. */
#include <stdio.h>
#define N 18
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
int a[N], b[N];
#pragma xmp align [i] with t[i] :: a, b
static int calls;
static int square(int x) {
  calls++;
  return x * x;
}
int main(void) {
  int good = 1, i, s;
  double d;
  long sum = 0;
#pragma xmp loop (i) on t[i]
  for (i = 0; i < N; i++) a[i] = square(i);
#pragma xmp loop (i) on t[i]
  for (i = 0; i < N; i++) {
    if (a[i] != i * i) good = 0;
    s = a[i] + 1;
    d = s * 0.5;
    b[i] = (int)(d * 4) + s;
  }
#pragma xmp reduction(&&:good)
#pragma xmp reduction(+:calls)
#pragma xmp loop (i) on t[i] reduction(+:sum)
  for (i = 0; i < N; i++) {
    if (i % 4 == 3) continue;
    sum += b[i];
  }
#pragma xmp barrier
#pragma xmp task on p[0]
  {
    printf("%d %d %ld\n", good, calls, sum);
  }
}
