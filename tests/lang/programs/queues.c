/* options: -DONE ranks: 1 */
/* OpenACC: async and wait, private and firstprivate, reductions of every operation, routines, atomic, cache. */
#include <stdio.h>
#define N 30
#pragma acc routine seq
static int square(int x) { return x * x; }
int main(void) {
  int a[N], b[N], counts[5] = {0}, first = 3, scratch = -1, many = 0, all = ~0, any = 0, odd = 0, yes = 1, no = 0;
  long product = 1;
  double low = 1e9, high = -1;
#pragma acc data create(a, b) copy(counts)
  {
#pragma acc parallel loop async(1)
    for (int i = 0; i < N; i++) a[i] = square(i) % 17;
#pragma acc parallel loop async(2) gang worker vector num_gangs(4) vector_length(32)
    for (int i = 0; i < N; i++) b[i] = i + 1;
#pragma acc wait(1, 2)
#pragma acc parallel loop private(scratch) firstprivate(first) present(a)
    for (int i = 0; i < N; i++) {
      scratch = a[i] + first;
      a[i] = scratch;
    }
#pragma acc parallel loop reduction(+ : many) reduction(max : high) reduction(min : low)
    for (int i = 0; i < N; i++) {
      many += a[i];
      if (b[i] * 0.5 > high) high = b[i] * 0.5;
      if (a[i] * 0.25 < low) low = a[i] * 0.25;
    }
#pragma acc parallel loop reduction(& : all) reduction(| : any) reduction(^ : odd) reduction(&& : yes) reduction(|| : no)
    for (int i = 0; i < N; i++) all &= a[i] | 4, any |= b[i], odd ^= a[i], yes = yes && b[i], no = no || a[i] == 99;
#pragma acc parallel loop reduction(* : product)
    for (int i = 0; i < 12; i++) product *= b[i];
#pragma acc parallel loop
    for (int i = 0; i < N; i++) {
#pragma acc atomic update
      counts[a[i] % 5] += b[i];
    }
#pragma acc wait
  }
  printf("%d %d %d %d %d %d %ld %g %g\n", many, all, any, odd, yes, no, product, low, high);
  for (int k = 0; k < 5; k++) printf("%d ", counts[k]);
  printf("\n");
  return 0;
}
