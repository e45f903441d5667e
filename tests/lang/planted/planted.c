/* One error a word: `planted WORD` plants it, and --check, or the run time, finds it. Without a word it is sound. */
#include <stdio.h>
#include <string.h>
#include <xmp.h>
#define N 8
#pragma xmp nodes p[2]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp template c[N]
#pragma xmp distribute c[cyclic] onto p
int a[N], b[N], d[N], kept[N];
#pragma xmp align [i] with t[i] :: a, b
#pragma xmp align [i] with c[i] :: d, kept
#pragma xmp shadow kept[*]
#pragma xmp shadow a[1]
#pragma xmp template both[2][N]
#pragma xmp distribute both[block][*] onto p
int copied[N];
#pragma xmp align copied[i] with both[*][i]
xmp_lock_t l:[*];

static int is(int argc, char **argv, const char *word) { return argc > 1 && !strcmp(argv[1], word); }

/* A parameter is the array that was passed: its reads and writes are that one's. */
static int left_of_all(int x[N]) {
#pragma xmp align x[i] with t[i]
#pragma xmp shadow x[1]
  int sum = 0;
#pragma xmp loop (i) on t[i] reduction(+:sum)
  for (int i = 1; i < N; i++) sum += x[i - 1];
  return sum;
}

/* A parameter without a shadow counts the elements of cyclic pieces, which lie side by side. */
static int counted(int x[N]) {
#pragma xmp align x[i] with c[i]
  int sum = 0;
#pragma xmp loop (i) on c[i] reduction(+:sum)
  for (int i = 0; i < N; i++) sum += x[i];
  return sum;
}

int main(int argc, char **argv) {
  int me = xmpc_node_num(), sum = 0;
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) a[i] = b[i] = i;
#pragma xmp loop (i) on c[i]
  for (int i = 0; i < N; i++) d[i] = kept[i] = i;
  if (is(argc, argv, "far")) printf("%d\n", b[7 - 7 * me]);
  if (is(argc, argv, "cyclic")) d[me + 1] = 1;
  if (is(argc, argv, "outside")) a[N + 3 * me] = 0;
  if (is(argc, argv, "row")) memset(&b[me == 0 ? 5 : 5], 0, sizeof(int));
  if (!is(argc, argv, "stale")) {
#pragma xmp reflect (a)
  }
#pragma xmp loop (i) on t[i] reduction(+:sum)
  for (int i = 1; i < N - 1; i++)
    sum += a[i - 1] + a[i + 1];
  if (is(argc, argv, "task")) {
#pragma xmp task on t[3]
    a[3] += 1;
  }
  sum += left_of_all(a) + counted(d);
  if (is(argc, argv, "parameter")) sum += counted(kept);
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) a[i] += 1; /* what was read before is no error */
#pragma xmp reflect (a)
#pragma xmp loop (i) on t[i] reduction(+:sum)
  for (int i = 1; i < N; i++) sum += a[i - 1];
  if (is(argc, argv, "apart") && me == 1) {
#pragma xmp barrier
  } else {
#pragma xmp reduction (+:sum)
  }
  for (int i = 0; i < N; i++) copied[i] = i;
  if (is(argc, argv, "copies")) copied[5] += me;
  if (is(argc, argv, "images")) {
    if (me == 0) xmp_sync_all(NULL);
  }
  if (is(argc, argv, "early") && me == 1) return 0;
#pragma xmp barrier
  if (is(argc, argv, "sections")) {
    int n = argc;
#pragma xmp gmove
    a[0:n] = b[0:n + 1];
  }
  if (is(argc, argv, "pieces")) {
    int own[N] = {0};
#pragma acc data copy(own[0:2]) copyin(own[4:2])
    {
#pragma acc parallel loop
      for (int i = 0; i < 2; i++) own[i] = i;
    }
  }
  if (is(argc, argv, "lock")) {
#pragma xmp lock (l:[me])
  }
#pragma xmp task on p[0]
  printf("sum %d\n", sum);
  return 0;
}
