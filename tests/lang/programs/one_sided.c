/* ranks: 2 3 4 6 */
/* gmove in and out by some nodes alone, of arrays on all of them: sections, steps, corners of other formats, parameters, local arrays. */
#include <stdio.h>
#define N 12
#define M 10
#pragma xmp nodes p[*]
#pragma xmp nodes first[1] = p[0:1]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp template c[M]
#pragma xmp distribute c[cyclic(2)] onto p
#pragma xmp template o[N]
#pragma xmp distribute o[block] onto first
int a[N][M], b[N][M], mine[N][M];
#pragma xmp align a[i][j] with t[i]
#pragma xmp shadow a[1][0]
#pragma xmp align b[i][j] with c[j]
#pragma xmp align mine[i][j] with o[i]
static void taken(int x[N][M], int row[M]) {
#pragma xmp align x[i][j] with t[i]
#pragma xmp shadow x[1][0]
#pragma xmp task on p[0]
  {
#ifdef _XCALABLEMP
#pragma xmp gmove in
    row[0:M] = x[N - 1][0:M];
#else
    for (int j = 0; j < M; j++) row[j] = x[N - 1][j];
#endif
  }
}
static long local(int by) {
  int d[N];
  long sum = 0;
#pragma xmp align d[i] with t[i]
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) d[i] = by * i;
#pragma xmp barrier
#pragma xmp task on p[0]
  {
    int own[N];
#ifdef _XCALABLEMP
#pragma xmp gmove in
    own[0:N] = d[N - 1:N:-1];
#else
    for (int k = 0; k < N; k++) own[k] = d[N - 1 - k];
#endif
    for (int i = 0; i < N; i++) sum += (i + 1) * own[i];
#ifdef _XCALABLEMP
#pragma xmp gmove out
    d[1:3:4] = own[2:3];
#else
    for (int k = 0; k < 3; k++) d[1 + 4 * k] = own[2 + k];
#endif
  }
#pragma xmp barrier
  int all = 0;
#pragma xmp loop (i) on t[i] reduction(+ : all)
  for (int i = 0; i < N; i++) all += i * d[i];
#pragma xmp bcast (sum)
  return sum + 1000 * all;
}
int main(void) {
  int row[M] = {0}, all = 0;
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) a[i][j] = 100 * i + j;
#pragma xmp loop (j) on c[j]
  for (int j = 0; j < M; j++)
    for (int i = 0; i < N; i++) b[i][j] = -(100 * i + j);
#pragma xmp barrier
#pragma xmp task on first
  {
#ifdef _XCALABLEMP
#pragma xmp gmove in
    mine[:][:] = a[:][:];
#pragma xmp gmove in
    mine[2:4][1:8] = b[0:4:3][2:8];
#pragma xmp gmove out
    b[1:5:2][3] = mine[0:5][9];
#pragma xmp gmove out
    a[7:5][0:4:3] = mine[3:5][1:4];
#else
    for (int i = 0; i < N; i++)
      for (int j = 0; j < M; j++) mine[i][j] = a[i][j];
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 8; j++) mine[2 + i][1 + j] = b[3 * i][2 + j];
    for (int k = 0; k < 5; k++) b[1 + 2 * k][3] = mine[k][9];
    for (int i = 0; i < 5; i++)
      for (int j = 0; j < 4; j++) a[7 + i][3 * j] = mine[3 + i][1 + j];
#endif
  }
#pragma xmp barrier
  taken(a, row);
#pragma xmp loop (i) on t[i] reduction(+ : all)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) all += (i + 3 * j) * a[i][j];
#pragma xmp loop (j) on c[j] reduction(+ : all)
  for (int j = 0; j < M; j++)
    for (int i = 0; i < N; i++) all += (i - 2 * j) * b[i][j];
  long more = local(3) + local(5);
#pragma xmp task on first
  {
    long sum = 0;
    for (int i = 0; i < N; i++)
      for (int j = 0; j < M; j++) sum += (7 * i + j) * mine[i][j];
    for (int j = 0; j < M; j++) sum += j * row[j];
    printf("%d %ld %ld\n", all, sum, more);
  }
}
