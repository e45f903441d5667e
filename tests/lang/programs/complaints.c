/* What users of another implementation complained of, a function each, by the number of their issue. */
#include <stdio.h>
#ifdef _XCALABLEMP
#include <xmp.h>
#endif
#define N 17
#pragma xmp nodes p[*]
#pragma xmp template t[N]
#pragma xmp distribute t[block] onto p
#pragma xmp template few[2]
#pragma xmp distribute few[block] onto p
#pragma xmp template turns[N]
#pragma xmp distribute turns[cyclic(4)] onto p

/* 57, 43: an array of a function in a data region, elements of 40 kB, periodic; the second call as the first. */
struct big {
  double v[5000];
};
static double issue_57(int call) {
  struct big a[N];
#pragma xmp align a[i] with t[i]
#pragma xmp shadow a[1]
  double sum = 0;
#pragma acc data create(a)
  {
#pragma xmp loop (i) on t[i]
#pragma acc parallel loop present(a)
    for (int i = 0; i < N; i++) {
      a[i].v[0] = i + call;
      a[i].v[4999] = 2 * i;
    }
#ifdef _XCALABLEMP
#pragma xmp reflect (a) width(/periodic/1) acc
#pragma xmp loop (i) on t[i] reduction(+:sum)
#pragma acc parallel loop present(a) reduction(+:sum)
    for (int i = 0; i < N; i++) sum += (i + 1) * (a[i - 1].v[4999] + a[i + 1].v[0]);
#else
    for (int i = 0; i < N; i++) sum += (i + 1) * (a[(i + N - 1) % N].v[4999] + a[(i + 1) % N].v[0]);
#endif
  }
  return sum;
}

/* 42: static_desc; two arrays of one shape, each with its own exchange. */
static int issue_42(void) {
  static int a[N], b[N];
#pragma xmp align [i] with t[i] :: a, b
#pragma xmp shadow [1] :: a, b
#pragma xmp static_desc :: a, b
  int sum = 0;
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) {
    a[i] = i;
    b[i] = 1000 * i;
  }
#pragma xmp reflect (a)
#pragma xmp reflect (b)
#pragma xmp loop (i) on t[i] reduction(+:sum)
  for (int i = 1; i < N - 1; i++) sum += a[i - 1] * 3 + b[i + 1];
  return sum;
}

/* 52, 51, 47: reflect on the device of an array with a dimension that is not distributed; periodic; width 0. */
static int issue_52(void) {
  int a[3][N], sum = 0;
#pragma xmp align a[*][i] with t[i]
#pragma xmp shadow a[0][1:2]
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++)
    for (int k = 0; k < 3; k++) a[k][i] = 10 * i + k;
#pragma acc data copyin(a)
  {
#ifdef _XCALABLEMP
#pragma xmp reflect (a) width(0, /periodic/1:2) acc
#pragma xmp loop (i) on t[i] reduction(+:sum)
#pragma acc parallel loop reduction(+:sum)
    for (int i = 0; i < N; i++)
      for (int k = 0; k < 3; k++) sum += (k + i) * (a[k][i - 1] - a[k][i + 2]);
#else
    for (int i = 0; i < N; i++)
      for (int k = 0; k < 3; k++) sum += (k + i) * (a[k][(i + N - 1) % N] - a[k][(i + 2) % N]);
#endif
  }
  return sum;
}

/* 585: a full shadow where the nodes do not divide the extent. */
static int issue_585(void) {
  int a[N], sum = 0;
#pragma xmp align a[i] with t[i]
#pragma xmp shadow a[*]
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) a[i] = i * i;
#pragma xmp reflect (a)
#pragma xmp loop (i) on t[i] reduction(+:sum)
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++) sum += a[k] * (i - k);
  return sum;
}

/* 7: nodes without elements in a redistribution. */
static int issue_7(void) {
  int a[2], b[N], sum = 0;
#pragma xmp align a[i] with few[i]
#pragma xmp align b[i] with turns[i]
#pragma xmp loop (i) on few[i]
  for (int i = 0; i < 2; i++) a[i] = i + 5;
#pragma xmp loop (i) on turns[i]
  for (int i = 0; i < N; i++) b[i] = i;
#ifdef _XCALABLEMP
#pragma xmp gmove
  b[3:2:9] = a[0:2];
#pragma xmp gmove
  a[0:2] = b[11:2];
#else
  b[3] = a[0], b[12] = a[1], a[0] = b[11], a[1] = b[12];
#endif
#pragma xmp loop (i) on few[i] reduction(+:sum)
  for (int i = 0; i < 2; i++) sum += 100 * a[i];
#pragma xmp loop (i) on turns[i] reduction(+:sum)
  for (int i = 0; i < N; i++) sum += b[i] * i;
  return sum;
}

