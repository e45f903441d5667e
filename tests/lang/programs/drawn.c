/* Sections drawn at random, with strides in up to three dimensions: gets, puts, from one image to another, and `array on`. */
#include <stdio.h>
#define SEED 20261128u
#define CASES 60
#ifdef _XCALABLEMP
#include <xmp.h>
enum { A = 6, B = 7, C = 5 };
#pragma xmp nodes p[*]
#pragma xmp template t[A * B][C]
#pragma xmp distribute t[cyclic(2)][*] onto p
int from[A][B][C]:[*], into[A][B][C]:[*], got[A][B][C], u[A * B][C], v[A * B][C];
#pragma xmp align [j][i] with t[j][i] :: u, v
static unsigned state = SEED;
static int draw(int less) { /* 0 .. less - 1, the same on all images */
  state = state * 1664525u + 1013904223u;
  return (int)((state >> 8) % (unsigned)less);
}
struct cut {
  int lo, n, step;
};
/* Two sections of as many elements of a dimension. */
static void cuts(int extent, struct cut *one, struct cut *other) {
  int n = 1 + draw(extent);
  struct cut *both[2] = {one, other};
  for (int k = 0; k < 2; k++) {
    int most = n > 1 ? (extent - 1) / (n - 1) : 3;
    both[k]->n = n;
    both[k]->step = 1 + draw(most);
    both[k]->lo = draw(extent - (n - 1) * both[k]->step);
  }
}
static int value(int image, int place) { return 1000 * image + place; }
static void fill(int me) {
  for (int k = 0; k < A * B * C; k++) (&from[0][0][0])[k] = value(me, k), (&into[0][0][0])[k] = (&got[0][0][0])[k] = -1;
}
/* Whether `a` has the elements x of an image's in y, and -1 elsewhere. */
static int right(int a[A][B][C], struct cut *y, struct cut *x, int image) {
  int wanted[A][B][C], good = 1;
  for (int k = 0; k < A * B * C; k++) (&wanted[0][0][0])[k] = -1;
  for (int i = 0; i < y[0].n; i++)
    for (int j = 0; j < y[1].n; j++)
      for (int k = 0; k < y[2].n; k++)
        wanted[y[0].lo + i * y[0].step][y[1].lo + j * y[1].step][y[2].lo + k * y[2].step] =
            value(image, ((x[0].lo + i * x[0].step) * B + x[1].lo + j * x[1].step) * C + x[2].lo + k * x[2].step);
  for (int k = 0; k < A * B * C; k++) good &= (&wanted[0][0][0])[k] == (&a[0][0][0])[k];
  return good;
}
#endif
int main(void) {
  int good = 1;
#ifdef _XCALABLEMP
  int me = xmpc_node_num(), all = xmp_num_nodes();
  for (int time = 0; time < CASES; time++) {
    struct cut x[3], y[3];
    cuts(A, &x[0], &y[0]);
    cuts(B, &x[1], &y[1]);
    cuts(C, &x[2], &y[2]);
    int by = draw(all), other = (me + by) % all, giver = (me + all - by) % all;
    fill(me);
    xmp_sync_all(NULL);
    int way = time % 3;
    if (way == 0) {
      got[y[0].lo:y[0].n:y[0].step][y[1].lo:y[1].n:y[1].step][y[2].lo:y[2].n:y[2].step] =
          from[x[0].lo:x[0].n:x[0].step][x[1].lo:x[1].n:x[1].step][x[2].lo:x[2].n:x[2].step]:[other];
      good &= right(got, y, x, other);
    } else if (way == 1) {
      into[y[0].lo:y[0].n:y[0].step][y[1].lo:y[1].n:y[1].step][y[2].lo:y[2].n:y[2].step]:[other] =
          from[x[0].lo:x[0].n:x[0].step][x[1].lo:x[1].n:x[1].step][x[2].lo:x[2].n:x[2].step];
    } else {
      into[y[0].lo:y[0].n:y[0].step][y[1].lo:y[1].n:y[1].step][y[2].lo:y[2].n:y[2].step]:[other] =
          from[x[0].lo:x[0].n:x[0].step][x[1].lo:x[1].n:x[1].step][x[2].lo:x[2].n:x[2].step]:[me];
    }
    xmp_sync_all(NULL);
    if (way) good &= right(into, y, x, giver);
    if (!good) printf("seed %u, case %d\n", SEED, time);
    struct cut r, s, none;
    cuts(A * B, &r, &none);
    cuts(C, &s, &none);
#pragma xmp loop (j) on t[j][*]
    for (int j = 0; j < A * B; j++)
      for (int i = 0; i < C; i++) u[j][i] = -1, v[j][i] = value(time, j * C + i);
#pragma xmp array on t[r.lo:r.n:r.step][s.lo:s.n:s.step]
    u[r.lo:r.n:r.step][s.lo:s.n:s.step] = v[r.lo:r.n:r.step][s.lo:s.n:s.step] + time;
#pragma xmp loop (j) on t[j][*]
    for (int j = 0; j < A * B; j++)
      for (int i = 0; i < C; i++) {
        int in = j >= r.lo && (j - r.lo) % r.step == 0 && (j - r.lo) / r.step < r.n;
        in &= i >= s.lo && (i - s.lo) % s.step == 0 && (i - s.lo) / s.step < s.n;
        good &= u[j][i] == (in ? value(time, j * C + i) + time : -1);
      }
  }
#pragma xmp reduction(&&:good)
#pragma xmp task on p[0]
#endif
  printf("%d\n", good);
}
