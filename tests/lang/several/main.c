#include <stdio.h>
#include "field.h"

int main(void) {
  long sum = 0;
  fill(3);
#pragma xmp reflect (u)
#pragma xmp loop (i) on t[i] reduction(+ : sum)
  for (int i = 1; i < N - 1; i++) sum += (i + 1) * (u[i + 1] - 2 * u[i - 1]);
#pragma xmp task on p[0]
  printf("%ld\n", sum);
  return 0;
}
