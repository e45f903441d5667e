/* Parts of nodes, tasks, broadcasts, reductions with locations, gmove, templates fixed late, and what is asked of all of them. */
#include <string.h>
#include <translated.h>

#include "check.h"

enum { N = 11 };

static void run_tasks(const struct tsk_nodes* p) {
  const int me = xmpc_all_node_num(), all = xmp_all_num_nodes();
  for (int k = 0; k < all; k++) {
    int value = me == k ? 100 + k : -1;
    struct tsk_ref one = {p, 0, 1, {{TSK_ONE, k, 1, 1}}};
    tsk_bcast("sets.c:1:1", &value, sizeof value, &one, 0, TSK_HOST, TSK_NOW);
    CHECK(value == 100 + k, "bcast from %d gives %d", k, value);
    struct tsk_ref some = {p, 0, 1, {{TSK_RANGE, 0, k + 1, 1}}};
    int sum = 1;
    {
      struct tsk_task task __attribute__((cleanup(tsk_task_end))) = tsk_task_begin("sets.c:2:1", &some, 0);
      CHECK(task.mine == (me <= k), "a task of %d is not its", k);
      if (task.mine) {
        CHECK(xmp_num_nodes() == k + 1 && xmpc_node_num() == me, "%d nodes execute", xmp_num_nodes());
        tsk_reduce("sets.c:3:1", 0, TSK_SUM, TSK_INT, &sum, 1, TSK_HOST, TSK_NOW);
        tsk_barrier("sets.c:4:1", 0);
      }
    }
    CHECK(sum == (me <= k ? k + 1 : 1), "the sum within a task is %d", sum);
    CHECK(xmp_num_nodes() == all, "a task has not ended");
  }
  for (int turn = 0; turn < 10000; turn++) { /* sets are shared: communicators do not run out */
    struct tsk_nodes q = {0};
    tsk_nodes_make("sets.c:5:1", &q, "q", 1, (long[]){1},
                   &(struct tsk_ref){p, 0, 1, {{TSK_ONE, turn % all, 1, 1}}});
    struct tsk_task task = tsk_task_begin("sets.c:6:1", &(struct tsk_ref){&q, 0, 0, {{0}}}, 0);
    if (task.mine) tsk_barrier("sets.c:7:1", 0);
    tsk_task_end(&task);
    tsk_nodes_end(&q);
  }
}

static void run_locations(const struct tsk_template* t) {
  const double values[N] = {3, 9, 1, 9, 4, 1, 9, 0.5, 2, 0.5, 7};
  for (int op = TSK_FIRSTMAX; op <= TSK_LASTMIN; op++) {
    const int is_max = op == TSK_FIRSTMAX || op == TSK_LASTMAX,
              is_last = op == TSK_LASTMAX || op == TSK_LASTMIN;
    double best = is_max ? -1 : 100, expected = best;
    int where = -1, found = 0, expected_where = -1;
    for (int i = 0; i < N; i++)
      if (is_max ? values[i] > expected || (is_last && values[i] == expected)
                 : values[i] < expected || (is_last && values[i] == expected)) {
        expected = values[i];
        expected_where = i;
      }
    struct tsk_ref on = {0, t, 1, {{TSK_ALL, 0, 0, 0}}};
    struct tsk_loop l;
    tsk_loop_begin("sets.c:8:1", &l, &on, 0);
    long place = 0;
    while (tsk_loop_next(&l)) {
      struct tsk_axis x = tsk_loop_axis(&l, 0, 0, 0, N, 1);
      for (long r = 0; r < x.runs; r++) {
        struct tsk_run s = tsk_axis_run(&x, r);
        for (long i = s.first; i < s.last; i += s.step)
          if (is_max ? values[i] > best || (is_last && values[i] == best)
                     : values[i] < best || (is_last && values[i] == best)) {
            best = values[i];
            where = (int)(place = i);
            found = 1;
          }
      }
    }
    struct tsk_location at = {&where, TSK_INT};
    tsk_reduce_location("sets.c:9:1", &on, op, TSK_DOUBLE, &best, 1, &at, found, 1, &place, TSK_HOST,
                        TSK_NOW);
    CHECK(best == expected && where == expected_where, "op %d gives %g at %d and not %g at %d", op, best,
          where, expected, expected_where);
  }
}

