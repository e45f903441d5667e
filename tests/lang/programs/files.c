/* Files of Tasuki: written from one distribution, read into another, by any number of ranks. */
#include <stdio.h>
#ifdef _XCALABLEMP
#include <xmp.h>
#endif
#define M 9
#define N 14
#pragma xmp nodes p[*]
#pragma xmp template t[M][N]
#pragma xmp distribute t[block][*] onto p
#pragma xmp template c[M][N]
#pragma xmp distribute c[*][cyclic(2)] onto p
double u[M][N];
int count[M][N];
#pragma xmp align [j][i] with t[j][i] :: u, count
#pragma xmp shadow u[1][0]

static double read_again(const char *name, long *step) {
  double u[M][N], sum = 0;
#pragma xmp align u[j][i] with c[j][i]
#ifdef _XCALABLEMP
#pragma tasuki restore (u) name step(*step)
#else
  for (int j = 0; j < M; j++)
    for (int i = 0; i < N; i++) u[j][i] = 100 * j + i;
  *step = name[0] == 'f' ? 40 : 0;
#endif
#pragma xmp loop (i) on c[:][i] reduction(+:sum)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) sum += u[j][i] * (j + 3 * i);
  return sum;
}

int main(void) {
  long step = 0, kept = 0;
  int k = 40;
#pragma xmp loop (j) on t[j][:]
  for (int j = 0; j < M; j++)
    for (int i = 0; i < N; i++) {
      u[j][i] = 100 * j + i;
      count[j][i] = j - i;
    }
#pragma tasuki snapshot (u, count) "files_u.h5"
#pragma tasuki plot (u, count) "files_p.h5" step(k)
#pragma tasuki checkpoint (u, count) "files_c.h5" step(k)
  double sum = read_again("files_c.h5", &step);
#ifdef _XCALABLEMP
#pragma xmp loop (j) on t[j][:]
  for (int j = 0; j < M; j++)
    for (int i = 0; i < N; i++) count[j][i] = 0;
#pragma tasuki restore (count, u) "files_c.h5"
#endif
#pragma xmp loop (j) on t[j][:] reduction(+:kept)
  for (int j = 0; j < M; j++)
    for (int i = 0; i < N; i++) kept += count[j][i] * (i + 2 * j);
#pragma xmp task on p[0]
  printf("%.0f %ld %ld\n", sum, step, kept);
}
