/* options: -DN=10 ranks: 2 3 4 6 */
/* tasks, task and nocomm, nested, on parts of nodes and of a template; arrays that live on the nodes of a task alone. */
#include <stdio.h>
#pragma xmp nodes p[*]
#pragma xmp nodes two[2] = p[0:2]
#pragma xmp template t(1:N)
#pragma xmp distribute t(block) onto p
static int inside(int seed) {
  int sum = 0;
#pragma xmp template own[N]
#pragma xmp distribute own[cyclic] onto two
  int a[N];
#pragma xmp align a[i] with own[i]
#pragma xmp loop (i) on own[i]
  for (int i = 0; i < N; i++) a[i] = seed * i;
#pragma xmp loop (i) on own[i] reduction(+ : sum)
  for (int i = 0; i < N; i++) sum += a[i] * (i + 1);
  return sum;
}
int main(void) {
  int first = 0, second = 0, third = 0;
#pragma xmp tasks
  {
#pragma xmp task on p[0]
    first = 11;
#pragma xmp task on p[1] nocomm
    second = 22;
  }
#pragma xmp task on two
  {
    third = inside(3);
#pragma xmp task on two[1]
    second += third;
  }
#pragma xmp bcast (first) from p[0]
#pragma xmp bcast (second) from p[1]
#pragma xmp bcast (third) from p[0]
#pragma xmp task on t(1)
  printf("%d %d %d\n", first, second, third);
  return 0;
}
