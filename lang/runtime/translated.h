/* The functions that translated text calls: the interface between `tasuki cc` and the run time (libtasuki_xmp).
 *
 *     #pragma xmp nodes p[*][2]                             static struct tsk_nodes tsk_n_p;
 *     #pragma xmp template t[N][N]                          static struct tsk_template tsk_t_t;
 *     #pragma xmp distribute t[block][block] onto p
 *     double u[N][N];                                       struct tsk_array tsk_a_u;
 *     #pragma xmp align u[j][i] with t[j][i]
 *     #pragma xmp shadow u[1][1]
 *
 * becomes, in the function of the unit that the run time calls before main,
 *
 *     tsk_nodes_make("a.c:1:9", &tsk_n_p, "p", 2, (long[]){TSK_REST, 2}, 0);
 *     tsk_template_make("a.c:2:9", &tsk_t_t, "t", 2, (struct tsk_extent[]){{0, N}, {0, N}});
 *     tsk_distribute("a.c:3:9", &tsk_t_t, &tsk_n_p, (struct tsk_format[]){{TSK_BLOCK}, {TSK_BLOCK}});
 *     tsk_array_make("a.c:4:8", &tsk_a_u, "u", sizeof(double), 2, (long[]){N, N}, &tsk_t_t,
 *                    (struct tsk_align[]){{TSK_WITH, 0, 0}, {TSK_WITH, 1, 0}}, (struct tsk_shadow[]){{1, 1}, {1, 1}}, 0);
 *
 * and `u[j][i]` becomes `((double *)tsk_a_u.at)[j * tsk_a_u.step[0] + i * tsk_a_u.step[1]]`, or hoisted parts of it.
 *
 * Order and base. Dimension 0 is the slowest, as in C; the front end reverses lists in parentheses. Nodes count from 0.
 * Templates keep the coordinates of the program: a template (1:n) begins at 1. Every list has one entry per
 * dimension, at most 7.
 *
 * `where` is "file:line:col" of the directive, a string that is never freed. An error is one line on stderr that begins
 * with it, "file:line:col: error: what; mend", and ends all ranks with status 1. No function returns an error.
 *
 * All structs may be zero until their `make` is called; `end` then does nothing. The front end calls `end` through
 * __attribute__((cleanup)), so objects of a scope end in reverse order of their creation, also by return and goto.
 * All ranks of the executing set create and end the same objects in the same order.
 *
 * This header is C99 and precedes every translated program, so it includes no other header. */
#ifndef TASUKI_TRANSLATED_H
#define TASUKI_TRANSLATED_H

