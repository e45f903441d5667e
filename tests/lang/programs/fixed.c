/* Templates that are fixed when the program runs, generalised blocks, and a pointer that is given memory. */
#include <stdio.h>
#include <stdlib.h>
#ifdef _XCALABLEMP
#include <xmp.h>
#endif
#pragma xmp nodes p[*]
#pragma xmp template t[:]
#pragma xmp distribute t[block] onto p
#pragma xmp template g[20]
#pragma xmp distribute g[gblock(*)] onto p
int uneven[20];
#pragma xmp align uneven[i] with g[i]
long (*later)[4];
#pragma xmp align later[i][*] with t[i]
int main(void) {
  int n = 15, sizes[64] = {0};
  long sum = 0;
#ifdef _XCALABLEMP
  int nodes = xmp_num_nodes();
  for (int k = 0; k < nodes; k++) sizes[k] = k == nodes - 1 ? 20 : 0;
  if (nodes > 1) {
    sizes[0] = 13;
    sizes[nodes - 1] = 7;
  }
#endif
#pragma xmp template_fix t[n]
#pragma xmp template_fix [gblock(sizes)] g
#ifdef _XCALABLEMP
  later = xmp_malloc(xmp_desc_of(later), n, 4);
#else
  later = malloc(n * sizeof *later);
#endif
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 4; k++) later[i][k] = i * k;
#pragma xmp loop (i) on g[i]
  for (int i = 0; i < 20; i++) uneven[i] = i;
#pragma xmp loop (i) on t[i] reduction(+:sum)
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 4; k++) sum += later[i][k] * (k + i);
#pragma xmp loop (i) on g[i] reduction(+:sum)
  for (int i = 1; i < 20; i += 2) sum += uneven[i] * 1000;
#pragma xmp task on p[0]
  printf("%ld %d\n", sum, sizes[40]);
}
