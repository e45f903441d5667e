/* Parts of nodes, tasks on them, nested tasks, a broadcast, reductions and barriers of a set. */
#include <stdio.h>
#pragma xmp nodes p[*]
#pragma xmp nodes first[1] = p[0:1]
#pragma xmp template t[10]
#pragma xmp distribute t[block] onto p
int a[10];
#pragma xmp align a[i] with t[i]
int main(void) {
  int value = 3, list[4] = {1, 2, 3, 4}, flag = 1;
  double part = 0.5;
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < 10; i++) a[i] = i;
#pragma xmp tasks
  {
#pragma xmp task on p[0]
    {
      value = 11;
      list[2] = 9;
#pragma xmp barrier
#pragma xmp reduction(max:value)
    }
  }
#pragma xmp bcast (value, list, part) from p[0] on p
#pragma xmp reduction(&&:flag) on p
#pragma xmp barrier on p
  for (int k = 0; k < 200; k++) {
#pragma xmp nodes again[*]
#pragma xmp barrier on again
    value += k % 2;
  }
#pragma xmp task on t[0]
#pragma xmp task on first[0] nocomm
  printf("%d %d %g %d %d\n", value, list[2], part, flag, a[0]);
}
