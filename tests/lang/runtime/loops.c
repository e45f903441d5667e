/* Loops over all formats, up and down, with borders: who does which iteration, and where its element lies. */
#include <string.h>
#include <translated.h>

#include "check.h"

enum { N = 23 };

/* How often each iteration was done by all nodes together. */
static void expect_once(const int* done, const int* expected, const char* what) {
  int all[N + 8];
  memcpy(all, done, sizeof all);
  tsk_reduce("loops.c:1:1", 0, TSK_SUM, TSK_INT, all, N + 8, TSK_HOST, TSK_NOW);
  for (int i = 0; i < N + 8; i++)
    CHECK(all[i] == expected[i], "%s: iteration %d is done %d times and not %d", what, i - 4, all[i],
          expected[i]);
}

static void run_formats(void) {
  const int nodes = xmp_all_num_nodes();
  int sizes[64] = {0};
  for (int i = 0; i < N; i++) sizes[(i * i) % nodes]++; /* some may be 0 */
  const struct tsk_format formats[] = {
      {TSK_BLOCK, 0, 0}, {TSK_BLOCK, 23, 0}, {TSK_CYCLIC, 0, 0}, {TSK_CYCLIC, 3, 0}, {TSK_GBLOCK, 0, sizes}};
  for (int f = 0; f < 5; f++)
    for (int offset = 0; offset < 3; offset++) {
      struct tsk_nodes p = {0};
      struct tsk_template t = {0};
      struct tsk_array a = {0};
      tsk_nodes_make("loops.c:1:1", &p, "p", 1, (long[]){TSK_REST}, 0);
      tsk_template_make("loops.c:2:1", &t, "t", 1, (struct tsk_extent[]){{1, N}}); /* 1:N */
      tsk_distribute("loops.c:3:1", &t, &p, &formats[f]);
      tsk_array_make("loops.c:4:1", &a, "a", sizeof(int), 1, (long[]){N - 2}, &t,
                     (struct tsk_align[]){{TSK_WITH, 0, 1 + offset}}, 0, 0); /* a[i] with t(i + 1 + offset) */
      for (int step = -2; step <= 3; step++) {
        if (step == 0) continue;
        int done[N + 8] = {0}, expected[N + 8] = {0};
        const long first = step > 0 ? 1 : N - 4, bound = step > 0 ? N - 3 : 0;
        long last = step > 0 ? -100 : 100;
        for (long i = first; step > 0 ? i < bound : i > bound; i += step) expected[i + 4] = 1;
        struct tsk_ref on = {0, &t, 1, {{TSK_ALL, 0, 0, 0}}};
        struct tsk_loop l;
        tsk_loop_begin("loops.c:5:1", &l, &on, 0);
        while (tsk_loop_next(&l)) {
          struct tsk_axis x = tsk_loop_axis(&l, 0, 1 + offset, first, bound, step);
          for (long r = 0; r < x.runs; r++) {
            struct tsk_run s = tsk_axis_run(&x, r);
            for (long i = s.first; step > 0 ? i < s.last : i > s.last; i += s.step) {
              CHECK(step > 0 ? i > last : i < last, "iteration %ld comes behind %ld", i, last);
              last = i;
              done[i + 4]++;
              int* const element = (int*)a.at + tsk_local(&a, 0, i) * a.step[0];
              CHECK((char*)element >= a.start && (char*)(element + 1) <= a.start + a.bytes,
                    "a[%ld] lies outside", i);
              *element += 1000 + (int)i;
            }
          }
        }
        expect_once(done, expected, "a loop");
      }
      tsk_array_end(&a);
      tsk_template_end(&t);
      tsk_nodes_end(&p);
    }
}

/* Of a[0 .. N - 1] in blocks: own parts grown and shrunk, and their rims. */
static void run_borders(void) {
  struct tsk_nodes p = {0};
  struct tsk_template t = {0};
  tsk_nodes_make("loops.c:1:1", &p, "p", 1, (long[]){TSK_REST}, 0);
  tsk_template_make("loops.c:2:1", &t, "t", 1, (struct tsk_extent[]){{0, N}});
  tsk_distribute("loops.c:3:1", &t, &p, (struct tsk_format[]){{TSK_BLOCK, 0, 0}});
  struct tsk_array a = {0};
  tsk_array_make("loops.c:4:1", &a, "a", 4, 1, (long[]){N}, &t, (struct tsk_align[]){{TSK_WITH, 0, 0}}, 0, 0);
  for (int kind = TSK_PLAIN; kind <= TSK_PEEL; kind++)
    for (int lo = -2; lo <= 2; lo++)
      for (int hi = -1; hi <= 2; hi++)
        for (int unbound = 0; unbound < 2; unbound++) {
          int done[N + 8] = {0}, expected[N + 8] = {0};
          const long own = a.own[0], end = a.end[0];
          for (long i = -4; i < N + 4 && own < end; i++) {
            const int in_loop = unbound && kind != TSK_PLAIN
                                    ? i >= 0 - (lo > 0 ? lo : 0) && i < N + (hi > 0 ? hi : 0)
                                    : i >= 0 && i < N;
            const int is_own = i >= own && i < end, is_moved = i >= own - lo && i < end + hi;
            if (!in_loop) continue;
            if (kind == TSK_PLAIN || kind == TSK_PEEL) expected[i + 4] += is_own;
            if (kind == TSK_EXPAND) expected[i + 4] += is_moved;
            if (kind == TSK_MARGIN) {
              const int outer = (lo > 0 ? i >= own - lo : i >= own) && (hi > 0 ? i < end + hi : i < end);
              const int inner = (lo < 0 ? i >= own - lo : i >= own) && (hi < 0 ? i < end + hi : i < end);
              expected[i + 4] += outer && !inner;
            }
          }
          struct tsk_border border = {.kind = kind, .lo = {lo}, .hi = {hi}, .unbound = {unbound}, .async = 5};
          struct tsk_ref on = {0, &t, 1, {{TSK_ALL, 0, 0, 0}}};
          struct tsk_loop l;
          tsk_loop_begin("loops.c:5:1", &l, &on, &border);
          while (tsk_loop_next(&l)) {
            struct tsk_axis x = tsk_loop_axis(&l, 0, 0, 0, N, 1);
            for (long r = 0; r < x.runs; r++) {
              struct tsk_run s = tsk_axis_run(&x, r);
              for (long i = s.first; i < s.last; i += s.step) done[i + 4]++;
            }
          }
          for (int i = 0; i < N + 8; i++)
            CHECK(done[i] == expected[i],
                  "kind %d, %d:%d, unbound %d: iteration %d is done %d times and not %d", kind, lo, hi,
                  unbound, i - 4, done[i], expected[i]);
        }
  tsk_array_end(&a);
  tsk_template_end(&t);
  tsk_nodes_end(&p);
}

static int own_main(int argc, char** argv, char** environment) {
  (void)argc, (void)argv, (void)environment;
  run_formats();
  run_borders();
  return 0;
}
int main(int argc, char** argv) { return tsk_main("", argc, argv, own_main); }
