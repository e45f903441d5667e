/* Every directive and clause of SMint, and every kind of loop: prints on any processes what it prints as sequential C. */
#include "more.h"

#include <smint.h>
#include <stdio.h>

#define N 50
#define MAP ::[NPROCS][](0, NPROCS)
#define FROM 2
#pragma SMint shared MAP
static double a[N][20], b[N][20];
#pragma SMint shared ::[NPROCS < 2 ? 1 : 2][NPROCS](0, NPROCS)
long cut[N][20];
#pragma SMint shared ::[25](0, NPROCS) ;
int cyclic[N];
#pragma SMint shared ::(NPROCS - 1, 1)
long counter, named;
typedef struct {
  int key;
  double at[3];
} Cell;
#pragma SMint shared ::[NPROCS](0, NPROCS)
Cell cells[N];
/* extern shared_in_other, of more.h, is made by smint_more.c */

static double sum_of(double (*of)[20], int n) {
  double sum = 0;
#pragma SMint parallel for reduction(+ : sum) schedule(owner : of) copyin(of[0:n][2:4])
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++)
    for (int k = 2; k < 6; k++) sum += of[i][k];
  return sum;
}

static void scale(double (*of)[20], unsigned first, unsigned last, double by) {
  unsigned i;
#pragma SMint parallel for
  for (i = first; i <= last; i += 3) {
    if (i % 2) continue;
    for (int k = 0; k < 20; ++k) of[i][k] *= by;
  }
#pragma SMint single
  printf("behind %u\n", i);
}

int main(void) {
  int j, n = 0, least = 99, most = -99, any = 0;
  unsigned bits = 0;
  double values[3];
#pragma SMint single
  {
    n = N - 2;
    for (int k = 0; k < 3; k++) values[k] = k + 0.5;
    sscanf("7", "%d", &least);
  }
#pragma SMint parallel for
  for (int i = 0; i < N; i++)
    for (j = 0; j < 20; j++) a[i][j] = b[i][j] = i * 20 + j + values[j % 3];
  for (int turn = 0; turn < 3; turn++) {
#pragma SMint parallel for copyin(a[i - 1:3][ ]) copyout(b[i][1:18])
#pragma omp parallel for
    for (int i = n; i >= FROM - 1; i--)
      for (int k = 1; k < 19; k++) b[i][k] = 0.25 * (a[i - 1][k] + a[i + 1][k] + a[i][k - 1] + a[i][k + 1]);
#pragma SMint parallel for schedule(even) copy(a[ ])
    for (int i = 1; i < N - 1; i = i + 1)
      for (int k = 1; k < 19; k++) a[i][k] = b[i][k];
  }
  const double sum = sum_of(a, N);
  scale(a, 1, N - 3, 0.5);
#pragma SMint parallel for create(cut[ ][ ])
  for (int k = 19; k > -1; k -= 2)
    for (int i = 0; i < N; i++) cut[i][k] = i * k;
  for (int i = 0; i < N; i += 7) {
#pragma SMint parallel for
    for (int k = 0; k < 20; k += 2) cut[i][k] = i - k;
  }
#pragma SMint parallel for
  for (int i = N - 1; i >= 0; i -= 4) cyclic[i] = i;
  if (n > 0)
#pragma SMint parallel for
    for (int i = 5; i < 5; i++) cyclic[i] = -1;
#pragma SMint parallel for reduction(max : most) reduction(min : least) reduction(|| : any) reduction(^ : bits)
  for (int i = 0; i < N; i++) {
    if (most < cyclic[i]) most = cyclic[i];
    if (least > cyclic[i] - 3) least = cyclic[i] - 3;
    any = any || cyclic[i] == 33;
    bits ^= (unsigned)cyclic[i] << 3;
  }
#pragma SMint parallel for
  for (int i = 0; i < N; i++) {
    double t = i;
    cells[i].key = i * i;
    cells[i].at[1] = t / 3;
#pragma SMint critical
    counter += i;
#pragma SMint critical(other)
    {
      named++;
    }
  }
#pragma SMint barrier
#pragma SMint parallel for
  for (int i = 0; i < OTHERS; i++) in_other[i] += i;
  more();
#pragma SMint single
  {
    double all = 0;
    long whole = 0;
    for (int i = 0; i < N; i++)
      for (int k = 0; k < 20; k++) all += a[i][k] * (k + 1), whole += cut[i][k] * (i + k);
    printf("sum %.10g all %.17g cut %ld\n", sum, all, whole);
    printf("most %d least %d any %d bits %u\n", most, least, any, bits);
    printf("counter %ld named %ld cells %d %.17g\n", counter, named, cells[N - 1].key, cells[7].at[1]);
    printf("other %d %d\n", in_other[3], in_other[OTHERS - 1]);
  }
  return 0;
}
