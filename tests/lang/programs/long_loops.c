/* options: -DN=20011 */
/* Loops long enough for several threads: single ones over each format, rows of pieces, rims. */
#include <stdio.h>
#define R 67
#define C 9
#pragma xmp nodes p[*]
#pragma xmp template tb[N]
#pragma xmp distribute tb[block] onto p
#pragma xmp template tc[N]
#pragma xmp distribute tc[cyclic] onto p
#pragma xmp template tw[N]
#pragma xmp distribute tw[cyclic(4999)] onto p
#pragma xmp template s[R][C]
#pragma xmp distribute s[cyclic(20)][*] onto p
#pragma xmp template q[R][C]
#pragma xmp distribute q[block][*] onto p
double a[N], b[N];
int c[N], w[N];
int m[R][C], v[R][C];
#pragma xmp align [i] with tb[i] :: a, b
#pragma xmp align c[i] with tc[i]
#pragma xmp align w[i] with tw[i]
#pragma xmp align m[j][i] with s[j][i]
#pragma xmp align v[j][i] with q[j][i]
#pragma xmp shadow a[1]
#pragma xmp shadow v[1][0]
int main(void) {
  int i, j;
  double own, most = 0;
  long sum = 0, odd = 0, rows = 0, edges = 0;
#pragma xmp loop (i) on tb[i]
  for (i = 0; i < N; i++) a[i] = i % 11 * 0.5;
#pragma xmp reflect (a)
#pragma xmp loop (i) on tb[i]
  for (int i = 1; i < N - 1; i++) {
    own = a[i - 1] + a[i + 1];
    b[i] = own * own - a[i];
  }
#pragma xmp loop (i) on tb[i] reduction(max : most)
  for (int i = N - 2; i > 0; i--) most = b[i] > most ? b[i] : most;
#pragma xmp loop (i) on tc[i]
  for (i = 0; i < N; i++) c[i] = i % 17;
#pragma xmp loop (i) on tc[i] reduction(+ : sum)
  for (int i = N - 1; i >= 0; i--) sum += (long)c[i] * i;
#pragma xmp loop (i) on tw[i]
  for (int i = 0; i < N; i++) w[i] = i % 23;
#pragma xmp loop (i) on tw[i] reduction(+ : odd)
  for (int i = 1; i < N; i += 2) odd += (long)w[i] * i;
#pragma xmp loop (j, i) on s[j][i]
  for (j = 0; j < R; j++)
    for (i = 0; i < C; i++) m[j][i] = 100 * j + i;
#pragma xmp loop (j, i) on s[j][i] reduction(+ : rows)
  for (int j = 0; j < R; j++)
    for (int i = 0; i < C; i++) rows += m[j][i] * (j + 3 * i);
#pragma xmp loop (j, i) on q[j][i]
  for (int j = 0; j < R; j++)
    for (int i = 0; i < C; i++) v[j][i] = j * i;
#pragma xmp loop (j, i) on q[j][i] expand(1, 0)
  for (int j = 0; j < R; j++)
    for (int i = 0; i < C; i++) v[j][i] = j * i + 5;
#pragma xmp loop (j, i) on q[j][i] reduction(+ : edges)
  for (int j = 1; j < R - 1; j++)
    for (int i = 0; i < C; i++) edges += v[j - 1][i] * 3 + v[j + 1][i] - v[j][i];
#pragma xmp task on p[0]
  printf("%.17g %ld %ld %ld %ld\n", most, sum, odd, rows, edges);
  return 0;
}
