/* Arrays of structs with arrays in them, unions, bit-fields and pointers to functions beside them; typedefs; enums. */
#include <stdio.h>
#define N 9
typedef struct {
  unsigned red : 5, green : 6, blue : 5;
  union {
    float f;
    unsigned u;
  } depth;
  enum { DARK, LIGHT } kind;
  short at[2];
} pixel;
typedef pixel line[4];
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
line picture[N];
pixel other[N][4];
#pragma xmp align picture[j][*] with t[j]
#pragma xmp align other[j][*] with t[j]
#pragma xmp shadow picture[1][0]
static int dark(const pixel *x) { return x->kind == DARK; }
static int (*const judge)(const pixel *) = dark;
int main(void) {
  int sum = 0;
#pragma xmp loop (j) on t[j]
  for (int j = 0; j < N; j++)
    for (int i = 0; i < 4; i++) {
      pixel *x = &picture[j][i];
      x->red = j, x->green = i, x->blue = j * i;
      x->depth.f = j + 0.5f;
      x->kind = (j + i) % 3 ? LIGHT : DARK;
      x->at[0] = j, x->at[1] = i;
    }
#pragma xmp reflect (picture)
#pragma xmp loop (j) on t[j]
  for (int j = 1; j < N - 1; j++)
    for (int i = 0; i < 4; i++) {
      other[j][i] = picture[j - 1][3 - i];
      other[j][i].blue += picture[j + 1][i].red;
    }
#pragma xmp loop (j) on t[j] reduction(+ : sum)
  for (int j = 1; j < N - 1; j++)
    for (int i = 0; i < 4; i++)
      sum += other[j][i].blue * (j + 1) + other[j][i].green + (int)(2 * other[j][i].depth.f) * judge(&other[j][i]) + other[j][i].at[1];
#pragma xmp task on p[0]
  printf("%d\n", sum);
  return 0;
}
