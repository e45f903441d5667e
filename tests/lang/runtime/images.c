/* Coarrays with sections of other shapes, posts, locks, images that wait for each other, and the library of OpenACC. */
#include <math.h>
#include <openacc.h>
#include <string.h>
#include <translated.h>

#include "check.h"

enum { ROWS = 4, COLUMNS = 6, TURNS = 50 };

static void run_sections(void) {
  const int me = xmpc_this_image(), all = xmp_num_images(), next = (me + 1) % all,
            before = (me + all - 1) % all;
  struct tsk_coarray c = {0};
  tsk_coarray_make("images.c:1:1", &c, "c", ROWS * COLUMNS * sizeof(int), 1, (long[]){TSK_REST}, 0);
  int(*const own)[COLUMNS] = (void*)c.at;
  for (int j = 0; j < ROWS; j++)
    for (int i = 0; i < COLUMNS; i++) own[j][i] = 100 * me + 10 * j + i;
  xmp_sync_all(0);
  /* mine[0:3][0:2] = c[3:3:-1][1:2:3]:[next] */
  int mine[3][2];
  struct tsk_section to = {.at = mine,
                           .size = 4,
                           .type = TSK_INT,
                           .dims = 2,
                           .extents = {3, 2},
                           .slice = {{0, 3, 1, 0}, {0, 2, 1, 0}}};
  struct tsk_section from = {.coarray = &c,
                             .size = 4,
                             .type = TSK_INT,
                             .dims = 2,
                             .extents = {ROWS, COLUMNS},
                             .slice = {{3, 3, -1, 0}, {1, 2, 3, 0}}};
  tsk_get("images.c:2:1", &to, &from, (long[]){next});
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 2; i++)
      CHECK(mine[j][i] == 100 * next + 10 * (3 - j) + 1 + 3 * i, "mine[%d][%d] is %d", j, i, mine[j][i]);
  xmp_sync_all(0);
  /* c[1][5:3:-2]:[next] = mine[0:3][1], then a scalar to a whole row */
  struct tsk_section row = {.coarray = &c,
                            .size = 4,
                            .type = TSK_INT,
                            .dims = 2,
                            .extents = {ROWS, COLUMNS},
                            .slice = {{1, 1, 1, 1}, {5, 3, -2, 0}}};
  struct tsk_section column = {.at = mine,
                               .size = 4,
                               .type = TSK_INT,
                               .dims = 2,
                               .extents = {3, 2},
                               .slice = {{0, 3, 1, 0}, {1, 1, 1, 1}}};
  tsk_put("images.c:3:1", &row, (long[]){next}, &column);
  int seven = 700 + me;
  struct tsk_section scalar = {.at = &seven, .size = 4, .type = TSK_INT};
  row.slice[0].first = 2;
  row.slice[1] = (struct tsk_slice){0, COLUMNS, 1, 0};
  tsk_put("images.c:4:1", &row, (long[]){next}, &scalar);
  xmp_sync_all(0);
  for (int k = 0; k < 3; k++)
    CHECK(own[1][5 - 2 * k] == 100 * me + 10 * (3 - k) + 4, "own[1][%d] is %d", 5 - 2 * k, own[1][5 - 2 * k]);
  for (int i = 0; i < COLUMNS; i++) CHECK(own[2][i] == 700 + before, "own[2][%d] is %d", i, own[2][i]);
  CHECK(own[0][0] == 100 * me && own[3][5] == 100 * me + 35, "what was not named has changed");
  tsk_coarray_end(&c);
}

