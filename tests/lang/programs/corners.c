/* options: -DR=2 ranks: 2 4 6 8 */
/* All four locations of extremes, over two dimensions that are cut, in the order of the whole loop. */
#include <stdio.h>
#define Y 8
#define X 9
#pragma xmp nodes p(*, R)
#pragma xmp template t(0:X-1, 0:Y-1)
#pragma xmp distribute t(cyclic, block) onto p
int a[Y][X];
#pragma xmp align a[j][i] with t(i, j)
int main(void) {
  int value = -1, j5 = -1, i5 = -1, fm = -1, fn = 99, lm = -1, ln = 99, j1 = -1, i1 = -1, j2 = -1, i2 = -1, j3 = -1, i3 = -1, j4 = -1, i4 = -1;
#pragma xmp loop (i, j) on t(i, j)
  for (int j = 0; j < Y; j++)
    for (int i = 0; i < X; i++) a[j][i] = (j * 5 + i * 3) % 7;
#pragma xmp loop (i, j) on t(i, j) reduction(firstmax : fm/j1, i1/) reduction(firstmin : fn/j2, i2/)
  for (int j = 0; j < Y; j++)
    for (int i = 0; i < X; i++) {
      if (a[j][i] > fm) fm = a[j][i], j1 = j, i1 = i;
      if (a[j][i] < fn) fn = a[j][i], j2 = j, i2 = i;
    }
#pragma xmp loop (i, j) on t(i, j) reduction(lastmax : lm/j3, i3/) reduction(lastmin : ln/j4, i4/)
  for (int j = 0; j < Y; j++)
    for (int i = 0; i < X; i++) {
      if (a[j][i] >= lm) lm = a[j][i], j3 = j, i3 = i;
      if (a[j][i] <= ln) ln = a[j][i], j4 = j, i4 = i;
    }
  /* The loop that is cut is not the outermost: the order is that of both. */
#pragma xmp loop (i) on t(i, *) reduction(firstmax : value/j5, i5/)
  for (int j = 0; j < Y; j++)
    for (int i = X - 1; i >= 0; i--)
      if ((j + i) % 5 > value) value = (j + i) % 5, j5 = j, i5 = i;
  /* Elements and sections go along with the value. */
  int best = -1, way[2][3] = {{0}}, last[2] = {-1, -1};
#pragma xmp loop (i, j) on t(i, j) reduction(lastmax : best/way[1][:], last[0:2]/)
  for (int j = 0; j < Y; j++)
    for (int i = 0; i < X; i++)
      if (a[j][i] * 3 >= best) best = a[j][i] * 3, way[1][0] = j, way[1][1] = i, way[1][2] = j * i, last[1] = a[j][i];
  fm += 10000 * best + 1000 * way[1][0] + 100 * way[1][1] + 10 * way[1][2] + last[1] + way[0][0];
  int most = 5, of[3] = {7, 8, 9};
#pragma xmp reduction (firstmax : most/of[1], of[2:1]/)
  fm += most + of[1] + of[2];
#pragma xmp task on p(1, 1)
  printf("%d %d %d  %d %d %d  %d %d %d  %d %d %d  %d %d %d\n", fm, j1, i1, fn, j2, i2, lm, j3, i3, ln, j4, i4, value, j5, i5);
  return 0;
}
