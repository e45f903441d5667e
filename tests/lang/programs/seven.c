/* Seven dimensions: two of them cut, a shadow along one, sections of all. */
#include <stdio.h>
#define A 5
#define B 4
#pragma xmp nodes p[*]
#pragma xmp template t[A][B][2][3][2][2][3]
#pragma xmp distribute t[block][*][*][*][*][*][*] onto p
#pragma xmp template s[B]
#pragma xmp distribute s[cyclic] onto p
short u[A][B][2][3][2][2][3], v[A][B][2][3][2][2][3], w[A][B][2][3][2][2][3];
#pragma xmp align [a][b][c][d][e][f][g] with t[a][b][c][d][e][f][g] :: u, v
#pragma xmp align w[*][b][*][*][*][*][*] with s[b]
#pragma xmp shadow u[1][0][0][0][0][0][0]
int main(void) {
  long sum = 0;
#pragma xmp loop (a) on t[a][:][:][:][:][:][:]
  for (int a = 0; a < A; a++)
    for (int b = 0; b < B; b++)
      for (int c = 0; c < 2; c++)
        for (int d = 0; d < 3; d++)
          for (int e = 0; e < 2; e++)
            for (int f = 0; f < 2; f++)
              for (int g = 0; g < 3; g++) u[a][b][c][d][e][f][g] = a + 7 * b + 31 * c + 5 * d + 3 * e + 2 * f + g;
#pragma xmp reflect (u)
#pragma xmp loop (a) on t[a][:][:][:][:][:][:]
  for (int a = 1; a < A; a++)
    for (int b = 0; b < B; b++)
      for (int g = 0; g < 3; g++) v[a][b][1][2][0][1][g] = u[a - 1][b][1][2][1][0][g] * 2;
#ifdef _XCALABLEMP
#pragma xmp gmove
  w[0:A][1:B - 1][1][0:3][0][0:2][0:3] = v[0:A][0:B - 1][1][0:3][0][0:2][0:3];
#else
  for (int a = 0; a < A; a++)
    for (int b = 1; b < B; b++)
      for (int d = 0; d < 3; d++)
        for (int f = 0; f < 2; f++)
          for (int g = 0; g < 3; g++) w[a][b][1][d][0][f][g] = v[a][b - 1][1][d][0][f][g];
#endif
#pragma xmp loop (b) on s[b] reduction(+:sum)
  for (int b = 0; b < B; b++)
    for (int a = 0; a < A; a++)
      for (int g = 0; g < 3; g++) sum += w[a][b][1][2][0][1][g] * (a + 10 * b + g);
#pragma xmp task on p[0]
  printf("%ld\n", sum);
}