#ifdef __clang__
/* `omp simd` allows vectors; that a loop has none is no fault of the program. */
#pragma clang diagnostic ignored "-Wpass-failed"
/* clang 14 loses lanes of a sum by `omp parallel for simd` at -O1: such a loop is shared by threads and has no vectors. */
enum { TSK_NO_SHARED_VECTOR_SUMS = 1 };
#endif
#ifdef __cplusplus
extern "C" {
#endif

enum { TSK_DIMS = 7 };

/* ---- Nodes, templates, distributions -------------------------------------------------------------------------------- */

struct tsk_nodes {
  void* of; /* internal to the run time; xmp_desc_of(p) */
};
struct tsk_template {
  void* of;
};

/* One dimension of a reference p[..], t[..]. */
enum {
  TSK_ONE,   /* first */
  TSK_RANGE, /* first, first + step, ..: count of them */
  TSK_ALL,   /* ":" */
  TSK_OWN    /* "*": for nodes this rank's coordinate; for a template in a loop, any index */
};
struct tsk_sub {
  int kind;
  long first, count, step;
};

/* The reference after "on", "from" or "=". nodes or on_template is set, or none: executing set. dims 0: all of it. */
struct tsk_ref {
  const struct tsk_nodes* nodes;
  const struct tsk_template* on_template;
  int dims;
  struct tsk_sub sub[7];
};

/* An extent "*" of nodes: from XMP_NODE_SIZE0, 1, .. of the environment; the last one gets the remaining ranks. */
enum { TSK_REST = -1 };

/* Nodes over the executing set (of == 0: all ranks; ref without nodes and template: "= *"), or over part of others. */
void tsk_nodes_make(const char* where, struct tsk_nodes* nodes, const char* name, int dims,
                    const long* extents, const struct tsk_ref* of);
void tsk_nodes_end(struct tsk_nodes* nodes);

struct tsk_extent {
  long first, count; /* count < 0: not fixed until template_fix */
};
enum { TSK_KEPT /* "*" */, TSK_BLOCK, TSK_CYCLIC, TSK_GBLOCK };
struct tsk_format {
  int kind;
  long width;       /* block(n), cyclic(n); 0: block takes ceil(extent / nodes), cyclic 1 */
  const int* sizes; /* gblock: one per node along the dimension; 0: gblock(*) until template_fix. Copied. */
};
void tsk_template_make(const char* where, struct tsk_template* t, const char* name, int dims,
                       const struct tsk_extent* extents);
void tsk_distribute(const char* where, struct tsk_template* t, const struct tsk_nodes* onto,
                    const struct tsk_format* formats);
/* A list that is 0 keeps its present values. Arrays that are aligned with the template are allocated now. */
void tsk_template_fix(const char* where, struct tsk_template* t, const struct tsk_format* formats,
                      const struct tsk_extent* extents);
void tsk_template_end(struct tsk_template* t);

/* ---- Arrays --------------------------------------------------------------------------------------------------------- */

/* A global subscript g of dimension d is converted to l = g if linear[d] is 1 (block, gblock, not distributed, full
 * shadow), otherwise to l = tsk_local(a, d, g). The address of the element is
 *     at + size * (l0 * step[0] + l1 * step[1] + ..)
 * so `at` is an offset address that may be outside of the memory. The last step is 1. Shadow cells have the same
 * formula, periodic ones with subscripts below 0 and past the end. On a rank without elements `start` is the address
 * of an unused byte, and bytes is 0. */
struct tsk_array {
  void* of;
  char* at;
  char* start;    /* first byte of this rank's memory, shadow included: what a callee or MPI is given */
  long step[7];   /* in elements */
  long own[7];    /* first own global index; for cyclic the least one */
  long end[7];    /* one past the last own one; own == end: none */
  long held[7];   /* cells of the memory along d, shadow included */
  long width[7];  /* if linear[d] == 0: of a piece .. */
  long cycle[7];  /*   .. distance of this rank's pieces, width * nodes .. */
  long origin[7]; /*   .. and first index of the template */
  int linear[7];
  int dims;
  long size;  /* of an element, bytes */
  long bytes; /* of the memory */
  int lends; /* set before it is made: ranks that execute a gmove in or out alone reach its memory on all others */
  int compares; /* set before it is made: --check compares its copies, which are numbers */
};

/* The position of own subscript g in this rank's memory, for cyclic(w). g must belong to this rank (not checked). */
static inline long tsk_local(const struct tsk_array* a, int d, long g) {
  long o = g - a->origin[d];
  return a->linear[d] ? g : o / a->cycle[d] * a->width[d] + o % a->width[d];
}

enum { TSK_NOT_ALIGNED /* the whole dimension on every node */, TSK_WITH };
struct tsk_align {
  int kind;
  int dim;     /* of the template */
  long offset; /* a[i] with t[i + offset] */
};
struct tsk_shadow {
  long lo, hi;
  int full; /* "*" */
};

/* xmp_desc_of(a); also stores the type of its elements. */
void* tsk_described(const struct tsk_array* a, int type);

/* An array over this rank's part, with copies along template dimensions that no align names. extents: 0 if xmp_malloc
 * allocates it; an extent below 0 (of parameters): that of the template. memory: 0 for zeroed own memory, otherwise the
 * start of a parameter's (the caller's array; it is an error if held[] or size differ). If the template is not fixed,
 * template_fix allocates the memory. A second make of a static local does nothing. */
void tsk_array_make(const char* where, struct tsk_array* a, const char* name, long size, int dims,
                    const long* extents, const struct tsk_template* with, const struct tsk_align* align,
                    const struct tsk_shadow* shadow, void* memory);
void tsk_array_end(struct tsk_array* a);

/* With --check, u[j][i] is ((T *)tsk_a_u.at)[tsk_check(where, &tsk_a_u, TSK_READS, 2, (long[]){j, i})]: the offset from
 * `at` in elements. An error if this rank does not hold the element. TSK_NAMES: fewer subscripts than dimensions, or an
 * address is taken. The unit's function calls tsk_check_begin first. */
enum { TSK_NAMES = 0, TSK_READS = 1, TSK_WRITES = 2 };
void tsk_check_begin(void);
/* Before a call of a function of xmp.h that all nodes come to: (tsk_here(where), xmp_sync_all)(0). */
void tsk_here(const char* where);
long tsk_check(const char* where, const struct tsk_array* a, int how, int dims, const long* index);

/* ---- Loops ---------------------------------------------------------------------------------------------------------- */

/* for (i = first; step > 0 ? i < last : i > last; i += step). With cyclic(w), a step of 1 or -1 advances the place in
 * memory by one. With cyclic(1) there is a single run: its step is that of the program times the number of nodes. */
struct tsk_run {
  long first, last, step;
};
struct tsk_axis {
  long runs;          /* of this rank, in the order of the program's loop; 0: no iterations */
  struct tsk_run run; /* the first */
  long apart;         /* the distance of whole pieces, negative downwards; 0: they are not regular */
  void* of;           /* internal to the run time, valid until the next tsk_loop_next */
  long more[2];
};

/* expand, margin, peel_and_wait: by index of the loop; lo and hi may be negative. */
enum { TSK_PLAIN, TSK_EXPAND, TSK_MARGIN, TSK_PEEL };
struct tsk_border {
  int kind;
  long lo[7], hi[7]; /* by dimension of the reference */
  int unbound[7];
  long async; /* of peel_and_wait: finished between the inner part and the rim */
};

/* The iterations of a loop that this rank does:
 *     struct tsk_loop l;
 *     tsk_loop_begin(where, &l, &(struct tsk_ref){0, &tsk_t_t, 2, {{TSK_ALL}, {TSK_ALL}}}, 0);
 *     while (tsk_loop_next(&l)) {
 *       struct tsk_axis x = tsk_loop_axis(&l, 0, 0, 1, N - 1, 1), y = tsk_loop_axis(&l, 1, 0, 1, N - 1, 1);
 *       for (long r = 0; r < x.runs; r++) { struct tsk_run s = tsk_axis_run(&x, r);
 *         for (int j = s.first; j < s.last; j += s.step) ..
 * A dimension with a loop index is TSK_ALL in the reference; with TSK_ONE, only the owner of that index takes part.
 * tsk_loop_next moves to the next box (margin and peel have several) and returns 0 at the end of the loop; the first
 * call moves to the first box. Ranks outside of the reference get no box. */
struct tsk_loop {
  void* of;
  int box;
  long more[6];
};
void tsk_loop_begin(const char* where, struct tsk_loop* l, const struct tsk_ref* on,
                    const struct tsk_border* border);
int tsk_loop_next(struct tsk_loop* l);
/* Iterations i of for (i = first; i < bound (i > bound if step < 0); i += step) whose i + offset this rank owns along
 * dimension dim of the reference. May be called several times per box (for the inner loop of a triangle). */
struct tsk_axis tsk_loop_axis(struct tsk_loop* l, int dim, long offset, long first, long bound, long step);
struct tsk_run tsk_axis_run(const struct tsk_axis* x, long run);

/* The number of iterations of for (k = first; step > 0 ? k < bound : k > bound; k += step). */
static inline long tsk_turns(long first, long bound, long step) {
  long way = step > 0 ? bound - first + step - 1 : first - bound - step - 1;
  long by = step > 0 ? step : -step;
  return by && way > 0 ? way / by : 0;
}
/* Those of a run; pieces of cyclic(w) have a step of 1 or -1 as a rule, and no division is made for them. */
static inline long tsk_run_turns(struct tsk_run run) {
  if (run.step == 1) return run.last - run.first;
  return run.step == -1 ? run.first - run.last : tsk_turns(run.first, run.last, run.step);
}

/* A loop over an axis's runs: for (struct tsk_walk w = tsk_walk(tsk_loop_axis(..)); w.turn < w.axis.runs; tsk_walk_on(&w)) .. w.run */
struct tsk_walk {
  struct tsk_axis axis;
  struct tsk_run run;
  long turn;
};
static inline struct tsk_walk tsk_walk(struct tsk_axis axis) {
  struct tsk_walk w = {axis, axis.run, 0};
  return w;
}
/* The run of an axis with at most one; without one, an empty run. */
static inline struct tsk_run tsk_run_of(const struct tsk_axis* x) {
  struct tsk_run none = {0, 0, 1};
  return x->runs ? x->run : none;
}
static inline void tsk_walk_on(struct tsk_walk* w) {
  if (++w->turn >= w->axis.runs) return;
  if (w->axis.apart && w->turn > 1 && w->turn < w->axis.runs - 1) /* from one whole piece to the next */
    w->run.first += w->axis.apart, w->run.last += w->axis.apart;
  else
    w->run = tsk_axis_run(&w->axis, w->turn);
}

/* ---- Time loops as a whole --------------------------------------------------------------------------------------- */

/* for (int k = 0; k < n; k++) { nests; reflects }  becomes
 *     for (int k = 0 + (int)tsk_lift(where, &tsk_h3, (struct tsk_array*[]){..}, (long[]){..}, given, n) * 1; k < n; k++) { the same }
 * The run time does the first steps by one of Tasuki's executors (--executor), and returns how many: all but the last
 * step, which the loop does itself so that variables, sums and shadows are as after the original loop; or 0 if it does
 * none. Collective over all ranks. */

/* Some cells of a nest: lo[a] <= index < hi[a], outermost index first. `array`: the arrays of the nest with the present
 * `at` and step. `given`: addresses from the call. `reduced`: the reductions, which the cells are combined with. */
struct tsk_cells {
  const long *lo, *hi;
  const struct tsk_array* array;
  void* const* given;
  void* const* reduced;
};
struct tsk_access {
  int array;        /* index in the loop's list of arrays */
  int how;          /* TSK_READS, TSK_WRITES, or both: a cell may keep its value */
  int order;        /* offsets are along at most this many dimensions at once; 0: the cell itself */
  int lo[7], hi[7]; /* of a read: the largest offsets, along each index of the nest */
  int around[7];    /* 1: along that index a read beyond one end of the array goes round to the other */
};
/* TSK_MAX or TSK_MIN over all cells, from an initial value in each step. Both are indices in `given`. */
struct tsk_reduced {
  int variable, start, op, type;
};
struct tsk_launch;
struct tsk_nest {
  const char* where;
  void (*cells)(
      const struct tsk_cells* some); /* 0: a copy of access[1] into access[0], which may be a swap */
  /* The same of a GPU, enqueued: the arrays are of its memory, and nothing is reduced. 0: there is none. Returns what
   * the launch of a kernel does. */
  const char* (*gpu)(const struct tsk_cells* some, const struct tsk_launch* launch);
  int accesses;
  const struct tsk_access* access;
  int reductions;
  const struct tsk_reduced* reduced;
};
/* An array that each step reflects. width: by dimension of the array; 0: the whole shadow, and nothing is periodic */
struct tsk_reflected {
  int array;
  const struct tsk_width* width;
};
struct tsk_lifted {
  int dims;    /* indices of each nest */
  int on_gpus; /* 1: each nest has a kernel, and nothing in a step is about the host's memory */
  int arrays;
  const int* type; /* of each array's elements */
  int nests;
  const struct tsk_nest* nest; /* in the order of a step */
  /* For a loop that ends by a condition: whether there is another step. Reads reductions from their variables. The run
   * time then also does the last step, and updates the shadows of the arrays in `reflect`. */
  int (*goes_on)(void* const* given);
  int stretches; /* 1: the loop has other steps in between, and calls tsk_lift again after each */
  int reflects;
  const struct tsk_reflected* reflect;
};
/* bounds: of each nest, first and bound by index, outermost first. given: variables that no step changes, and those of
 * reductions with initial values. steps: at most. over: set to 1 if the condition has ended the loop (the last step is
 * then not counted, so the loop's variable is as after a break), or if no further stretch can be lifted. May be 0. */
long tsk_lift(const char* where, const struct tsk_lifted* lift, struct tsk_array* const* array,
              const long* bounds, void* const* given, long steps, int* over);

/* ---- Types and operations --------------------------------------------------------------------------------------------- */

enum {
  TSK_CHAR,
  TSK_SCHAR,
  TSK_UCHAR,
  TSK_SHORT,
  TSK_USHORT,
  TSK_INT,
  TSK_UINT,
  TSK_LONG,
  TSK_ULONG,
  TSK_LLONG,
  TSK_ULLONG,
  TSK_BOOL,
  TSK_FLOAT,
  TSK_DOUBLE,
  TSK_LDOUBLE,
  TSK_FLOAT_COMPLEX,
  TSK_DOUBLE_COMPLEX,
  TSK_BYTES /* not a number: a struct */
};
enum {
  TSK_SUM,
  TSK_DIFFERENCE /* the parts are added */,
  TSK_PRODUCT,
  TSK_BIT_AND,
  TSK_BIT_OR,
  TSK_BIT_XOR,
  TSK_AND,
  TSK_OR,
  TSK_MAX,
  TSK_MIN,
  TSK_FIRSTMAX,
  TSK_FIRSTMIN,
  TSK_LASTMAX,
  TSK_LASTMIN
};

enum { TSK_NOW = -1 }; /* not async */

/* Which copy a directive is about: the host's, the device's, or both. A number has one value where the device has no copy of
 * it; anything else must then be present. */
enum { TSK_HOST = 1, TSK_DEVICE = 2, TSK_NUMBER = 4 };

/* Reduces value[i] over all nodes of the set, with the same result on all. Combined in the order of the nodes, so the
 * bits are the same on every node and in every run. on: the ref of the loop (indices TSK_ALL), or of the directive.
 * One with an id of `async` may be complete on return. */
void tsk_reduce(const char* where, const struct tsk_ref* on, int op, int type, void* value, long count,
                int sides, long async);
/* The sum of a loop with --deterministic: exact until tsk_reduce_exact rounds it, so that its bits depend neither on the
 * number of ranks nor on an order. tsk_exact_add takes up what an iteration has added. */
struct tsk_exact {
  long long digit[72]; /* ExactSum in tasuki/device/exact_sum.hpp */
  long taken;          /* since carries were propagated */
};
void tsk_exact_add(struct tsk_exact* sum, double part);
double tsk_reduce_exact(const char* where, const struct tsk_ref* on, struct tsk_exact* sum);
/* As tsk_reduce, for one value with locations: those of the winner. place: `depth` numbers that order the iterations as the
 * loop does (negated if it counts down), for the iteration of this rank's value; found 0: this rank has no value.
 * Among equal values, firstmax takes the least place and lastmax the greatest. */
struct tsk_location {
  void* value;
  int type;
};
void tsk_reduce_location(const char* where, const struct tsk_ref* on, int op, int type, void* value,
                         int locations, const struct tsk_location* location, int found, int depth,
                         const long* place, int sides, long async);

/* ---- Exchanges ---------------------------------------------------------------------------------------------------------- */

struct tsk_width {
  long lo, hi; /* < 0: as wide as the shadow */
  int periodic;
};
/* Several arrays, with one message per neighbour. width: by dimension of the arrays, or 0; corners if not orthogonal */
void tsk_reflect(const char* where, int arrays, struct tsk_array* const* array, const struct tsk_width* width,
                 int orthogonal, int sides, long async);
/* reflect_init prepares reflect_do of the same arrays. */
void tsk_reflect_init(const char* where, int arrays, struct tsk_array* const* array,
                      const struct tsk_width* width, int orthogonal, int sides);
void tsk_reflect_do(const char* where, int arrays, struct tsk_array* const* array, int sides);
/* Adds shadows to the elements of their owners. type: of the elements of each array. */
void tsk_reduce_shadow(const char* where, int arrays, struct tsk_array* const* array, const int* type,
                       const struct tsk_width* width, int orthogonal, int sides, long async);
void tsk_wait_async(const char* where, int ids, const long* id, const struct tsk_ref* on);

void tsk_barrier(const char* where, const struct tsk_ref* on);
void tsk_bcast(const char* where, void* value, long bytes, const struct tsk_ref* from,
               const struct tsk_ref* on, int sides, long async);

/* A task: { struct tsk_task k __attribute__((cleanup(tsk_task_end))) = tsk_task_begin(where, &ref, 0); if (k.mine) ..block.. }
 * On the ranks of the task, these ranks are the executing set until its end. */
struct tsk_task {
  int mine;
  long begun; /* for --check: its time */
};
struct tsk_task tsk_task_begin(const char* where, const struct tsk_ref* on, int nocomm);
void tsk_task_end(struct tsk_task* task);

/* ---- Sections: gmove, coarrays -------------------------------------------------------------------------------------- */

/* first, first + step, ..: count of them. count 1 and index 1: a single subscript; its dimension does not count when
 * the shapes of two sections are compared. */
struct tsk_slice {
  long first, count, step;
  int index;
};
/* A section of a distributed array (array), a coarray (coarray) or own memory (at, extents). dims 0: a scalar. */
struct tsk_section {
  struct tsk_array* array;
  struct tsk_coarray* coarray;
  void* at;
  long size; /* of an element */
  int type;
  int dims;
  long extents[7];
  struct tsk_slice slice[7];
};
enum { TSK_GMOVE, TSK_GMOVE_IN, TSK_GMOVE_OUT };
void tsk_bcast_section(const char* where, const struct tsk_section* section, const struct tsk_ref* from,
                       const struct tsk_ref* on, int sides, long async);
void tsk_gmove(const char* where, int mode, const struct tsk_section* to, const struct tsk_section* from,
               int sides, long async);

struct tsk_coarray {
  void* of;
  char* at; /* of this image */
  long bytes;
};
/* on: the nodes whose numbers, from 0, are the images; 0: the executing set. coextents: the last is "*" (TSK_REST). */
void tsk_coarray_make(const char* where, struct tsk_coarray* c, const char* name, long bytes, int codims,
                      const long* coextents, const struct tsk_nodes* on);
/* Sets its initial value on every image before any image continues; for a static local only once. */
void tsk_coarray_set(const char* where, struct tsk_coarray* c, const void* value);
void tsk_coarray_end(struct tsk_coarray* c);
/* `image`: in the next statement, images have the numbers of these nodes. Called with 0 at its end. */
void tsk_image(const char* where, const struct tsk_nodes* nodes);
/* coindices: those of the program, one per codimension. Complete on return; the owner takes no part. */
void tsk_get(const char* where, const struct tsk_section* to, const struct tsk_section* from,
             const long* coindices);
void tsk_put(const char* where, const struct tsk_section* to, const long* coindices,
             const struct tsk_section* from);
void tsk_post(const char* where, const struct tsk_ref* to, long tag);
void tsk_wait(const char* where, const struct tsk_ref* from /* 0: of any */, int tagged, long tag);
void tsk_lock(const char* where, const struct tsk_section* lock, const long* coindices);
void tsk_unlock(const char* where, const struct tsk_section* lock, const long* coindices);

/* ---- Files ------------------------------------------------------------------------------------------------------------ */

/* Writes arrays of equal extents as a "snapshot" or "checkpoint" in Tasuki's file format; type: of their elements.
 * "plot" is a snapshot that `tasuki run` draws at its end. Collective over all ranks. */
void tsk_save(const char* where, const char* kind, const char* path, int arrays,
              struct tsk_array* const* array, const int* type, long step);
/* Reads such a file; returns the step at which it was written. Does not update shadows. */
long tsk_restore(const char* where, const char* path, int arrays, struct tsk_array* const* array,
                 const int* type);

/* ---- OpenACC ---------------------------------------------------------------------------------------------------------- */

enum {
  TSK_ACC_COPY,
  TSK_ACC_COPYIN,
  TSK_ACC_COPYOUT,
  TSK_ACC_CREATE,
  TSK_ACC_PRESENT,
  TSK_ACC_DEVICEPTR,
  TSK_ACC_DELETE,
  TSK_ACC_USED /* by a region, and named by none of its clauses: what is there, which may be a part, else as copy */
};
/* A name of a data clause: a distributed array (all of this rank's memory), or bytes of host memory. */
struct tsk_part {
  int action;
  const char* name;
  struct tsk_array* array;
  void* at;
  long bytes;
};
enum { TSK_ACC_NOW = -1 /* no async: complete on return */, TSK_ACC_ANY = -2 /* async without a number */ };
/* Structured regions and enter data / exit data. References count as in OpenACC 2.7, 2.6.7, also of parts of data. */
void tsk_acc_enter(const char* where, int parts, const struct tsk_part* part, long queue);
void tsk_acc_exit(const char* where, int parts, const struct tsk_part* part, long queue);
/* The same of exit data with `finalize`: whoever else has entered the parts, they leave the device. */
void tsk_acc_finalize(const char* where, int parts, const struct tsk_part* part, long queue);
void tsk_acc_update(const char* where, int to_device, int parts, const struct tsk_part* part, int if_present,
                    long queue);
void tsk_acc_wait(const char* where, int queues, const long* queue); /* 0: all */
/* A declare in a function lasts until its block is left: tsk_acc_undeclare is the cleanup of a variable there. */
struct tsk_declared {
  const char* where;
  int parts;
  const struct tsk_part* part;
};
void tsk_acc_undeclare(struct tsk_declared* declared);
/* The address of the device's copy: of host memory (the same if the device shares it), or of a distributed array
 * (offset like `at`). If it is not present, an error with the name. */
void* tsk_acc_address(const char* where, const char* name, void* host);
void* tsk_acc_at(const char* where, const struct tsk_array* a);
/* The address that stands for the beginning of host memory of which at least a part is present. */
void* tsk_acc_base(const char* where, const char* name, void* host, long bytes);
/* The same of a member of a struct, or of the struct itself. A pointer that is not present is an error; other memory is the
 * host's then, unless device memory is a GPU's. */
void* tsk_acc_member(const char* where, const char* name, void* host, int is_pointer);
/* The same, or the host's address if nothing is present (the front end copies arrays without a data clause). */
int tsk_acc_present(const void* host, long bytes);

/* A loop with a kernel (kernels.cuh) becomes
 *     if (tsk_acc_gpu()) {
 *       struct tsk_launch l = tsk_acc_launch(where, queue, bytes);
 *       tsk_acc_launched(&l, tsk_kernel_a_3(&l, (struct tsk_run[]){..}, ..));
 *     } else for (..)
 * `scratch` is device memory of `bytes` bytes, for what its blocks have summed. A launch returns the error text of
 * CUDA, or 0. */
struct tsk_launch {
  const char* where;
  long queue;
  void* stream; /* the cudaStream_t of the queue */
  void* scratch;
};
/* The most blocks of a launch with sums, each of which returns one value of each: so many that a GPU's processors are done at
 * about the same time. Of whole arrays fewer. */
enum { TSK_BLOCKS = 16384, TSK_BLOCKS_OF_ARRAYS = 1024 };
int tsk_acc_gpu(void); /* whether device memory is memory of a GPU */
struct tsk_launch tsk_acc_launch(const char* where, long queue, long bytes);
void tsk_acc_launched(const struct tsk_launch* launch, const char* wrong);
/* A region that names a number which has a copy on the device: its value comes before, and goes back behind what earlier
 * work of the queue does. 0: it has none, and the host's is meant. */
int tsk_acc_take(const char* where, const char* name, void* number, long bytes, long queue);
void tsk_acc_give(const char* where, const char* name, void* number, long bytes, long queue);
/* A kernel adds to a variable in a cell of device memory, where its value stays for later kernels. tsk_acc_settle brings
 * the values of all such variables back, by one copy and one wait: before the host reads one, and at the end of the data
 * region. `held`: the cell has a value that the host has not yet. */
struct tsk_cell {
  void* at;
  int held;
};
struct tsk_cell tsk_acc_cell(const struct tsk_launch* launch, void* value, long bytes);
void tsk_acc_settle(void);

/* ---- Start and finish --------------------------------------------------------------------------------------------------- */

/* The loops of a unit's compute regions: on the host, or kernels. By default device memory is on a GPU if all regions
 * of the program are kernels, since a loop on the host cannot access it. */
enum { TSK_LOOPS = 1, TSK_KERNELS = 2 };

/* Each translation unit registers, from a constructor, the function that creates its nodes, templates and arrays, in
 * this order; `end` is called in reverse. `program` distinguishes several programs in one process (usually ""). */
struct tsk_unit {
  const char* program;
  void (*make)(void);
  void (*end)(void);
  struct tsk_unit* next;
  int regions; /* TSK_LOOPS if one is a loop on the host, else TSK_KERNELS, or 0 without regions */
};
void tsk_unit_add(struct tsk_unit* unit);
/* main of a translated program: starts the run time (MPI_Init if necessary), creates the units, calls the program's
 * own main, and ends. May be called several times per process. Options: in the environment (TASUKI_DEVICE ..). */
int tsk_main(const char* program, int argc, char** argv, int (*own)(int, char**, char**));

#ifdef __cplusplus
}
#endif
#endif
