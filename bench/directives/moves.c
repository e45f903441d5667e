/* What reflect_do and gmove take by themselves: a line of JSON each, which moves.cpp has for the core's own.
 *
 *   tasuki cc -O2 -DN=8192 -DROUNDS=20 moves.c -o moves
 *   tasuki run ./moves -n 2 --device cuda
 *
 * Arrays of N x N doubles, u and v cut along the slow axis, w along the fast one. Bytes are those that a node sends. */
#include <stdio.h>
#include <xmp.h>
double u[N][N], v[N][N], w[N][N];
#pragma xmp nodes p[*]
#pragma xmp template rows[N]
#pragma xmp distribute rows[block] onto p
#pragma xmp template columns[N]
#pragma xmp distribute columns[block] onto p
#pragma xmp align u[j][*] with rows[j]
#pragma xmp align v[j][*] with rows[j]
#pragma xmp align w[*][i] with columns[i]
#pragma xmp shadow u[1][0]

static void say(const char *what, double bytes, double seconds) {
#pragma xmp task on p[0]
  printf("{\"what\": \"%s\", \"bytes\": %.0f, \"seconds\": %.9g}\n", what, bytes, seconds);
}

int main(void) {
  const int nodes = xmp_num_nodes(), halos = 50 * ROUNDS;
  double began, wrong = 0;
#pragma xmp loop on rows[j]
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) u[j][i] = v[j][i] = (double)j * N + i;
#pragma acc data copy(u) copyin(v) copyout(w)
  {
#pragma xmp reflect_init (u) acc
    for (int k = -10; k < halos; k++) {
      if (k == 0) {
#pragma acc wait
#pragma xmp barrier
        began = xmp_wtime();
      }
#pragma xmp reflect_do (u) acc
    }
#pragma acc wait
#pragma xmp barrier
    say("reflect_do", N * sizeof(double) * (nodes == 2 ? 1. : 2.), (xmp_wtime() - began) / halos);
    for (int k = -2; k < ROUNDS; k++) {
      if (k == 0) {
#pragma acc wait
#pragma xmp barrier
        began = xmp_wtime();
      }
#pragma xmp gmove acc
      w[:][:] = v[:][:];
    }
#pragma acc wait
#pragma xmp barrier
    say("gmove", sizeof(double) * N * N / nodes * (nodes - 1.) / nodes, (xmp_wtime() - began) / ROUNDS);
  }
#pragma xmp loop on columns[i] reduction(+:wrong)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) wrong += w[j][i] != (double)j * N + i;
  if (wrong) printf("%g elements of w are wrong\n", wrong);
  return wrong != 0;
}
