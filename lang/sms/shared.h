/* What translated programs of MpC and SMint call, beside sms.h. `tasuki cc` puts it in front of a source; nobody includes it.
 *
 *   shared double a[N][N] ::[NPROCS][](0, NPROCS);        double (*tsk_shared_a)[N][N];
 *   a[i][k] = 1;                                          (*tsk_shared_a)[i][k] = 1;
 *
 * docs/lang/shared.md says what the languages mean. `where` is the user's file:line:column. */
#ifndef TASUKI_SMS_SHARED_H
#define TASUKI_SMS_SHARED_H

/* A macro of sms.h without typeof, in whose operand a shared array's name would not be seen. */
#define SMS_ACT(kind, at, value, expected)    \
  _Generic(*(at), int                         \
           : sms_act_int, unsigned            \
           : sms_act_uint, long               \
           : sms_act_long, unsigned long      \
           : sms_act_ulong, long long         \
           : sms_act_long, unsigned long long \
           : sms_act_ulong)((kind), (at), (value), (expected))

#include "sms.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many processes there are, in maps and everywhere. */
#ifndef NPROCS
#define NPROCS sms_nprocs
#endif

int sms_act_int(int kind, void* at, int value, int expected);
unsigned sms_act_uint(int kind, void* at, unsigned value, unsigned expected);
long sms_act_long(int kind, void* at, long value, long expected);
unsigned long sms_act_ulong(int kind, void* at, unsigned long value, unsigned long expected);

/* Each translation unit adds the function that makes its arrays, from a constructor. sms_startup calls them in that order, which
 * is the same on all processes. */
struct sms_unit {
  void (*make)(void);
  struct sms_unit* next;
};
void sms_unit_add(struct sms_unit* unit);
/* A shared array of `axes` axes, slowest first (none: a single element), cut as sms_mapalloc does. */
void* sms_make(const char* where, const char* name, int axes, const long extent[], const long parts[],
               unsigned long bytes, long first, long nodes);

/* main of a translated program: begins, makes the arrays, calls the program's own main, ends. exit(0) ends it likewise. */
int sms_main(int argc, char** argv, int (*own)(int, char**, char**));

/* A loop first, first + step, .. before bound, of which each process does some runs of iterations. */
struct sms_loop {
  const char* where;
  long long start, step, count; /* of the whole loop */
  long long first, last, end;   /* of this run: its first and last value, and the one behind */
  long long final;              /* the variable's value behind the loop */
  long long (*runs)[2];         /* of iterations, first and behind the last */
  int number, turn;
};
void sms_loop_begin(const char* where, struct sms_loop* loop, long long first, long long bound,
                    long long step, int settled /* nothing was done since the last synchronisation */);
void sms_loop_even(struct sms_loop* loop);
/* By who owns the element that the first iteration writes, and the second. `asked`: schedule(owner: a); else an array that is on
 * one process as a whole is dealt evenly. */
void sms_loop_owner(struct sms_loop* loop, const void* first, const void* second, int asked);
int sms_loop_next(struct sms_loop* loop);
void sms_loop_end(struct sms_loop* loop); /* a synchronisation */

/* Brings a section before it is touched. `at`: the array; whole[0] is 0 where it is a pointer. part: {first, count} an axis, -1 for
 * all of it, as the first iteration of a run has it and then as the last: what lies between comes too. */
void sms_bring(const char* where, const void* at, int axes, const unsigned long whole[], const long part[],
               unsigned long bytes, int write, int keep);

/* `bytes` of each process, in their order. */
void sms_collect(const void* mine, unsigned long bytes, void* all);

/* A statement that process 0 does, and what it set of each process's own variables. */
int sms_single_begin(const char* where, int settled);
void sms_single_give(void* variable, unsigned long bytes);
void sms_single_end(void);

#ifdef __cplusplus
}
#endif
#endif
