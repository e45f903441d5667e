/* Where an index lies in a node's memory: xmp_array_gtol. */
#include <stdio.h>
#ifdef _XCALABLEMP
#include <xmp.h>
#endif
#define N 23
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[cyclic(3)] onto p
int a[N];
#pragma xmp align a[i] with t[i]
int main(void) {
  int sum = 0, astray = 0;
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) {
    a[i] = i * i;
#ifdef _XCALABLEMP
    int* memory = 0;
    int cell = -1;
    xmp_array_laddr(xmp_desc_of(a), (void**)&memory);
    if (xmp_array_gtol(xmp_desc_of(a), 1, i, &cell) || memory[cell] != i * i) astray = 1;
#endif
  }
#ifdef _XCALABLEMP
  int cell = -1;
  if (!xmp_array_gtol(xmp_desc_of(a), 1, N, &cell) || !xmp_array_gtol(xmp_desc_of(a), 2, 0, &cell)) astray = 1;
#endif
#pragma xmp loop (i) on t[i] reduction(+:sum)
  for (int i = 0; i < N; i++) sum += a[i];
#pragma xmp reduction(+:astray)
#pragma xmp task on p[0]
  printf("sum %d, %d astray\n", sum, astray);
}
