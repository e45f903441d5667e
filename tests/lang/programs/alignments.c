/* Offsets, transposition, copies, dimensions that every node holds, and two arrays of one loop that lie differently. */
#include <stdio.h>
#define N 12
#define M 9
#pragma xmp nodes p[*][1]
#pragma xmp template t[N + 4][M + 4]
#pragma xmp distribute t[block][block] onto p
#pragma xmp template line[N + 4]
#pragma xmp nodes q[*]
#pragma xmp distribute line[block] onto q
long a[N][M], turned[M][N], everywhere[3][N], copy[M], shifted[N];
#pragma xmp align a[i][j] with t[i+2][j]
#pragma xmp align turned[j][i] with t[i+2][j+1]
#pragma xmp align everywhere[*][i] with line[i+1]
#pragma xmp align copy[j] with t[*][j]
#pragma xmp align shifted[i] with line[i+3]
int main(void) {
  long sum = 0, other = 0, third = 0;
#pragma xmp loop (i, j) on t[i+2][j]
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) a[i][j] = i * M + j;
#pragma xmp loop (i, j) on t[i+2][j+1]
  for (int j = 0; j < M; j++)
    for (int i = 0; i < N; i++) turned[j][i] = j * N + i;
#pragma xmp loop (i) on line[i+1]
  for (int i = 0; i < N; i++)
    for (int k = 0; k < 3; k++) everywhere[k][i] = k + i;
#pragma xmp loop (j) on t[*][j]
  for (int j = 0; j < M; j++) copy[j] = 3 * j;
#pragma xmp loop (i) on line[i+3]
  for (int i = 0; i < N; i++) shifted[i] = i * i;
#pragma xmp loop (i, j) on t[i+2][j] reduction(+:sum)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) sum += a[i][j] * copy[j];
#pragma xmp loop (i, j) on t[i+2][j+1] reduction(+:other)
  for (int j = 0; j < M; j++)
    for (int i = 0; i < N; i++) other += turned[j][i] % 7;
#pragma xmp loop (i) on line[i+1] reduction(+:third)
  for (int i = 0; i < N; i++) third += everywhere[0][i] + 10 * everywhere[2][i];
#pragma xmp loop (i) on line[i+3] reduction(+:third)
  for (int i = 1; i < N; i++) third += shifted[i];
#pragma xmp task on q[0]
  printf("%ld %ld %ld\n", sum, other, third);
}
