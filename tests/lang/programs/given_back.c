/* reduce_shadow: what neighbours added to their shadows comes to the owners. */
#include <stdio.h>
#define N 17
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
int force[N], at[N];
#pragma xmp align [i] with t[i] :: force, at
#pragma xmp shadow force[1]
#pragma xmp shadow at[0:1]
int main(void) {
  int sum = 0;
#pragma xmp loop (i) on t[i] expand(1)
  for (int i = 0; i < N; i++) force[i] = 0;
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) at[i] = i * i + 3;
#pragma xmp reflect (at)
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N - 1; i++) {
    int pull = at[i + 1] - at[i];
    force[i] += pull;
    force[i + 1] -= pull;
  }
#pragma xmp reduce_shadow (force)
#pragma xmp loop (i) on t[i] reduction(+:sum)
  for (int i = 0; i < N; i++) sum += force[i] * (i + 1) * (i % 3 - 1);
#pragma xmp task on p[0]
  printf("%d\n", sum);
  return 0;
}
