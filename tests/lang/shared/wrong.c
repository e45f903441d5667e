/* What SMint finds wrong when the program runs: wrong.c MODE. */
#include <smint.h>
#include <stdlib.h>
#include <string.h>

#define N 10
#pragma SMint shared ::[](0, getenv("TASUKI_TEST_FAR") ? 9 : 1)
double a[N];
#pragma SMint shared ::[getenv("TASUKI_TEST_PARTS") ? 11 : 1](0, 1)
double b[N];

static void fill(double *into, int n) {
#pragma SMint parallel for schedule(owner : into)
  for (int i = 0; i < n; i++) into[i] = i;
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  double own[N];
  int last = strcmp(mode, "section") ? N - 2 : N - 1;
  if (!strcmp(mode, "private")) fill(own, N);
  if (!strcmp(mode, "beyond")) fill(a, N + 1);
#pragma SMint parallel for copyin(a[i:2])
  for (int i = 0; i <= last; i++) {
    b[i] = a[i];
    if (!strcmp(mode, "inside")) fill(a, 2);
  }
  return 0;
}