/* A number of the first image that all add to, under a lock; and a token that goes round by posts. */
static void run_locks(const struct tsk_nodes* p) {
  const int me = xmpc_this_image(), all = xmp_num_images(), next = (me + 1) % all,
            before = (me + all - 1) % all;
  struct tsk_coarray lock = {0}, number = {0};
  tsk_coarray_make("images.c:5:1", &lock, "l", sizeof(xmp_lock_t), 1, (long[]){TSK_REST}, 0);
  tsk_coarray_make("images.c:6:1", &number, "n", sizeof(long), 1, (long[]){TSK_REST}, 0);
  struct tsk_section l = {.coarray = &lock, .size = sizeof(xmp_lock_t), .type = TSK_BYTES};
  struct tsk_section n = {.coarray = &number, .size = sizeof(long), .type = TSK_LONG};
  for (int turn = 0; turn < TURNS; turn++) {
    long value = 0;
    struct tsk_section mine = {.at = &value, .size = sizeof(long), .type = TSK_LONG};
    tsk_lock("images.c:7:1", &l, (long[]){0});
    tsk_get("images.c:8:1", &mine, &n, (long[]){0});
    value++;
    tsk_put("images.c:9:1", &n, (long[]){0}, &mine);
    tsk_unlock("images.c:10:1", &l, (long[]){0});
  }
  xmp_sync_all(0);
  if (me == 0) CHECK(*(long*)number.at == TURNS * all, "the number is %ld", *(long*)number.at);
  xmp_sync_all(0);
  if (all > 1) {
    struct tsk_ref to = {p, 0, 1, {{TSK_ONE, next, 1, 1}}}, from = {p, 0, 1, {{TSK_ONE, before, 1, 1}}};
    long token = me == 0;
    struct tsk_section mine = {.at = &token, .size = sizeof(long), .type = TSK_LONG};
    if (me > 0) {
      tsk_wait("images.c:11:1", &from, 1, 3);
      token = *(long*)number.at + 1;
    }
    tsk_put("images.c:12:1", &n, (long[]){next}, &mine);
    tsk_post("images.c:13:1", &to, 3);
    if (me == 0) {
      tsk_wait("images.c:14:1", 0, 0, 0);
      CHECK(*(long*)number.at == all, "the token is %ld", *(long*)number.at);
    }
    int status = -1;
    if (me < 2) xmp_sync_image(1 - me, &status);
    CHECK(me > 1 || status == XMP_STAT_SUCCESS, "two images have not met");
  }
  xmp_sync_all(0);
  tsk_coarray_end(&number);
  tsk_coarray_end(&lock);
}

/* Device memory with other addresses: what is not brought over is not there, parts are, references count. */
static void run_device(int apart) {
  double a[10];
  for (int i = 0; i < 10; i++) a[i] = i;
  CHECK(acc_is_present(a, sizeof a) == 0, "it is present");
  double* d = acc_create(a, sizeof a);
  CHECK((d != a) == apart, "the device's memory is %sthe host's", apart ? "" : "not ");
  if (apart) CHECK(isnan(d[3]), "what was never brought over is a number");
  acc_update_device(a + 2, 3 * sizeof *a);
  CHECK(d[3] == 3 && (!apart || isnan(d[5])), "a part was brought over: %g %g", d[3], d[5]);
  CHECK(acc_copyin(a + 2, 2 * sizeof *a) == d + 2, "a part of what is present is elsewhere");
  CHECK(acc_hostptr(d + 4) == a + 4 && acc_deviceptr(a + 4) == d + 4, "addresses");
  d[3] = 30;
  acc_delete(a + 2, 2 * sizeof *a);
  CHECK(acc_is_present(a, sizeof a), "it is gone, and was brought over twice");
  acc_update_self(a + 3, sizeof *a);
  CHECK(a[3] == 30, "it has not come back");
  for (int i = 0; i < 10; i++) d[i] = -i;
  acc_copyout(a, sizeof a);
  CHECK(a[9] == -9 && !acc_is_present(a, sizeof a), "copyout");
  double* memory = acc_malloc(sizeof a);
  acc_memcpy_to_device(memory, a, sizeof a);
  memset(a, 0, sizeof a);
  acc_memcpy_from_device(a, memory, sizeof a);
  acc_free(memory);
  CHECK(a[9] == -9, "a copy by hand");
}

static int own_main(int argc, char** argv, char** environment) {
  (void)environment;
  struct tsk_nodes p = {0};
  tsk_nodes_make("images.c:1:1", &p, "p", 1, (long[]){TSK_REST}, 0);
  const char* acc = getenv("TASUKI_ACC");
  if (argc > 1 && !strcmp(argv[1], "nobody"))
    tsk_post("images.c:20:9", &(struct tsk_ref){&p, 0, 1, {{TSK_ONE, 99, 1, 1}}}, 1);
  if (argc > 1 && !strcmp(argv[1], "absent"))
    tsk_acc_enter("images.c:21:9", 1, &(struct tsk_part){TSK_ACC_PRESENT, "p", 0, &p, sizeof p}, TSK_ACC_NOW);
  if (argc > 1 && !strcmp(argv[1], "nodes")) {
    struct tsk_nodes q = {0};
    tsk_nodes_make("images.c:22:9", &q, "q", 2, (long[]){2, 2}, 0);
  }
  if (argc > 1 && !strcmp(argv[1], "leave")) exit(0);
  if (argc > 1 && !strcmp(argv[1], "give_up") && xmp_node_num() == 2) xmp_exit(3);
  run_sections();
  run_locks(&p);
  run_device(acc && !strcmp(acc, "apart"));
  tsk_nodes_end(&p);
  return 0;
}
int main(int argc, char** argv) { return tsk_main("", argc, argv, own_main); }
