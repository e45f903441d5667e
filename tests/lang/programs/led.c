/* OpenACC: members of structs in clauses and regions: pointers, arrays, of structs of structs, and pointers to structs on either side. */
#include <stdio.h>
#include <stdlib.h>
#define N 40
#pragma xmp nodes p[*]
typedef struct {
  int *y;
  int k;
} deep;
typedef struct {
  int n, *x;
  deep d;
  int w[5];
  int g[3][4];
} box;
typedef struct {
  int v, u;
} cell;
static int act(box *b, cell *c, int m) {
  int n = b->n;
#pragma acc parallel loop present(b->x[0:m]) copy(b->d.y[4:m-4]) copyin(b->w, b->g)
  for (int i = 4; i < m; i++) b->d.y[i] += b->x[i] * b->w[i % 5] + b->g[1][2] + n;
#pragma acc parallel loop copy(c[0:1])
  for (int i = 0; i < 1; i++) c->v = c->u + 5;
  return b->d.y[7];
}
int main(void) {
  box b;
  cell c[2] = {{1, 2}, {3, 4}};
  int s = 0;
  b.n = 3;
  b.x = malloc(N * 4);
  b.d.y = malloc(N * 4);
  b.d.k = 2;
  for (int i = 0; i < N; i++) {
    b.x[i] = i;
    b.d.y[i] = 100 - i;
  }
  for (int i = 0; i < 5; i++) b.w[i] = i + 1;
  for (int i = 0; i < 12; i++) b.g[i / 4][i % 4] = i;
#pragma acc enter data copyin(b.x[0:N])
  int seven = act(&b, c, N);
#pragma acc parallel loop copyin(b.d.y[0:N]) reduction(+:s)
  for (int i = 0; i < N; i++) s += b.x[i] * b.d.y[i] % 17 + b.d.k;
  b.x[3] = 1000;
#pragma acc update device(b.x[3:1])
#pragma acc parallel loop present(b.x)
  for (int i = 0; i < N; i++) b.x[i] += 1;
#pragma acc update host(b.x[2:3])
#pragma acc exit data delete(b.x)
#pragma xmp task on p[0]
  printf("%d %d %d %d %d\n", seven, c[0].v, s, b.x[3], b.d.y[N - 1]);
}
