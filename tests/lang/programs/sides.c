/* Directives on the device's copies, the host's, or both: reduction with and without locations, bcast of parts, reduce_shadow, async. */
#include <stdio.h>
#define N 14
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp template c[N]
#pragma xmp distribute c[cyclic] onto p
long u[N], add[N];
#pragma xmp align [i] with t[i] :: u, add
#pragma xmp shadow [1] :: u, add
int main(void) {
  long count[5] = {0}, most[1] = {-1}, both[2] = {0}, list[8], sum = 0, number = 0, kept = 1;
  int at[1] = {-1};
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) u[i] = (i * 5) % N, add[i] = 0;
  for (int k = 0; k < 8; k++) list[k] = k;
#pragma acc data copyin(u) copy(count, most, at, both, list, add)
  {
    /* Each node counts on its device; the host's copy stays what it is. */
#pragma xmp loop (i) on t[i]
#pragma acc parallel loop
    for (int i = 0; i < N; i++) {
#pragma acc atomic
      count[u[i] % 5] += u[i];
    }
#ifdef _OPENACC
    for (int k = 0; k < 5; k++) count[k] = -7;
#endif
#pragma xmp reduction(+:count) async(3) acc
#pragma xmp wait_async (3) on p
#ifdef _OPENACC
    for (int k = 0; k < 5; k++) kept &= count[k] == -7;
#endif
    /* A value with its location, of the device. */
#pragma xmp loop (i) on t[i]
#pragma acc kernels
    for (int i = 0; i < N; i++)
      if (u[i] > most[0]) {
        most[0] = u[i];
        at[0] = i;
      }
#pragma xmp reduction(firstmax:most/at[0]/) acc
    /* Both copies, of which each has a sum of its own. */
#pragma xmp loop (i) on t[i]
    for (int i = 0; i < N; i++) both[0] += i;
#ifdef _OPENACC
#pragma xmp loop (i) on t[i]
#pragma acc parallel loop seq
    for (int i = 0; i < N; i++) both[0] += 2 * i;
#pragma xmp reduction(+:both) acc host
    kept &= both[0] == N * (N - 1) / 2;
#else
    both[0] *= 2;
#endif
    /* Numbers have one value. */
#pragma xmp task on p[0]
    number = 12;
#pragma xmp bcast (number) from p[0] acc
#pragma xmp bcast (number) from p[0] async(5) acc host
#pragma xmp wait_async (5)
#pragma acc parallel loop
    for (int k = 0; k < 8; k++) list[k] += 10 * number;
#pragma xmp task on p[0]
    {
#pragma acc parallel loop
      for (int k = 1; k < 7; k += 3) list[k] = -k;
    }
#pragma xmp bcast (list[1:2:3]) from p[0] acc
    /* Sums of shadows: each node adds to what its neighbours own. */
#ifdef _XCALABLEMP
#pragma xmp loop (i) on t[i]
#pragma acc parallel loop seq
    for (int i = 1; i < N - 1; i++) {
      add[i - 1] += u[i];
      add[i + 1] += 2 * u[i];
    }
#pragma xmp reduce_shadow (add) width(1) acc async(4)
#pragma xmp wait_async (4) on p[:]
#else
    for (int i = 1; i < N - 1; i++) add[i - 1] += u[i], add[i + 1] += 2 * u[i];
#endif
#pragma xmp reflect (u) acc host
#pragma xmp loop (i) on t[i] reduction(+:sum)
#pragma acc parallel loop reduction(+:sum)
    for (int i = 1; i < N - 1; i++) sum += i * (u[i - 1] - 3 * u[i + 1]);
#pragma xmp loop (i) on t[i] reduction(+:sum)
    for (int i = 1; i < N - 1; i++) sum += u[i - 1] + u[i + 1];
  }
#pragma xmp loop (i) on t[i] reduction(+:sum)
  for (int i = 0; i < N; i++) sum += add[i] * (i + 1);
  for (int k = 0; k < 8; k++) sum = 3 * sum + list[k];
#pragma xmp task on p[0] profile
  printf("%ld %ld %ld %ld %ld | %ld %d %ld %ld %ld\n", count[0], count[1], count[2], count[3], count[4], most[0], at[0],
         both[0], sum, kept);
}
