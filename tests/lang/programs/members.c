/* Arrays that are members of structs: loops, shadows, sections, kernels, beside members that every node has. */
#include <stdio.h>
#define N 14
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
struct field {
  int count;
  double a[N], b[3][N];
};
#pragma xmp align field.a[i] with t[i]
#pragma xmp align field.b[*][i] with t[i]
#pragma xmp shadow field.a[1]
typedef struct {
  long c[N];
} counts;
#pragma xmp template s[N]
#pragma xmp distribute s[cyclic(2)] onto p
#pragma xmp align counts.c[i] with s[i]
struct field f = {7}, g;
static counts h;
double plain[N];
#pragma xmp align plain[i] with t[i]

static double total(int k) {
  double sum = 0;
#pragma xmp loop (i) on t[i] reduction(+ : sum)
  for (int i = 0; i < N; i++) sum += f.a[i] * (i + 1) + f.b[k][i] - g.a[i];
  return sum;
}

int main(void) {
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) {
    f.a[i] = i * i;
    for (int k = 0; k < 3; k++) f.b[k][i] = k + 0.5 * i;
  }
#pragma xmp loop (i) on s[i]
  for (int i = 0; i < N; i++) h.c[i] = 3 * i + f.count;
#pragma xmp reflect (f.a)
#pragma acc data copyin(f.a) copyout(g.a)
  {
#pragma xmp loop (i) on t[i]
#pragma acc parallel loop
    for (int i = 0; i < N; i++) g.a[i] = 0;
#pragma xmp loop (i) on t[i]
#pragma acc parallel loop
    for (int i = 1; i < N - 1; i++) g.a[i] = f.a[i - 1] + f.a[i + 1];
  }
  double before = total(1);
#ifdef _XCALABLEMP
#pragma xmp gmove
  plain[2:5] = f.a[0:5];
#pragma xmp array on t[0:N]
  g.a[0:N] = f.b[2][0:N] + 1;
#else
  for (int i = 0; i < 5; i++) plain[i + 2] = f.a[i];
  for (int i = 0; i < N; i++) g.a[i] = f.b[2][i] + 1;
#endif
  double after = total(2);
  long sum = 0;
#pragma xmp loop (i) on s[i] reduction(+ : sum)
  for (int i = 0; i < N; i++) sum += h.c[i] * i;
#pragma xmp loop (i) on t[i] reduction(+ : after)
  for (int i = 0; i < N; i++) after += plain[i] * i;
#pragma xmp task on p[0]
  printf("%.1f %.1f %ld %d\n", before, after, sum, f.count + g.count);
  return 0;
}
