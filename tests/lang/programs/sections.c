/* gmove and array: sections with strides between arrays that lie differently, scalars, and a node's own arrays. */
#include <stdio.h>
#define N 23
#define M 8
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp template c[N]
#pragma xmp distribute c[cyclic(2)] onto p
long a[N], b[N], m[N][M], n[N][M], own[N];
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with c[i]
#pragma xmp align m[i][*] with t[i]
#pragma xmp align n[i][*] with c[i]
int main(void) {
  long sum = 0, value = 0, mine = 0;
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) {
    a[i] = i * i;
    for (int k = 0; k < M; k++) m[i][k] = 10 * i + k;
  }
#pragma xmp loop (i) on c[i]
  for (int i = 0; i < N; i++) {
    b[i] = -1;
    for (int k = 0; k < M; k++) n[i][k] = 0;
  }
#ifdef _XCALABLEMP
#pragma xmp gmove
  b[1:10:2] = a[3:10];
#pragma xmp gmove
  n[2:5][0:M] = m[10:5][0:M];
#pragma xmp gmove
  own[:] = b[:];
#pragma xmp gmove
  value = a[7];
#pragma xmp array on t[1:20]
  a[1:20] = a[1:20] * 2 + m[1:20][3];
#else
  for (int k = 0; k < 10; k++) b[1 + 2 * k] = a[3 + k];
  for (int k = 0; k < 5; k++)
    for (int l = 0; l < M; l++) n[2 + k][l] = m[10 + k][l];
  for (int k = 0; k < N; k++) own[k] = b[k];
  value = a[7];
  for (int k = 1; k < 21; k++) a[k] = a[k] * 2 + m[k][3];
#endif
#pragma xmp loop (i) on t[i] reduction(+:sum)
  for (int i = 0; i < N; i++) sum += a[i] * (i + 1);
#pragma xmp loop (i) on c[i] reduction(+:sum)
  for (int i = 0; i < N; i++)
    for (int k = 0; k < M; k++) sum += b[i] + n[i][k] * k;
  for (int k = 0; k < N; k++) mine += own[k] * k;
#pragma xmp task on p[0]
  printf("%ld %ld %ld\n", sum, value, mine);
}
