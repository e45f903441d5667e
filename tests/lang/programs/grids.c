/* options: -DM=11 -DN=10 ranks: 1 2 4 6 */
/* Two dimensions of nodes: pairs of formats, corners of a shadow, tasks on rows and columns, a reduction over one of them. */
#include <stdio.h>
#pragma xmp nodes p[*][2]
#pragma xmp template t[M][N]
#pragma xmp distribute t[block][block] onto p
#pragma xmp template s[M][N]
#pragma xmp distribute s[cyclic(2)][cyclic] onto p
int u[M][N], v[M][N], w[M][N], row[M], column[N];
#pragma xmp align [j][i] with t[j][i] :: u, v
#pragma xmp align w[j][i] with s[j][i]
#pragma xmp align row[j] with t[j][*]
#pragma xmp align column[i] with t[*][i]
#pragma xmp shadow u[1][1]
int main(void) {
  long sum = 0, high = 0;
#pragma xmp loop (j,i) on t[j][i]
  for (int j = 0; j < M; j++)
    for (int i = 0; i < N; i++) u[j][i] = 3 * j + 5 * i;
#pragma xmp loop (j,i) on s[j][i]
  for (int j = 0; j < M; j++)
    for (int i = 0; i < N; i++) w[j][i] = j * i;
#pragma xmp reflect (u)
#pragma xmp loop (i,j) on t[j][i]
  for (int j = 1; j < M - 1; j++)
    for (int i = 1; i < N - 1; i++) v[j][i] = u[j - 1][i - 1] + 2 * u[j + 1][i - 1] - u[j - 1][i + 1] + 7 * u[j + 1][i + 1];
#pragma xmp loop (j) on t[j][*]
  for (int j = 0; j < M; j++) row[j] = j + 1;
#pragma xmp loop (i) on t[*][i]
  for (int i = 0; i < N; i++) column[i] = 100 * i;
#pragma xmp loop (j,i) on t[j][i] reduction(+:sum)
  for (int j = 0; j < M; j++)
    for (int i = 0; i < N; i++) sum += v[j][i] * row[j] + u[j][i] * column[i];
#pragma xmp loop (j,i) on s[j][i] reduction(+:sum)
  for (int j = 0; j < M; j++)
    for (int i = 0; i < N; i++) sum += w[j][i] * (j + 1);
#pragma xmp task on p[0][:]
  {
#pragma xmp loop (i) on t[0][i] reduction(max:high)
    for (int i = 0; i < N; i++)
      if (u[0][i] > high) high = u[0][i];
  }
#pragma xmp task on p[0][0]
  printf("%ld %ld\n", sum, high);
}
