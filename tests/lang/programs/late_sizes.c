/* Extents and gblock sizes that are known when the program runs, fixed in both forms; arrays that get their memory then. */
#include <stdio.h>
#include <stdlib.h>
#ifdef _XCALABLEMP
#include <xmp.h>
#endif
#pragma xmp nodes p[*]
#pragma xmp template t[:]
#pragma xmp distribute t[gblock(*)] onto p
#pragma xmp template s(:, :)
#pragma xmp distribute s(*, block) onto p
int *a;
#pragma xmp align a[i] with t[i]
int (*b)[5];
#pragma xmp align b[j][i] with s(i, j)
#pragma xmp shadow b[1][0]
int main(int argc, char **argv) {
  int n = 9 + argc, sizes[16] = {0}, sum = 0, ranks = 1;
#ifdef _XCALABLEMP
  ranks = xmp_num_nodes();
#endif
  sizes[ranks - 1] = n - (ranks > 1), sizes[0] += ranks > 1;
#pragma xmp template_fix [gblock(sizes)] t[n]
#pragma xmp template_fix s(0 : 4, 0 : n - 1)
#ifdef _XCALABLEMP
  a = (int *)xmp_malloc(xmp_desc_of(a), n);
  b = (int(*)[5])xmp_malloc(xmp_desc_of(b), n, 5);
#else
  a = malloc(n * sizeof *a), b = malloc(n * sizeof *b);
#endif
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < n; i++) a[i] = 3 * i + 1;
#pragma xmp loop (i, j) on s(i, j)
  for (int j = 0; j < n; j++)
    for (int i = 0; i < 5; i++) b[j][i] = 10 * j + i;
#pragma xmp reflect (b)
#pragma xmp loop (j) on s(*, j) reduction(+ : sum)
  for (int j = 1; j < n - 1; j++) sum += b[j - 1][4] * j - b[j + 1][0];
#pragma xmp loop (i) on t[i] reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += a[i] * i;
#pragma xmp task on p[0]
  printf("%d\n", sum);
  free(a), free(b); /* what xmp_malloc has given too */
  return 0;
}
