/* options: -DR=2 ranks: 2 4 6 8 */
/* Alignments: a copy along a dimension of the nodes, a shift, transposed, a dimension that every node has, colons. */
#include <stdio.h>
#define Y 10
#define X 8
#pragma xmp nodes p[R][*]
#pragma xmp template t[Y][X + 3]
#pragma xmp distribute t[block][block] onto p
int whole[Y][X], turned[X][Y], row[X], column[Y], deep[3][Y][X], like[Y][X];
#pragma xmp align whole[j][i] with t[j][i+3]
#pragma xmp align turned[i][j] with t[j][i]
#pragma xmp align row[i] with t[*][i]
#pragma xmp align column[j] with t[j][*]
#pragma xmp align deep[*][j][i] with t[j][i]
#pragma xmp align like[:][*] with t[:][*]
int main(void) {
  long sum = 0;
#pragma xmp loop (j, i) on t[j][i+3]
  for (int j = 0; j < Y; j++)
    for (int i = 0; i < X; i++) whole[j][i] = 10 * j + i;
#pragma xmp loop (j, i) on t[j][i]
  for (int j = 0; j < Y; j++)
    for (int i = 0; i < X; i++) {
      turned[i][j] = i - j;
      for (int k = 0; k < 3; k++) deep[k][j][i] = k * j + i;
    }
#pragma xmp loop (i) on t[*][i]
  for (int i = 0; i < X; i++) row[i] = i * i;
#pragma xmp loop (j) on t[j][*]
  for (int j = 0; j < Y; j++) {
    column[j] = 3 * j;
    for (int i = 0; i < X; i++) like[j][i] = j ^ i;
  }
#pragma xmp loop (j, i) on t[j][i+3] reduction(+ : sum)
  for (int j = 0; j < Y; j++)
    for (int i = 0; i < X; i++) sum += whole[j][i] * column[j] - like[j][i];
#pragma xmp loop (j, i) on t[j][i] reduction(+ : sum)
  for (int j = 0; j < Y; j++)
    for (int i = 0; i < X; i++) sum += turned[i][j] * row[i] + deep[2][j][i] * (deep[0][j][i] + column[j]);
#pragma xmp task on p[0][0]
  printf("%ld\n", sum);
  return 0;
}
