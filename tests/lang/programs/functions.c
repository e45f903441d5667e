/* Arrays of a function: local, of variable length, static, given to it and aligned again; structs as elements. */
#include <stdio.h>
struct cell {
  int at;
  double of[2];
};
typedef struct cell cell;
#pragma xmp nodes p[*]
#pragma xmp template t[20]
#pragma xmp distribute t[block] onto p
int whole[20][3];
#pragma xmp align whole[i][*] with t[i]
static long sum_of(int n, int rows[][3]) {
#pragma xmp align rows[i][*] with t[i]
  long sum = 0;
#pragma xmp loop (i) on t[i] reduction(+:sum)
  for (int i = 0; i < n; i++) sum += rows[i][0] + rows[i][2];
  return sum;
}
static long local(int n) {
#pragma xmp nodes r[*]
#pragma xmp template s[n]
#pragma xmp distribute s[block] onto r
  cell cells[n];
#pragma xmp align cells[i] with s[i]
#pragma xmp shadow cells[1]
  double last[n], sum = 0;
#pragma xmp align last[i] with s[i]
#pragma xmp loop (i) on s[i]
  for (int i = 0; i < n; i++) {
    cells[i].at = i;
    cells[i].of[0] = 2 * i;
    cells[i].of[1] = i % 3;
  }
#pragma xmp reflect (cells)
#pragma xmp loop (i) on s[i]
  for (int i = 0; i < n; i++) last[i] = 0;
#pragma xmp loop (i) on s[i]
  for (int i = 1; i < n - 1; i++) last[i] = cells[i - 1].of[0] + cells[i + 1].at + cells[i].of[1];
#pragma xmp loop (i) on s[i] reduction(+:sum)
  for (int i = 0; i < n; i++) sum += last[i];
  if (n > 100) return -1;
  return (long)sum;
}
static long remembered(int add) {
#pragma xmp nodes r[*]
#pragma xmp template s[6]
#pragma xmp distribute s[block] onto r
  static int kept[6];
#pragma xmp align kept[i] with s[i]
  long sum = 0;
#pragma xmp loop (i) on s[i] reduction(+:sum)
  for (int i = 0; i < 6; i++) {
    kept[i] += add;
    sum += kept[i];
  }
  return sum;
}
int main(int argc, char **argv) {
  (void)argv;
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < 20; i++)
    for (int k = 0; k < 3; k++) whole[i][k] = i + k;
  long sums[5] = {sum_of(20, whole), local(11), local(7), remembered(1), remembered(2)};
#pragma xmp task on p[0]
  printf("%ld %ld %ld %ld %ld %d\n", sums[0], sums[1], sums[2], sums[3], sums[4], argc);
  return 0;
}
