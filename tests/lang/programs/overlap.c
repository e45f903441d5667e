/* An exchange that goes on while the inner part is computed: async and wait_async, peel_and_wait; reflect_init and reflect_do. */
#include <stdio.h>
#define N 24
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
int u[N], v[N], w[N];
#pragma xmp align [i] with t[i] :: u, v, w
#pragma xmp shadow [1] :: u, v
int main(void) {
  long sum = 0;
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) u[i] = i * i, v[i] = w[i] = 0;
#pragma xmp reflect_init (v)
  for (int k = 1; k < 5; k++) {
#pragma xmp reflect (u) async(k)
#pragma xmp loop (i) on t[i]
    for (int i = 0; i < N; i++) w[i] = u[i];
#pragma xmp wait_async (k)
#pragma xmp loop (i) on t[i]
    for (int i = 1; i < N - 1; i++) v[i] = (u[i - 1] + u[i + 1] + w[i]) % 101;
#pragma xmp reflect_do (v)
#pragma xmp reflect (u) async(100 + k)
#pragma xmp loop (i) on t[i] peel_and_wait(100 + k, 1)
    for (int i = 1; i < N - 1; i++) w[i] = u[i - 1] * v[i + 1] - v[i - 1];
#pragma xmp loop (i) on t[i]
    for (int i = 1; i < N - 1; i++) u[i] = w[i] % 1009;
  }
#pragma xmp loop (i) on t[i] reduction(+ : sum)
  for (int i = 0; i < N; i++) sum += u[i] * (i + 1);
#pragma xmp task on p[0]
  printf("%ld\n", sum);
  return 0;
}
