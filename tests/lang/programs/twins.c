/* ranks: 1 2 */
/* Numbers in data clauses, which pointers reach on the device: a clause there, update, kernels by name and by pointer. */
#include <stdio.h>
#define N 12
#pragma xmp nodes p[*]
static int count = 3;
#pragma acc declare copyin(count)
static int *where_count(void) { return &count; }

static void by_pointer(int *n, double *x, float *y) {
#pragma acc data present(n[0:1], x[0:1]) copy(y[0:1])
  {
#pragma acc parallel
    {
      *n += 1;
      *x *= 2;
      y[0] += 0.25f;
    }
  }
}

static double summed(double *into, const double *v) {
#pragma acc parallel loop present(v[0:N], into[0:1])
  for (int k = 0; k < 1; k++)
    for (int i = 0; i < N; i++) into[0] += v[i];
  return 0;
}

int main(void) {
  int n = 1, only = 4;
  double x = 0.5, total = 1, v[N];
  float y = 8;
  for (int i = 0; i < N; i++) v[i] = i;
#pragma acc data copy(n, x) copyin(v, total) copyin(only)
  {
    by_pointer(&n, &x, &y);
#pragma acc parallel
    n *= 10; /* by name, of what the pointer left */
    by_pointer(&n, &x, &y);
#pragma acc update host(n)
#pragma xmp task on p[0]
    printf("%d %g\n", n, y);
    n = 100;
#pragma acc update device(n)
#pragma acc kernels
    x += n + only;
    by_pointer(&n, &x, &y);
    summed(&total, v);
#pragma acc parallel loop reduction(+:total)
    for (int i = 0; i < N; i++) total += v[i];
    summed(&total, v);
#pragma acc update host(total)
#pragma xmp task on p[0]
    printf("%g\n", total);
#pragma acc parallel loop firstprivate(only)
    for (int i = 0; i < N; i++) v[i] = only;
#pragma acc kernels
    count += 1;
    int *c = where_count();
#pragma acc parallel present(c[0:1])
    *c *= 2;
#pragma acc update host(count)
  }
#pragma xmp task on p[0]
  printf("%d %g %g %d\n", n, x, y, count);
  return 0;
}