static void run_arrays(const struct tsk_nodes* p) {
  /* A template whose sizes come later, an array that is a pointer until then, and one of blocks: one goes to the other. */
  const int all = xmp_all_num_nodes();
  int sizes[64] = {0}, fixed = 9, owner = 0;
  sizes[all - 1] = N; /* the last holds all */
  struct tsk_template late = {0}, t = {0};
  struct tsk_array g = {0}, b = {0};
  tsk_template_make("sets.c:10:1", &late, "late", 1, (struct tsk_extent[]){{0, -1}});
  tsk_distribute("sets.c:11:1", &late, p, (struct tsk_format[]){{TSK_GBLOCK, 0, 0}});
  tsk_array_make("sets.c:12:1", &g, "g", sizeof(long), 1, 0, &late, (struct tsk_align[]){{TSK_WITH, 0, 0}}, 0,
                 0);
  CHECK(xmp_template_fixed(late.of, &fixed) == 0 && fixed == 0, "it is fixed");
  tsk_template_fix("sets.c:13:1", &late, (struct tsk_format[]){{TSK_GBLOCK, 0, sizes}},
                   (struct tsk_extent[]){{0, N}});
  CHECK(xmp_template_fixed(late.of, &fixed) == 0 && fixed == 1, "it is not fixed");
  long* const memory = xmp_malloc(g.of, N);
  CHECK((char*)memory == g.start, "xmp_malloc gives other memory");
  CHECK(xmp_array_owner(g.of, 1, (int[]){4}, &owner) == 0 && owner == all, "the owner is %d", owner);
  for (long i = g.own[0]; i < g.end[0]; i++) ((long*)g.at)[i] = 1000 + i;

  tsk_template_make("sets.c:14:1", &t, "t", 1, (struct tsk_extent[]){{0, N}});
  tsk_distribute("sets.c:15:1", &t, p, (struct tsk_format[]){{TSK_BLOCK, 0, 0}});
  tsk_array_make("sets.c:16:1", &b, "b", sizeof(long), 1, (long[]){N}, &t,
                 (struct tsk_align[]){{TSK_WITH, 0, 0}}, (struct tsk_shadow[]){{1, 2, 0}}, 0);
  run_locations(&t);
  struct tsk_section to = {
      .array = &b, .size = sizeof(long), .type = TSK_LONG, .dims = 1, .slice = {{0, N, 1, 0}}};
  struct tsk_section from = {
      .array = &g, .size = sizeof(long), .type = TSK_LONG, .dims = 1, .slice = {{N - 1, N, -1, 0}}};
  tsk_gmove("sets.c:17:1", TSK_GMOVE, &to, &from, TSK_HOST, TSK_NOW);
  for (long i = b.own[0]; i < b.end[0]; i++)
    CHECK(((long*)b.at)[i] == 1000 + N - 1 - i, "b[%ld] is %ld", i, ((long*)b.at)[i]);
  long every[N] = {0}, one = 0;
  struct tsk_section mine = {.at = every,
                             .size = sizeof(long),
                             .type = TSK_LONG,
                             .dims = 1,
                             .extents = {N},
                             .slice = {{0, N, 1, 0}}};
  tsk_gmove("sets.c:18:1", TSK_GMOVE, &mine, &to, TSK_HOST, TSK_NOW);
  struct tsk_section scalar = {.at = &one, .size = sizeof(long), .type = TSK_LONG};
  struct tsk_section element = {
      .array = &b, .size = sizeof(long), .type = TSK_LONG, .dims = 1, .slice = {{3, 1, 1, 1}}};
  tsk_gmove("sets.c:19:1", TSK_GMOVE, &scalar, &element, TSK_HOST, TSK_NOW);
  for (long i = 0; i < N; i++) CHECK(every[i] == 1000 + N - 1 - i, "every[%ld] is %ld", i, every[i]);
  CHECK(one == every[3], "the element is %ld", one);

  /* Shares in shadows are added up in their owners. */
  struct tsk_array* list[] = {&b};
  for (long i = 0; i < b.bytes / 8; i++) ((long*)b.start)[i] = 1;
  tsk_reduce_shadow("sets.c:20:1", 1, list, (int[]){TSK_LONG}, 0, 0, TSK_HOST, TSK_NOW);
  const long width = (N + all - 1) / all;
  for (long i = b.own[0]; i < b.end[0]; i++) {
    long expected = 1;
    for (long node = 0; node < all; node++) {
      const long first = node * width, last = first + width < N ? first + width : N;
      if (first < last && ((i >= first - 1 && i < first) || (i >= last && i < last + 2))) expected++;
    }
    CHECK(((long*)b.at)[i] == expected, "with shares b[%ld] is %ld and not %ld", i, ((long*)b.at)[i],
          expected);
  }
  int lower = 0, upper = 0, lsize = 0, format = 0, block = 0;
  xmp_desc_t shown = 0;
  CHECK(
      !xmp_array_lshadow(b.of, 1, &lower) && !xmp_array_ushadow(b.of, 1, &upper) && lower == 1 && upper == 2,
      "shadow");
  CHECK(!xmp_array_lsize(b.of, 1, &lsize) && lsize == b.end[0] - b.own[0] + lower + upper,
        "size with the shadow %d", lsize);
  int first = -1, last = -1;
  xmp_array_lbound_global(b.of, 1, &first);
  xmp_array_ubound_global(b.of, 1, &last);
  CHECK(b.bytes == 0 || (first == b.own[0] && last == b.end[0] - 1), "own indices %d to %d", first, last);
  CHECK(xmp_array_type_size(b.of) == sizeof(double) || xmp_array_type_size(b.of) == sizeof(int),
        "an element's bytes");
  CHECK(xmp_array_gcglbound(b.of, 1) == 0 && xmp_array_gcgubound(b.of, 1) + 1 == xmp_array_gsize(b.of, 1),
        "extent");
  CHECK(b.bytes == 0 || (xmp_array_gcllbound(b.of, 1) == first && xmp_array_gclubound(b.of, 1) == last),
        "own part");
  CHECK(
      b.bytes == 0 || (xmp_array_lcllbound(b.of, 1) == 1 && xmp_array_lclubound(b.of, 1) == last - first + 1),
      "behind the lower shadow");
  CHECK(!xmp_align_template(b.of, &shown) && shown == t.of, "template");
  CHECK(!xmp_dist_format(t.of, 1, &format) && format == XMP_BLOCK, "format %d", format);
  CHECK(!xmp_dist_blocksize(t.of, 1, &block) && block == width, "block of %d", block);
  CHECK(xmp_array_lshadow(b.of, 2, &lower) == -1, "a dimension that is not there");
  xmp_free(g.of);
  tsk_array_end(&b);
  tsk_array_end(&g);
  tsk_template_end(&t);
  tsk_template_end(&late);
}

static int own_main(int argc, char** argv, char** environment) {
  (void)argc, (void)argv, (void)environment;
  struct tsk_nodes p = {0};
  tsk_nodes_make("sets.c:1:1", &p, "p", 1, (long[]){TSK_REST}, 0);
  run_tasks(&p);
  run_arrays(&p);
  tsk_nodes_end(&p);
  return 0;
}
int main(int argc, char** argv) { return tsk_main("", argc, argv, own_main); }
