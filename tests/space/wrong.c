/* What must end a run in words: wrong MODE does one thing that is wrong, or ends one rank while another waits for it. */
#include <sms.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define IS(text) (!strcmp(mode, text))

int main(int argc, char** argv) {
  sms_startup(&argc, &argv);
  const char* mode = argc > 1 ? argv[1] : "";
  const int last = sms_nprocs - 1;
  int dim[] = {64, 512, -1}, div[] = {sms_nprocs, 1, -1};
  double(*a)[512] = sms_mapalloc(dim, div, sizeof(double), 0, sms_nprocs);
  volatile double(*seen)[512] = a;
  double sum = 0;
  volatile double* volatile nowhere = (volatile double*)8;
  if (sms_rank == last) seen[63][511] = 1;
  sms_sync();
  if (IS("lengths")) sms_mapalloc(dim, (int[]){1, -1}, sizeof(double), 0, 1);
  if (IS("endless")) sms_mapalloc((int[]){1, 1, 1, 1, 1, 1, 1, 1, 1, -1}, div, 8, 0, 1);
  if (IS("node")) sms_alloc(8, 10, sms_nprocs);
  if (IS("nodes")) sms_mapalloc(dim, div, 8, 0, sms_nprocs + 1);
  if (IS("huge")) sms_alloc(1ul << 40, 64, 0);
  if (IS("outside")) sms_preload_array(a[60], (size_t[]){64, 512}, (size_t[]){5, 512}, 2, 8, 0);
  if (IS("overload")) /* of what was never loaded, and of what is there */
    for (int k = 0; k < 2; k++) sms_overload_array(a[62], (size_t[]){64, 512}, (size_t[]){2, 512}, 2, 8, 0);
  if (IS("lock")) sms_lock(3), sms_sync();
  if (IS("unlock")) sms_unlock(3);
  if (IS("twice")) sms_lock(3), sms_lock(3);
  if (IS("empty")) sms_mapalloc((int[]){64, 0, -1}, div, 8, 0, 1);
  if (IS("pieces")) sms_mapalloc((int[]){2, -1}, (int[]){3, -1}, 8, 0, 1);
  if (IS("bytes")) sms_mapalloc(dim, div, 0, 0, 1);
  if (IS("none")) sms_mapalloc(dim, div, 8, 0, 0);
  if (IS("within")) sms_free(a[1]);
  if (IS("stranger")) sms_preload(dim, 1, 0);
  if (IS("behind")) sms_preload(a[63], 8192, 0);
  if (IS("endless-run")) sms_preload(a[63], (size_t)-8, 0);
  if (IS("unequal")) sms_preload_array((char*)a[1] + 4, (size_t[]){64, 512}, (size_t[]){1, 512}, 2, 8, 0);
  if (IS("axes")) sms_preload_array(a, (size_t[]){64, 512}, (size_t[]){1, 512}, 0, 8, 0);
  if (IS("odd")) sms_add((long*)((char*)a + 4), 1);
  if (IS("owner")) sms_owner(&sum);
  if (IS("nowhere")) sms_copy(a, sms_mapalloc_on(dim, div, sizeof(double), 0, sms_nprocs, SMS_GPU), 1 << 20);
  if (IS("place")) sms_mapalloc_on(dim, div, sizeof(double), 0, sms_nprocs, 2);
  if (IS("unlike") && sms_rank == 0) sms_alloc(8, 10, 0);
  if (IS("wild")) sum += ((volatile double*)a)[1ul << 33];
  if (IS("freed")) {
    sms_free(a);
    if (sms_rank == 0) sum += seen[63][511]; /* it was the last rank's */
  }
  if (IS("absent") && sms_rank == 0) sum += seen[63][511]; /* with --faults none */
  if (IS("race")) {
    sum += seen[63][511];
    sms_sync();
    a[63][511] = 10 + sms_rank;
  }
  if (IS("race-home")) { /* its home writes before anybody has a copy; a lower rank afterwards, and nothing is between */
    long* turn = sms_alloc(sizeof(long), 1, 0);
    if (sms_rank == last) a[63][100] = 5, sms_add(turn, 1);
    while (sms_rank == 0 && !sms_add(turn, 0)) usleep(100);
    if (sms_rank == 0) a[63][100] = 7;
  }
  if (IS("segv") && sms_rank == 0) sum += *nowhere; /* not the space's */
  /* The last rank is the home of row 63, and ends. */
  if (sms_rank == last && !strncmp(mode, "kill-", 5)) {
    usleep(300000);
    raise(SIGKILL);
  }
  if (IS("kill-fault"))
    for (;;) {
      sms_preload(a[63], 8, 1);
      for (int row = 32; row < 64; row++) sum += seen[row][5];
      usleep(1000);
    }
  if (IS("reads")) { /* 31 pages, one at a time; then 32, more at a time */
    for (int row = 63; row > 32; row--)
      if (sms_rank == 0) sum += seen[row][5]; /* backwards */
    sms_sync_drop();
    for (int row = 32; row < 64; row++)
      if (sms_rank == 0) sum += seen[row][7]; /* onwards */
  }
  if (IS("kill-sync")) sms_sync();
  if (IS("kill-lock"))
    for (;;) {
      sms_lock(1);
      a[63][0] += 1;
      sms_unlock(1);
    }
  sms_sync();
  if (sms_rank == 0) printf("it went on: %g\n", sum);
  sms_shutdown();
  return 0;
}
