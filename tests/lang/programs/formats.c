/* The same sums over arrays of every format; the two-dimensional ones by pairs of formats. */
#include <stdio.h>
#define N 29
#define M 13
#pragma xmp nodes p[*]
#ifndef WIDE
#define WIDE 1
#endif
#pragma xmp nodes q[*][WIDE]
#pragma xmp template tb[N]
#pragma xmp distribute tb[block] onto p
#pragma xmp template tn[N]
#pragma xmp distribute tn[block(29)] onto p
#pragma xmp template tc[N]
#pragma xmp distribute tc[cyclic] onto p
#pragma xmp template tw(0:N-1)
#pragma xmp distribute tw(cyclic(3)) onto p
#pragma xmp template s[N][M]
#pragma xmp distribute s[cyclic(2)][cyclic] onto q
int b[N], n[N], c[N], w[N], m[N][M];
#pragma xmp align b[i] with tb[i]
#pragma xmp align n[i] with tn[i]
#pragma xmp align c[i] with tc[i]
#pragma xmp align w[i] with tw(i)
#pragma xmp align m[i][j] with s[i][j]
int main(void) {
  long sum[5] = {0, 0, 0, 0, 0};
  int i, j;
#pragma xmp loop on tb[i]
  for (i = 0; i < N; i++) b[i] = i * i;
#pragma xmp loop (i) on tn[i]
  for (i = 0; i < N; i++) n[i] = i * i;
#pragma xmp loop (i) on tc[i]
  for (i = N - 1; i >= 0; i--) c[i] = i * i;
#pragma xmp loop (i) on tw(i)
  for (i = 0; i < N; i += 1) w[i] = i * i;
#pragma xmp loop (i, j) on s[i][j]
  for (i = 0; i < N; i++)
    for (j = 0; j < M; j++) m[i][j] = i * 100 + j;
#pragma xmp loop (i) on tb[i] reduction(+:sum)
  for (i = 1; i < N; i += 3) sum[0] += b[i];
#pragma xmp loop (i) on tn[i] reduction(+:sum)
  for (i = N - 1; i > 2; i -= 2) sum[1] += n[i] * (i + 1);
#pragma xmp loop (i) on tc[i] reduction(+:sum)
  for (i = 2; i <= N - 2; i += 2) sum[2] += c[i];
#pragma xmp loop (i) on tw(i) reduction(+:sum)
  for (i = N - 2; i >= 1; i -= 4) sum[3] += w[i];
#pragma xmp loop (i, j) on s[i][j] reduction(+:sum)
  for (i = 3; i < N; i += 2)
    for (j = M - 1; j >= 1; j--) sum[4] += m[i][j] * (j + 2);
#pragma xmp task on p[0]
  printf("%ld %ld %ld %ld %ld\n", sum[0], sum[1], sum[2], sum[3], sum[4]);
}
