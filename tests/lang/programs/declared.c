/* Directives that declare several at once, coarrays by directive, posts in round form, iterations past the ends of a template. */
#include <stdio.h>
#define N 11
#pragma xmp nodes [*] :: p, q
#pragma xmp template [N] :: t, s
#pragma xmp distribute [block] onto p :: t
#pragma xmp distribute [cyclic] onto q :: s
int u[N], v[N];
#pragma xmp align u[i] with t[i]
#pragma xmp align v[i] with s[i]
#pragma xmp shadow [1:1] :: u
#ifdef _XCALABLEMP
#include <xmp.h>
int x, y[4], z;
#pragma xmp coarray x, y : [*]
#pragma xmp coarray on q :: z
#endif
int main(void) {
  long sum = 0, good = 1;
#ifdef _XCALABLEMP
  int me = xmpc_node_num(), all = xmp_num_nodes(), next = (me + 1) % all, before = (me + all - 1) % all;
#pragma xmp loop (i) on t[i] expand(/unbound/1)
  for (int i = -1; i <= N; i++) u[i] = i * i;
  x = 10 * me, z = -me;
  for (int k = 0; k < 4; k++) y[k] = 100 * me + k;
  xmp_sync_all(NULL);
  good &= x:[next] == 10 * next && y[2]:[before] == 100 * before + 2 && z:[next] == -next;
#pragma xmp post (p(next + 1), 3)
#pragma xmp wait (p(before + 1), 3)
  y[3]:[next] = me;
#pragma xmp post (p(next + 1), 4)
#pragma xmp wait (p(before + 1))
  good &= y[3] == before;
#pragma xmp reduction(&&:good) on p(:)
#pragma xmp nodes same[*] = *
#pragma xmp barrier on same
#pragma xmp loop (i) on t[i] reduction(+:sum) profile
  for (int i = 0; i < N; i++) sum += u[i - 1] * 2 + u[i + 1];
#else
  for (int i = 0; i < N; i++) u[i] = i * i;
  for (int i = -1; i <= N; i++) sum += (i < N - 1) * i * i * 2 + (i > 0) * i * i;
#endif
#pragma xmp loop (i) on s[i]
  for (int i = 0; i < N; i++) v[i] = i;
#pragma xmp loop (i) on s[i] reduction(+:sum)
  for (int i = 0; i < N; i++) sum += v[i] * (i + 1);
#pragma xmp task on p[0]
  printf("%ld %ld\n", sum, good);
}
