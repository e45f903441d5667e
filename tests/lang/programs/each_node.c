/* Loops over nodes: iteration k is node k's, in both forms; what they find comes together by reductions. */
#include <stdio.h>
#ifdef _XCALABLEMP
#include <xmp.h>
#endif
#pragma xmp nodes p[*]
#pragma xmp nodes q(*)
int main(int argc, char **argv) {
  int sum = 0, most = 0, n = 1;
#ifdef _XCALABLEMP
  n = xmp_num_nodes();
#endif
#pragma xmp loop (k) on p[k] reduction(+ : sum)
  for (int k = 0; k < n; k++) sum += 12 / n;
#pragma xmp loop (k) on q(k) reduction(max : most)
  for (int k = 1; k <= n; k++)
    if (k - n + 5 > most) most = k - n + 5;
#pragma xmp task on q(1)
  printf("%d %d\n", sum, most);
  return 0;
}