/* 278: ten thousand sets of nodes. */
static int issue_278(void) {
  int done = 0;
  for (int k = 0; k < 10000; k++) {
#pragma xmp nodes q[1] = p[0:1]
#pragma xmp task on q
    {
#pragma xmp barrier
      done++;
    }
  }
#pragma xmp bcast (done) from p[0]
  return done;
}

/* 44: members of structs in pragmas. */
struct plan {
  int n, offset, node;
};
static int issue_44(struct plan *plan) {
  struct plan here = *plan;
#pragma xmp template s[plan->n]
#pragma xmp distribute s[block] onto p
  int a[here.n], sum = 0;
#pragma xmp align a[i] with s[i]
#pragma xmp loop (i) on s[i + here.offset]
  for (int i = 0; i < here.n - here.offset; i++) a[i + here.offset] = i;
#pragma xmp loop (i) on s[i + plan->offset] reduction(+:sum)
  for (int i = 0; i < here.n - here.offset; i++) sum += a[i + here.offset] * i;
#pragma xmp task on p[plan->node]
  here.n = 77;
#pragma xmp bcast (here.n) from p[here.node]
  return sum + here.n;
}

/* 603: another compiler's loop inside of one that is shared out. */
static int issue_603(void) {
  int a[N][8], sum = 0;
#pragma xmp align a[j][*] with t[j]
#pragma xmp loop (j) on t[j]
  for (int j = 0; j < N; j++) {
#pragma omp parallel for
    for (int i = 0; i < 8; i++) a[j][i] = i * j;
  }
#pragma xmp loop (j) on t[j] reduction(+:sum)
  for (int j = 0; j < N; j++)
    for (int i = 0; i < 8; i++) sum += a[j][i] * (i + 1);
  return sum;
}

/* 12: elements of odd sizes. */
struct odd {
  char c[7];
};
static int issue_12(void) {
  struct odd a[N];
#pragma xmp align a[i] with t[i]
#pragma xmp shadow a[1]
  int sum = 0;
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++)
    for (int k = 0; k < 7; k++) a[i].c[k] = i + k;
#pragma xmp reflect (a)
#pragma xmp loop (i) on t[i] reduction(+:sum)
  for (int i = 1; i < N - 1; i++) sum += a[i - 1].c[6] * 2 + a[i + 1].c[0];
  return sum;
}

/* Of the list of what is not done there: arrays of unlike distributions in one loop, each index by its own map. */
static int unlike(void) {
  int nodes = 1, sum = 0;
#ifdef _XCALABLEMP
  nodes = xmp_num_nodes();
#endif
  int wide = 2 * ((N + nodes - 1) / nodes);
#pragma xmp template twice[2 * N]
#pragma xmp distribute twice[block(wide)] onto p
#pragma xmp template one[N]
#pragma xmp distribute one[cyclic] onto p
#pragma xmp template pairs[2 * N]
#pragma xmp distribute pairs[cyclic(2)] onto p
  int a[N], b[2 * N], c[N], d[2 * N], e[3][N];
#pragma xmp align a[i] with t[i]
#pragma xmp align b[i] with twice[i]
#pragma xmp align c[i] with one[i]
#pragma xmp align d[i] with pairs[i]
#pragma xmp align e[*][i] with one[i]
#pragma xmp loop (i) on t[i]
  for (int i = 0; i < N; i++) a[i] = 5 * i, b[2 * i] = i, b[2 * i + 1] = -3 * i;
#pragma xmp loop (i) on one[i]
  for (int i = 0; i < N; i++) c[i] = i * i, d[2 * i + 1] = 7 * i, d[2 * i] = 1, e[2][i] = i + 1;
#pragma xmp loop (i) on t[i] reduction(+:sum)
  for (int i = 0; i < N; i++) sum += a[i] * b[2 * i + 1] + b[2 * i];
#pragma xmp loop (i) on one[i] reduction(+:sum)
  for (int i = 0; i < N; i++) sum += c[i] * d[2 * i + 1] - d[2 * i] * e[2][i];
  return sum;
}

int main(void) {
  struct plan plan = {13, 2, 0};
  double first = issue_57(1), second = issue_57(2);
  int said[] = {issue_42(), issue_52(), issue_585(), issue_7(), issue_278(), issue_44(&plan), issue_603(), issue_12(), unlike()};
#pragma xmp task on p[0]
  {
    printf("57: %.0f %.0f\n42: %d\n52: %d\n585: %d\n", first, second, said[0], said[1], said[2]);
    printf("7: %d\n278: %d\n44: %d\n603: %d\n12: %d\n", said[3], said[4], said[5], said[6], said[7]);
    printf("STATUS: %d\n", said[8]);
  }
}
