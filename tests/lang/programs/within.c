/* Loops with reductions in a task of some nodes: theirs alone, and of the nodes that a template cuts it to. */
#include <stdio.h>
#define N 20
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[cyclic(3)] onto p
long a[N];
#pragma xmp align a[i] with t[i]
int main(void) {
  long sum = 1, most = -1, where = -1, all = 0;
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) a[i] = (7 * i) % 11;
#pragma xmp task on t[4:6]
  {
#pragma xmp loop (i) on t[i] reduction(+:sum)
    for (int i = 4; i < 10; i++) sum += a[i];
#pragma xmp loop (i) on t[i] reduction(firstmax:most/where/)
    for (int i = 4; i < 10; i++)
      if (a[i] > most) {
        most = a[i];
        where = i;
      }
#pragma xmp loop (i) on t[i]
    for (int i = 4; i < 10; i++) a[i] += sum;
  }
#pragma xmp bcast(sum, most, where) from t[4]
#pragma xmp loop (i) on t[i] reduction(+:all)
  for (int i = 0; i < N; i++) all += a[i];
#pragma xmp task on p[0]
  printf("%ld %ld %ld %ld\n", sum, most, where, all);
  return 0;
}
