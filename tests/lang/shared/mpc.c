/* Every kind of declaration of MpC, in two units. Read as sequential C, without `shared` and maps, it prints the same. */
#include "mpc.h"

#include <stdio.h>

#define N 40
#define FIRST a[0]
typedef float Row[8];
enum { THREE = 3 };
shared double a[N][THREE + 5] ::[NPROCS][](0, NPROCS), b[N] ::[N / 2](0, NPROCS);
static shared struct cell {
  int key, value;
  struct cell *next;
} table[N] ::[NPROCS](0, NPROCS), *first;
shared unsigned char bytes[N * 100] ::[](NPROCS - 1, 1);
shared Row rows[N] ::[NPROCS](0, NPROCS), wide[2][N] ::[][NPROCS][](0, NPROCS);
shared double *pointers[N] ::[NPROCS](0, NPROCS);
shared int count ::(0, 1), (*twice[2])(int) ::[](0, 1);
shared long *only ::(0, 1);

static int times_two(int k) { return 2 * k; }
static double sum_of(shared const double of[][8], int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += of[i][1];
  return sum;
}

int main(int argc, char **argv) {
  extern shared int other[10];
  int b_too = argc > 0 && argv[0] != 0, own = 0;
  for (int i = 0; i < N; i++) {
    if (i % sms_nprocs != sms_rank) continue;
    shared double *row = a[i];
    row[1] = FIRST == a[0] ? i : -1;
    *(b + i) = i * 0.5;
    table[i] = (struct cell){i, i * i, i + 1 < N ? &table[i + 1] : 0};
    bytes[i * 100] = (unsigned char)i;
    rows[i][7] = (float)i, wide[1][i][2] = (float)(2 * i);
    pointers[i] = &a[i][1];
    sms_add(&count, i);
    sms_lock(3);
    other[i % 10] += 1;
    sms_unlock(3);
  }
  if (sms_rank == 0) twice[1] = 0, only = 0;
  sms_sync();
  fill_other();
  {
    int a = 5; /* hides the shared one */
    own = a + b_too;
  }
  first = table;
  if (sms_rank == sms_nprocs - 1) {
    long chain = 0;
    for (struct cell *at = first; at; at = at->next) chain += at->value;
    double all = 0;
    for (int i = 0; i < N; i++)
      all += *pointers[i] + b[i] + bytes[i * 100] + (double)rows[i][7] + (double)wide[1][i][2];
    printf("%.17g %.17g %ld %d %d %d\n", sum_of((const double(*)[8])a, N), all, chain, own, count, times_two(4) + (twice[1] != 0));
    printf("%zu %zu %zu %zu %d\n", sizeof a, sizeof a[0], sizeof(b) / sizeof b[0], sizeof(rows[0]), other[3]);
    printf("%d %d\n", (int)(&a[1][0] - &a[0][0]), (char *)(&a + 1) - (char *)&a == sizeof a);
  }
  return 0;
}
