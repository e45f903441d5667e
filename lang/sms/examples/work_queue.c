/* Work whose amount nobody knows before: an integral by intervals, each of which is halved where it is not exact enough. Whoever is
 * free takes the next one from a queue that all share. A lock carries the queue; sums are atomic acts, in whole numbers, so that
 * the order in which they come changes nothing. Prints the same on any processes. */
#include <sms.h>

#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { MOST = 1000, QUEUE = 1 };

typedef struct {
  double low, high;
} Interval;

typedef struct {
  long first, end, at_work; /* intervals that wait; processes that may bring more */
  Interval waiting[MOST];
} Queue;

static double height(double x) { return sqrt(x); } /* steep at 0: most intervals are there */

static double simpson(double low, double high) {
  return (high - low) / 6 * (height(low) + 4 * height((low + high) / 2) + height(high));
}

/* 1: an interval to do; 0: none now; -1: none any more. */
static int take(Queue* queue, Interval* mine) {
  sms_lock(QUEUE);
  const int got = queue->first < queue->end ? 1 : queue->at_work > 0 ? 0 : -1;
  if (got == 1) {
    *mine = queue->waiting[queue->first++];
    queue->at_work++;
  }
  sms_unlock(QUEUE);
  return got;
}

/* Its halves, or none, come back. */
static void done(Queue* queue, const Interval halves[2], int count) {
  sms_lock(QUEUE);
  for (int k = 0; k < count; k++) queue->waiting[queue->end++] = halves[k];
  queue->at_work--;
  sms_unlock(QUEUE);
}

int main(int argc, char** argv) {
  sms_startup(&argc, &argv);
  Queue* queue = sms_alloc(sizeof(Queue), 1, 0);
  long* sum = sms_alloc(sizeof(long), 1, sms_nprocs - 1); /* of areas, in 2^-50 */
  if (sms_rank == 0) {
    queue->waiting[0] = (Interval){0, 4};
    queue->end = 1;
  }
  sms_sync();

  Interval mine;
  for (int got; (got = take(queue, &mine)) >= 0;) {
    if (got == 0) {
      usleep(100);
      continue;
    }
    const double middle = (mine.low + mine.high) / 2;
    const Interval halves[2] = {{mine.low, middle}, {middle, mine.high}};
    const double whole = simpson(mine.low, mine.high);
    const double better = simpson(mine.low, middle) + simpson(middle, mine.high);
    const int exact = fabs(better - whole) < 1e-10;
    if (exact) sms_add(sum, lrint(better * 0x1p50));
    done(queue, halves, exact ? 0 : 2);
  }
  sms_sync();

  const double area = (double)*sum * 0x1p-50;
  if (sms_rank == 0)
    printf("%ld intervals, %.15f, %s\n", queue->end, area,
           fabs(area - 16. / 3) < 1e-8 ? "is the integral" : "is wrong");
  sms_shutdown();
  return 0;
}
