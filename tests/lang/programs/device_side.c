/* Distributed arrays on the device: reflect, gmove, bcast and reduction of its copy or of the host's, each as it is asked. */
#include <stdio.h>
#define N 15
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp template c[N]
#pragma xmp distribute c[cyclic] onto p
int u[N], v[N], w[N];
#pragma xmp align [i] with t[i] :: u, v
#pragma xmp align w[i] with c[i]
#pragma xmp shadow [1] :: u, v
int main(void) {
  int sum = 0, number[3] = {1, 2, 3};
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) u[i] = i, v[i] = 100 * i;
#pragma acc data copy(u, v) copy(w)
  {
#pragma xmp loop (i) on t[i]
#pragma acc parallel loop
    for (int i = 0; i < N; i++) u[i] += 5;
#pragma xmp reflect (u, v) acc
#pragma acc parallel loop
#pragma xmp loop (i) on t[i]
    for (int i = 1; i < N - 1; i++) v[i] = u[i - 1] * 2 + u[i + 1];
#ifdef _XCALABLEMP
#pragma xmp gmove acc
    w[0:N] = v[0:N];
#else
#pragma acc parallel loop
    for (int i = 0; i < N; i++) w[i] = v[i];
#endif
#pragma xmp loop (i) on c[i]
#pragma acc parallel loop
    for (int i = 0; i < N; i++) w[i] += i;
#pragma acc enter data create(number)
#pragma xmp task on p[0]
    number[1] = 40;
#pragma xmp bcast (number) from p[0]
#pragma acc update device(number)
#pragma xmp loop (i) on t[i] reduction(+ : sum)
#pragma acc parallel loop reduction(+ : sum) present(number)
    for (int i = 0; i < N; i++) sum += u[i] * number[i % 3];
#pragma acc exit data delete(number)
  }
#pragma xmp loop (i) on c[i] reduction(+ : sum)
  for (int i = 0; i < N; i++) sum += w[i] * (i + 1);
#pragma xmp task on p[0]
  printf("%d\n", sum);
  return 0;
}
