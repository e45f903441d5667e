/* `death WORD`: a rank ends at once, without a word, while the others come to the directive that the word names. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <xmp.h>
#define N 8
#pragma xmp nodes p[2]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp template c[N]
#pragma xmp distribute c[cyclic] onto p
int a[N], b[N], away[4]:[*];
int m[N][N], n[N][N];
xmp_lock_t held:[*];
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with c[i]
#pragma xmp shadow a[1]
#pragma xmp align m[i][*] with t[i]
#pragma xmp align n[i][*] with t[i]

int main(int argc, char **argv) {
  int sum = 0;
#define IS(word) (argc > 1 && !strcmp(argv[1], word))
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) a[i] = i;
  for (int turn = 0; turn < 3; turn++) {
    if (turn == 2 && argc > 1 && xmpc_node_num() == 1) raise(SIGKILL);
    if (IS("barrier")) {
#pragma xmp barrier
    }
    if (IS("bcast")) {
#pragma xmp bcast (sum) from p[1]
    }
    if (IS("reduction")) {
#pragma xmp reduction (+ : sum)
    }
    if (IS("loop")) {
#pragma xmp loop (i) on t[i] reduction(+ : sum)
      for (int i = 0; i < N; i++) sum += a[i];
    }
    if (IS("reflect")) {
#pragma xmp reflect (a)
    }
    if (IS("reduce_shadow")) {
#pragma xmp reduce_shadow (a)
    }
    if (IS("gmove")) {
#pragma xmp gmove
      b[0:N] = a[0:N];
    }
    if (IS("gmove_in")) {
#pragma xmp gmove in
      sum = a[N - 1];
#pragma xmp barrier
    }
    if (IS("gmove_out")) {
#pragma xmp gmove out
      a[N - 1] = sum;
#pragma xmp barrier
    }
    if (IS("reflect_acc")) {
#pragma acc data copy(a)
      {
#pragma xmp reflect (a) acc
      }
    }
    if (IS("transpose")) xmp_transpose(xmp_desc_of(m), xmp_desc_of(n), 0);
    if (IS("sort")) xmp_sort_up(xmp_desc_of(a), xmp_desc_of(b));
    if (IS("lock")) { /* the rank that ends has it */
      if (turn == 1 && xmpc_node_num() == 1) {
#pragma xmp lock (held:[0])
      }
      if (turn == 1) xmp_sync_all(NULL);
      if (turn == 2) {
#pragma xmp lock (held:[0])
      }
    }
    if (IS("sync_all")) xmp_sync_all(NULL);
    if (IS("image")) {
      sum += away[2]:[1];
      xmp_sync_all(NULL);
    }
    if (IS("wait")) {
#pragma xmp task on p[1]
      {
#pragma xmp post (p[0], 3)
      }
#pragma xmp task on p[0]
      {
#pragma xmp wait (p[1], 3)
      }
    }
  }
  printf("the end\n");
  return 0;
}
