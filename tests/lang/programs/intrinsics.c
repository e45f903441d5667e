/* transpose, matmul, gather, scatter, pack, unpack, sort: of arrays that lie differently, against the loops that they stand for. */
#include <stdio.h>
#ifdef _XCALABLEMP
#include <xmp.h>
#endif
#define M 7
#define K 70
#define N 5
#define L 23
#pragma xmp nodes p[*]
#pragma xmp template seven[M]
#pragma xmp distribute seven[block] onto p
#pragma xmp template turns[K]
#pragma xmp distribute turns[cyclic(3)] onto p
#pragma xmp template ones[M]
#pragma xmp distribute ones[cyclic] onto p
#pragma xmp template rows[L]
#pragma xmp distribute rows[block] onto p
#pragma xmp template five[N]
#pragma xmp distribute five[block] onto p
double a[M][K], at[K][M], b[K][N], c[M][N];
#pragma xmp align a[i][*] with seven[i]
#pragma xmp align at[i][*] with turns[i]
#pragma xmp align b[*][j] with five[j]
#pragma xmp align c[i][*] with ones[i]
int v[L], up[L], down[L], where[L], from[L], spread[L], mask[L], packed[L], back[L];
#pragma xmp align [i] with rows[i] :: v, where, packed
#pragma xmp align [i] with turns[i] :: up, down, from, spread, mask, back
int row_of[N], column_of[N];
double picked[N];
#pragma xmp align [i] with five[i] :: row_of, picked
#pragma xmp align [i] with ones[i] :: column_of

static int less(int x, int y, int is_up) { return is_up ? x < y : x > y; }
static void sorted(int *to, int is_up) {
  for (int i = 0; i < L; i++) to[i] = v[i];
  for (int i = 1; i < L; i++)
    for (int k = i; k > 0 && less(to[k], to[k - 1], is_up); k--) {
      int kept = to[k];
      to[k] = to[k - 1];
      to[k - 1] = kept;
    }
}

int main(void) {
  double sum = 0;
  long count = 0;
#pragma xmp loop (i) on seven[i]
  for (int i = 0; i < M; i++)
    for (int k = 0; k < K; k++) a[i][k] = (i * 31 + k * 17) % 13 - 6;
#pragma xmp loop (j) on five[j]
  for (int j = 0; j < N; j++)
    for (int k = 0; k < K; k++) b[k][j] = (k * 7 + j * 5) % 11 - 5;
#pragma xmp loop (i) on rows[i]
  for (int i = 0; i < L; i++) {
    v[i] = i * 7919 % 17;
    where[i] = (i * 5 + 2) % L;
  }
#pragma xmp loop (i) on turns[i]
  for (int i = 0; i < L; i++) {
    mask[i] = i * i % 3;
    back[i] = -1;
  }
#pragma xmp loop (i) on five[i]
  for (int i = 0; i < N; i++) row_of[i] = i * 3 % M;
#pragma xmp loop (i) on ones[i]
  for (int i = 0; i < N; i++) column_of[i] = i * 29 % K;
#ifdef _XCALABLEMP
  xmp_transpose(xmp_desc_of(at), xmp_desc_of(a), 0);
  xmp_matmul(xmp_desc_of(c), xmp_desc_of(a), xmp_desc_of(b));
  xmp_gather(xmp_desc_of(from), xmp_desc_of(v), xmp_desc_of(where));
  xmp_gather(xmp_desc_of(picked), xmp_desc_of(a), xmp_desc_of(row_of), xmp_desc_of(column_of));
  xmp_scatter(xmp_desc_of(spread), xmp_desc_of(v), xmp_desc_of(where));
  xmp_pack(xmp_desc_of(packed), xmp_desc_of(v), xmp_desc_of(mask));
  xmp_unpack(xmp_desc_of(back), xmp_desc_of(packed), xmp_desc_of(mask));
  xmp_sort_up(xmp_desc_of(v), xmp_desc_of(up));
  xmp_sort_down(xmp_desc_of(v), xmp_desc_of(down));
#else
  for (int k = 0; k < K; k++)
    for (int i = 0; i < M; i++) at[k][i] = a[i][k];
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < K; k++) c[i][j] += a[i][k] * b[k][j];
  for (int i = 0; i < L; i++) from[i] = v[where[i]];
  for (int i = 0; i < N; i++) picked[i] = a[row_of[i]][column_of[i]];
  for (int i = 0; i < L; i++) spread[where[i]] = v[i];
  for (int i = 0, k = 0; i < L; i++)
    if (mask[i]) packed[k++] = v[i];
  for (int i = 0, k = 0; i < L; i++)
    if (mask[i]) back[i] = packed[k++];
  sorted(up, 1);
  sorted(down, 0);
#endif
#pragma xmp loop (k) on turns[k] reduction(+:sum)
  for (int k = 0; k < K; k++)
    for (int i = 0; i < M; i++) sum += at[k][i] * (k + 100 * i);
#pragma xmp loop (i) on ones[i] reduction(+:sum)
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) sum += c[i][j] * (i + 10 * j);
#pragma xmp loop (i) on five[i] reduction(+:sum)
  for (int i = 0; i < N; i++) sum += picked[i] * (i + 1);
#pragma xmp loop (i) on turns[i] reduction(+:count)
  for (int i = 0; i < L; i++) count += (from[i] + 20L * spread[i] + 400L * up[i] + 8000L * down[i] + back[i]) * (i + 1);
#pragma xmp loop (i) on rows[i] reduction(+:count)
  for (int i = 0; i < L; i++) count += packed[i] * (1000L + i);
#pragma xmp task on p[0]
  printf("%.0f %ld\n", sum, count);
}
