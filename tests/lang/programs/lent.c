/* options: -DONE ranks: 1 */
/* OpenACC: regions in regions, enter and exit, updates of sections both ways, if and if_present, pointers and VLAs. */
#include <stdio.h>
#include <stdlib.h>
#define N 20
int table[N];
#pragma acc declare create(table)
static void twice(int n, int *x) {
#pragma acc data copy(x[0:n])
  {
#pragma acc parallel loop present(x[0:n])
    for (int i = 0; i < n; i++) x[i] *= 2;
  }
}
int main(void) {
  int n = N, vla[n], *heap = malloc(N * sizeof *heap), sum = 0, two[4][N];
  for (int i = 0; i < N; i++) vla[i] = heap[i] = table[i] = i;
#pragma acc update device(table)
#pragma acc enter data copyin(vla) create(heap[0:N])
#pragma acc update device(heap[0:N / 2])
#pragma acc update device(heap[N / 2 : N - N / 2])
#pragma acc data present(vla, heap[0:N]) copyout(two)
  {
#pragma acc parallel loop collapse(2)
    for (int k = 0; k < 4; k++)
      for (int i = 0; i < N; i++) two[k][i] = k * vla[i] + table[i];
    twice(N, heap);
#pragma acc kernels
    {
      for (int i = 0; i < N; i++) heap[i] += 1;
      for (int i = 1; i < N; i++) vla[i] += vla[i - 1];
    }
    heap[3] = 1000;
#pragma acc update device(heap[3:1]) if(n > 5)
#pragma acc update device(heap[4:1]) if(n > 50)
#pragma acc update self(heap[2:5]) if_present
  }
#pragma acc exit data copyout(vla) copyout(heap[0:N])
#pragma acc parallel loop reduction(+ : sum) copyin(vla, two)
  for (int i = 0; i < N; i++) sum += vla[i] * two[3][i];
#pragma acc update host(table)
  printf("%d %d %d %d %d\n", sum, heap[2], heap[3], heap[N - 1], table[7]);
  return 0;
}
