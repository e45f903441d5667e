/* options: -DR=2 ranks: 2 4 6 8 */
/* Directives on parts of the nodes, in both forms: rows and columns of a grid, single nodes, strides, owners of a template. */
#include <stdio.h>
#ifdef _XCALABLEMP
#include <xmp.h>
#endif
#define N 12
#pragma xmp nodes p[R][*]
#pragma xmp template t[N][N]
#pragma xmp distribute t[block][cyclic] onto p
struct pair {
  char c[3];
  double d;
} pair;
int main(void) {
  int row = 0, value = 0, mine = 1, owner = 0, right = 1;
#pragma xmp task on p[0][0]
  value = 4, pair.d = 2.5, pair.c[2] = 'x';
#pragma xmp bcast (value, pair) from p[0][0] on p
#pragma xmp task on p[1][0]
  owner = 10;
#pragma xmp bcast (owner) from p(1, 2)
  row = 1;
#ifdef _XCALABLEMP
  int nodes = xmp_num_nodes(), columns = nodes / R;
#pragma xmp reduction (+ : row) on p[:][:]
  right &= row == nodes;
  row = 1;
#pragma xmp task on p[0][:]
  {
#pragma xmp reduction (+ : row)
    right &= row == columns;
#pragma xmp barrier
  }
#pragma xmp task on p(1, 1:2)
  {
    mine = 3;
#pragma xmp reduction (+ : mine)
    right &= mine == 6 && xmp_num_nodes() == 2;
    mine = 1;
  }
#pragma xmp task on t[N - 1][3]
  {
    right &= xmp_num_nodes() == 1;
    owner += 100;
  }
#pragma xmp bcast (owner) from t[11][3]
#pragma xmp barrier on p(:, 2)
#pragma xmp barrier on t[0][:]
#pragma xmp reduction (min : right)
#else
  owner += 100;
#endif
#pragma xmp task on p[0][0]
  printf("%d %g %c %d %d\n", value, pair.d, pair.c[2], owner, right);
  return 0;
}
