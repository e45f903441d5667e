/* Laplace of two dimensions as `tasuki cc` translates it, on the host and on the device, against plain loops: the same bits. */
#include <math.h>
#include <string.h>
#include <translated.h>

#include "check.h"

enum { N = 13, M = 17, STEPS = 20 };
static double plain_u[N][M], plain_uu[N][M];
static struct tsk_nodes p;
static struct tsk_template t;
static struct tsk_array u, uu;

#define U(a, at, j, i) ((double*)(at))[(j) * (a).step[0] + (i) * (a).step[1]]

static void make(void) {
  tsk_nodes_make("laplace.c:3:9", &p, "p", 2, (long[]){TSK_REST, xmp_all_num_nodes() % 2 ? 1 : 2}, 0);
  tsk_template_make("laplace.c:4:9", &t, "t", 2, (struct tsk_extent[]){{0, N}, {0, M}});
  tsk_distribute("laplace.c:5:9", &t, &p, (struct tsk_format[]){{TSK_BLOCK, 0, 0}, {TSK_BLOCK, 0, 0}});
  struct tsk_align align[] = {{TSK_WITH, 0, 0}, {TSK_WITH, 1, 0}};
  tsk_array_make("laplace.c:6:8", &u, "u", sizeof(double), 2, (long[]){N, M}, &t, align, 0, 0);
  tsk_array_make("laplace.c:6:17", &uu, "uu", sizeof(double), 2, (long[]){N, M}, &t, align,
                 (struct tsk_shadow[]){{1, 1, 0}, {1, 1, 0}}, 0);
}
static void end(void) {
  tsk_array_end(&uu);
  tsk_array_end(&u);
  tsk_template_end(&t);
  tsk_nodes_end(&p);
}

enum { START, COPY, RELAX, DIFFER };
static void sweep(int what, char* u_at, char* uu_at, double* change) {
  const struct tsk_ref on = {0, &t, 2, {{TSK_ALL, 0, 0, 0}, {TSK_ALL, 0, 0, 0}}};
  const int rim = what != START;
  struct tsk_loop l;
  tsk_loop_begin("laplace.c:10:9", &l, &on, 0);
  while (tsk_loop_next(&l)) {
    struct tsk_axis y = tsk_loop_axis(&l, 0, 0, rim, N - rim, 1),
                    x = tsk_loop_axis(&l, 1, 0, rim, M - rim, 1);
    for (long r = 0; r < y.runs; r++) {
      struct tsk_run b = tsk_axis_run(&y, r);
      for (long j = b.first; j < b.last; j += b.step)
        for (long q = 0; q < x.runs; q++) {
          struct tsk_run c = tsk_axis_run(&x, q);
          for (long i = c.first; i < c.last; i += c.step) {
            if (what == START) U(u, u_at, j, i) = U(uu, uu_at, j, i) = j == 0 ? sin(i) : 0;
            if (what == COPY) U(uu, uu_at, j, i) = U(u, u_at, j, i);
            if (what == RELAX)
              U(u, u_at, j, i) = (U(uu, uu_at, j - 1, i) + U(uu, uu_at, j + 1, i) + U(uu, uu_at, j, i - 1) +
                                  U(uu, uu_at, j, i + 1)) /
                                 4;
            if (what == DIFFER) *change += U(uu, uu_at, j, i) - U(u, u_at, j, i);
          }
        }
    }
  }
  if (what == DIFFER) tsk_reduce("laplace.c:40:9", &on, TSK_SUM, TSK_DOUBLE, change, 1, TSK_HOST, TSK_NOW);
}

static void compute_plainly(void) {
  memset(plain_u, 0, sizeof plain_u);
  memset(plain_uu, 0, sizeof plain_uu);
  for (int i = 0; i < M; i++) plain_u[0][i] = plain_uu[0][i] = sin(i);
  for (int k = 0; k < STEPS; k++) {
    for (int j = 1; j < N - 1; j++)
      for (int i = 1; i < M - 1; i++) plain_uu[j][i] = plain_u[j][i];
    for (int j = 1; j < N - 1; j++)
      for (int i = 1; i < M - 1; i++)
        plain_u[j][i] =
            (plain_uu[j - 1][i] + plain_uu[j + 1][i] + plain_uu[j][i - 1] + plain_uu[j][i + 1]) / 4;
  }
}

static void compute(int device, int async) {
  sweep(START, u.at, uu.at, 0);
  struct tsk_part parts[] = {{TSK_ACC_COPY, "u", &u, 0, 0}, {TSK_ACC_COPY, "uu", &uu, 0, 0}};
  char *u_at = u.at, *uu_at = uu.at;
  if (device) {
    tsk_acc_enter("laplace.c:12:9", 2, parts, TSK_ACC_NOW);
    u_at = tsk_acc_at("laplace.c:12:9", &u);
    uu_at = tsk_acc_at("laplace.c:12:9", &uu);
    const char* apart = getenv("TASUKI_ACC");
    if (apart && !strcmp(apart, "apart") && u.bytes) CHECK(u_at != u.at, "the device's memory is the host's");
  }
  struct tsk_array* list[] = {&uu};
  for (int k = 0; k < STEPS; k++) {
    sweep(COPY, u_at, uu_at, 0);
    tsk_reflect("laplace.c:15:9", 1, list, 0, 1, device ? TSK_DEVICE : TSK_HOST, async ? 3 : TSK_NOW);
    if (async) tsk_wait_async("laplace.c:16:9", 1, (long[]){3}, 0);
    sweep(RELAX, u_at, uu_at, 0);
  }
  if (device) tsk_acc_exit("laplace.c:12:9", 2, parts, TSK_ACC_NOW);
}

static int own_main(int argc, char** argv, char** environment) {
  (void)argc, (void)argv, (void)environment;
  make(); /* once more: nothing */
  compute_plainly();
  for (int way = 0; way < 4; way++) {
    compute(way & 1, way & 2);
    for (long j = u.own[0]; j < u.end[0]; j++)
      for (long i = u.own[1]; i < u.end[1]; i++)
        CHECK(U(u, u.at, j, i) == plain_u[j][i], "u[%ld][%ld] is %.17g and not %.17g", j, i, U(u, u.at, j, i),
              plain_u[j][i]);
  }
  double change = 0, plain_change = 0;
  sweep(DIFFER, u.at, uu.at, &change);
  for (int j = 1; j < N - 1; j++)
    for (int i = 1; i < M - 1; i++) plain_change += plain_uu[j][i] - plain_u[j][i];
  CHECK(fabs(change - plain_change) < 1e-12, "the change is %.17g and not %.17g", change, plain_change);
  return 0;
}

static struct tsk_unit unit = {"", make, end, 0};
int main(int argc, char** argv) {
  tsk_unit_add(&unit);
  for (int again = 0; again < 2; again++) /* it begins and ends more than once in a process */
    if (tsk_main("", argc, argv, own_main)) return 1;
  return 0;
}
