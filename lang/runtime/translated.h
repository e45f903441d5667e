/* What translated text calls: the face between `tasuki cc` and the run time (libtasuki_xmp).
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
 * and `u[j][i]` becomes `((double *)tsk_a_u.at)[j * tsk_a_u.step[0] + i * tsk_a_u.step[1]]`, or what is hoisted of it.
 *
 * Order and base. Dimension 0 is the slowest, as in C; lists in parentheses are turned round by the front end. Nodes count
 * from 0. Templates keep the coordinates that the program wrote: a template (1:n) begins at 1. Every list is as long as
 * the thing has dimensions, 7 at most.
 *
 * `where` is "file:line:col" of the directive and lives as long as the program. An error is one line on stderr that begins
 * with it, "file:line:col: error: what; mend", and ends all ranks with status 1. No function returns an error.
 *
 * All structs may lie in memory filled with zeros until their `make` is called, and `end` of such a one does nothing. `end`
 * stands in __attribute__((cleanup)): things of a scope end in reverse order of their making, by return and goto too.
 * All ranks of the executing set make and end the same things in the same order.
 *
 * This header is C99 and is read in front of every translated program: it includes nothing. */
#ifndef TASUKI_TRANSLATED_H
#define TASUKI_TRANSLATED_H

#ifdef __cplusplus
extern "C" {
#endif

enum { TSK_DIMS = 7 };

/* ---- Nodes, templates, distributions -------------------------------------------------------------------------------- */

struct tsk_nodes {
  void* of; /* the run time's own; xmp_desc_of(p) */
};
struct tsk_template {
  void* of;
};

/* One dimension of a reference p[..], t[..]. */
enum {
  TSK_ONE,   /* first */
  TSK_RANGE, /* first, first + step, ..: count of them */
  TSK_ALL,   /* ":" */
  TSK_OWN    /* "*": of nodes this rank's own coordinate; of a template, in a loop, no matter which */
};
struct tsk_sub {
  int kind;
  long first, count, step;
};

/* What stands behind "on", "from", "=". One of nodes and on_template is set; none: the executing set. dims 0: all of it. */
struct tsk_ref {
  const struct tsk_nodes* nodes;
  const struct tsk_template* on_template;
  int dims;
  struct tsk_sub sub[7];
};

/* An extent "*" of nodes: XMP_NODE_SIZE0, 1, .. of the environment, the last one what is left. */
enum { TSK_REST = -1 };

/* Nodes over the executing set (of == 0: of all ranks; a ref without nodes and template is "= *": the executing set), or over a part of other nodes. */
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
  const int* sizes; /* gblock: as many as the nodes have along it; 0: gblock(*) until template_fix. Copied. */
};
void tsk_template_make(const char* where, struct tsk_template* t, const char* name, int dims,
                       const struct tsk_extent* extents);
void tsk_distribute(const char* where, struct tsk_template* t, const struct tsk_nodes* onto,
                    const struct tsk_format* formats);
/* Either list may be 0: what the template has already. Arrays aligned with it get their memory now. */
void tsk_template_fix(const char* where, struct tsk_template* t, const struct tsk_format* formats,
                      const struct tsk_extent* extents);
void tsk_template_end(struct tsk_template* t);

/* ---- Arrays --------------------------------------------------------------------------------------------------------- */

/* A global subscript g of dimension d counts as l = g where linear[d] is 1 (block, gblock, not distributed, full shadow),
 * else as tsk_local(a, d, g), and the element lies at
 *     at + size * (l0 * step[0] + l1 * step[1] + ..)
 * so `at` is moved, and may point outside of the memory. step of the last dimension is 1. Shadow cells are reached by the
 * same formula, periodic ones by subscripts below 0 and past the end. On a rank that holds nothing `start` shows
 * a byte of nobody's, and bytes is 0. */
struct tsk_array {
  void* of;
  char* at;
  char* start;    /* first byte of this rank's memory, shadow included: what a callee or MPI is given */
  long step[7];   /* in elements */
  long own[7];    /* first own global index; for cyclic the least one */
  long end[7];    /* past the last own one; own == end: nothing */
  long held[7];   /* cells of the memory along d, shadow included */
  long width[7];  /* where linear[d] == 0: of a piece .. */
  long cycle[7];  /*   .. from piece to piece of this rank, width * nodes .. */
  long origin[7]; /*   .. and subscript at which the template begins */
  int linear[7];
  int dims;
  long size;  /* of an element, bytes */
  long bytes; /* of the memory */
};

/* Own subscript g as a place in this rank's memory, for cyclic(w). g must be this rank's own: the front end asserts nothing. */
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

/* xmp_desc_of(a), which also says what its elements are. */
void* tsk_described(const struct tsk_array* a, int type);

/* An array over this rank's part. Template dimensions that no align names hold copies. extents: 0 for a pointer whose memory
 * comes by xmp_malloc; an extent below 0 (parameters alone): as long as the template's dimension that it is aligned with; memory: 0 for memory of its own, filled with zeros, else the start of a parameter's (its callers' array,
 * which must lie there in the same way: an array of other held[] or size is an error). Where the template is not fixed
 * yet it gets its memory in template_fix. Arrays may be made twice: the second make of a static local does nothing. */
void tsk_array_make(const char* where, struct tsk_array* a, const char* name, long size, int dims,
                    const long* extents, const struct tsk_template* with, const struct tsk_align* align,
                    const struct tsk_shadow* shadow, void* memory);
void tsk_array_end(struct tsk_array* a);

/* Under --check: u[j][i] becomes ((T *)tsk_a_u.at)[tsk_check(where, &tsk_a_u, TSK_READS, 2, (long[]){j, i})]. The place from `at`,
 * in elements; an error where this rank holds no such element. Fewer subscripts than dimensions, or an address that is taken:
 * TSK_NAMES. The unit's function calls tsk_check_begin before it makes anything. */
enum { TSK_NAMES = 0, TSK_READS = 1, TSK_WRITES = 2 };
void tsk_check_begin(void);
long tsk_check(const char* where, const struct tsk_array* a, int how, int dims, const long* index);

/* ---- Loops ---------------------------------------------------------------------------------------------------------- */

/* for (i = first; step > 0 ? i < last : i > last; i += step). Within a run of an axis cyclic(w) the place in memory goes along
 * with i where |step| == 1; of cyclic(1) there is one run whose step is the nodes' count times the program's: the place moves by one a turn. */
struct tsk_run {
  long first, last, step;
};
struct tsk_axis {
  long runs;          /* of this rank, in the order of the program's loop; 0: nothing to do */
  struct tsk_run run; /* the first */
  void* of;           /* the run time's own, which stays valid until the next tsk_loop_next */
  long more[4];
};

/* expand, margin, peel_and_wait: by index of the loop; lo and hi may be negative. */
enum { TSK_PLAIN, TSK_EXPAND, TSK_MARGIN, TSK_PEEL };
struct tsk_border {
  int kind;
  long lo[7], hi[7]; /* by dimension of the reference */
  int unbound[7];
  long async; /* of peel_and_wait: waited for between the inner part and the rim */
};

/* The part of a loop that this rank does:
 *     struct tsk_loop l;
 *     tsk_loop_begin(where, &l, &(struct tsk_ref){0, &tsk_t_t, 2, {{TSK_ALL}, {TSK_ALL}}}, 0);
 *     while (tsk_loop_next(&l)) {
 *       struct tsk_axis x = tsk_loop_axis(&l, 0, 0, 1, N - 1, 1), y = tsk_loop_axis(&l, 1, 0, 1, N - 1, 1);
 *       for (long r = 0; r < x.runs; r++) { struct tsk_run s = tsk_axis_run(&x, r);
 *         for (int j = s.first; j < s.last; j += s.step) ..
 * A dimension that an index runs along is TSK_ALL in the reference; one that is TSK_ONE takes part where its owner is this
 * rank. tsk_loop_next says whether there is another box (margin and peel have several), and ends the loop with 0; the first
 * call stands before the first box. Ranks outside of the reference get no box. */
struct tsk_loop {
  void* of;
  int box;
  long more[6];
};
void tsk_loop_begin(const char* where, struct tsk_loop* l, const struct tsk_ref* on,
                    const struct tsk_border* border);
int tsk_loop_next(struct tsk_loop* l);
/* Iterations i of for (i = first; i < bound (i > bound where step < 0); i += step) whose i + offset lies with this rank along
 * dimension dim of the reference. May be called many times in a box (a triangle's inner loop). */
struct tsk_axis tsk_loop_axis(struct tsk_loop* l, int dim, long offset, long first, long bound, long step);
struct tsk_run tsk_axis_run(const struct tsk_axis* x, long run);

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
/* The run of an axis that has one at most; without one, a run of no turn. */
static inline struct tsk_run tsk_run_of(const struct tsk_axis* x) {
  struct tsk_run none = {0, 0, 1};
  return x->runs ? x->run : none;
}
static inline void tsk_walk_on(struct tsk_walk* w) {
  if (++w->turn < w->axis.runs) w->run = tsk_axis_run(&w->axis, w->turn);
}

/* ---- Time loops understood as a whole ---------------------------------------------------------------------------------- */

/* for (int k = 0; k < n; k++) { nests; reflects }  becomes
 *     for (int k = 0 + (int)tsk_lift(where, &tsk_h3, (struct tsk_array*[]){..}, (long[]){..}, given, n) * 1; k < n; k++) { the same }
 * The run time does the first steps as a program of the core, by the executor that --executor asks for, and says how many: all
 * but the last one, which the loop does itself, so that it leaves variables, sums and shadows as it always does; or 0, where
 * it does none. Collective over all ranks. */

/* Some cells of a nest: lo[a] <= index < hi[a], its outermost index first. `array`: at and step of what the nest lists, as
 * the cells lie now. `given`: addresses of the call. `reduced`: where it goes on with its reductions. */
struct tsk_cells {
  const long *lo, *hi;
  const struct tsk_array* array;
  void* const* given;
  void* const* reduced;
};
struct tsk_access {
  int array;        /* of the loop's */
  int how;          /* TSK_READS, TSK_WRITES, or both: where a cell may keep what it has */
  int order;        /* off along so many dimensions at once, at most; 0: in the cell itself */
  int lo[7], hi[7]; /* of a read: how far, along each index of the nest */
};
/* TSK_MAX or TSK_MIN of all cells, from a value that each step begins with. Both are numbers in `given`. */
struct tsk_reduced {
  int variable, start, op, type;
};
struct tsk_nest {
  const char* where;
  void (*cells)(
      const struct tsk_cells* some); /* 0: a copy of access[1] into access[0], which may be a swap */
  int accesses;
  const struct tsk_access* access;
  int reductions;
  const struct tsk_reduced* reduced;
};
struct tsk_lifted {
  int dims; /* indices of each nest */
  int arrays;
  const int* type; /* of each array's elements */
  int nests;
  const struct tsk_nest* nest; /* in the order of a step */
  /* Of a loop that ends by a condition: whether there is another step. It finds reductions in their variables. The last
   * step then is one of the core's; arrays of `reflect` get shadows as their owners' elements are. */
  int (*goes_on)(void* const* given);
  int stretches; /* 1: the loop has steps of its own on the way, and asks again behind each */
  int reflects;
  const int* reflect;
};
/* Turns of for (k = first; step > 0 ? k < bound : k > bound; k += step). */
static inline long tsk_turns(long first, long bound, long step) {
  long way = step > 0 ? bound - first + step - 1 : first - bound - step - 1;
  long by = step > 0 ? step : -step;
  return by && way > 0 ? way / by : 0;
}
/* bounds: of each nest, first and bound by index, outermost first. given: variables that no step changes, and those of reductions with
 * what they begin with. steps: of the loop, at most. over: set to 1 where the condition has ended the loop; the last step then is not
 * counted, so that the loop's variable is as at a break; of a loop of several stretches, where no other would be lifted. May be 0. */
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
  TSK_BYTES /* no number: a struct */
};
enum {
  TSK_SUM,
  TSK_DIFFERENCE /* parts are added */,
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

enum { TSK_NOW = -1 }; /* no async */

/* value[i] of all nodes of the set become one, the same on all of them; in the order of the nodes, so that it has the same bits
 * on every one of them, and on every run. on: the ref of the loop (indices TSK_ALL), or of the directive. */
void tsk_reduce(const char* where, const struct tsk_ref* on, int op, int type, void* value, long count,
                long async);
/* As above for one value with locations: those of the winner. place: depth numbers that order iterations as the program's loop does
 * (negated where a loop counts down), of the iteration at which this rank found its value; found 0: this rank has none.
 * firstmax takes the least place among equals, lastmax the greatest. */
struct tsk_location {
  void* value;
  int type;
};
void tsk_reduce_location(const char* where, const struct tsk_ref* on, int op, int type, void* value,
                         int locations, const struct tsk_location* location, int found, int depth,
                         const long* place);

/* ---- Exchanges ---------------------------------------------------------------------------------------------------------- */

enum { TSK_HOST = 1, TSK_DEVICE = 2 }; /* which copy; both may be given */
struct tsk_width {
  long lo, hi; /* < 0: as wide as the shadow */
  int periodic;
};
/* Several arrays in one message a neighbour. width: by dimension of the arrays, or 0; corners unless orthogonal. */
void tsk_reflect(const char* where, int arrays, struct tsk_array* const* array, const struct tsk_width* width,
                 int orthogonal, int sides, long async);
/* reflect_init keeps what reflect_do of the same arrays needs. */
void tsk_reflect_init(const char* where, int arrays, struct tsk_array* const* array,
                      const struct tsk_width* width, int orthogonal, int sides);
void tsk_reflect_do(const char* where, int arrays, struct tsk_array* const* array, int sides);
/* Shadows are added up in their owners. type: of each array's elements. */
void tsk_reduce_shadow(const char* where, int arrays, struct tsk_array* const* array, const int* type,
                       const struct tsk_width* width, int orthogonal, int sides, long async);
void tsk_wait_async(const char* where, int ids, const long* id, const struct tsk_ref* on);

void tsk_barrier(const char* where, const struct tsk_ref* on);
void tsk_bcast(const char* where, void* value, long bytes, const struct tsk_ref* from,
               const struct tsk_ref* on, int sides, long async);

/* A task: { struct tsk_task k __attribute__((cleanup(tsk_task_end))) = tsk_task_begin(where, &ref, 0); if (k.mine) ..block.. }
 * On ranks that are in it the executing set is the task's until its end. */
struct tsk_task {
  int mine;
  long begun; /* for --check: when */
};
struct tsk_task tsk_task_begin(const char* where, const struct tsk_ref* on, int nocomm);
void tsk_task_end(struct tsk_task* task);

/* ---- Sections: gmove, coarrays -------------------------------------------------------------------------------------- */

/* first, first + step, ..: count of them. count 1 and index 1: a plain subscript, whose dimension does not count when two sections are
 * held against each other. */
struct tsk_slice {
  long first, count, step;
  int index;
};
/* A section of a distributed array (array set), of a coarray (coarray set) or of memory of this rank's (at, extents). dims 0: a scalar. */
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
  char* at; /* this image's */
  long bytes;
};
/* image: node numbers from 0 of the coarray's nodes (0: the executing set), extents of its dimensions with the last one "*" (TSK_REST). */
void tsk_coarray_make(const char* where, struct tsk_coarray* c, const char* name, long bytes, int codims,
                      const long* coextents, const struct tsk_nodes* on);
/* Its first value, on every image, before any of them goes on; of a static local once. */
void tsk_coarray_set(const char* where, struct tsk_coarray* c, const void* value);
void tsk_coarray_end(struct tsk_coarray* c);
/* `image`: in the statement behind it images are numbered as these nodes are. With 0 at its end. */
void tsk_image(const char* where, const struct tsk_nodes* nodes);
/* coindices as the program wrote them, codims of them. Complete on return (the owner takes no part). */
void tsk_get(const char* where, const struct tsk_section* to, const struct tsk_section* from,
             const long* coindices);
void tsk_put(const char* where, const struct tsk_section* to, const long* coindices,
             const struct tsk_section* from);
void tsk_post(const char* where, const struct tsk_ref* to, long tag);
void tsk_wait(const char* where, const struct tsk_ref* from /* 0: of any */, int tagged, long tag);
void tsk_lock(const char* where, const struct tsk_section* lock, const long* coindices);
void tsk_unlock(const char* where, const struct tsk_section* lock, const long* coindices);

/* ---- Files ------------------------------------------------------------------------------------------------------------ */

/* Arrays of equal extents as a "snapshot" or "checkpoint", the file that programs of Tasuki write; type: of their elements.
 * By all ranks. */
void tsk_save(const char* where, const char* kind, const char* path, int arrays,
              struct tsk_array* const* array, const int* type, long step);
/* The other way; the step at which the file was written. Shadows stay as they are. */
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
  TSK_ACC_DELETE
};
/* A name of a data clause: a distributed array (all of this rank's memory), or bytes of the host's. */
struct tsk_part {
  int action;
  const char* name;
  struct tsk_array* array;
  void* at;
  long bytes;
};
enum { TSK_ACC_NOW = -1 /* no async: done on return */, TSK_ACC_ANY = -2 /* async without a number */ };
/* Structured regions and enter data / exit data. Reference counts as in OpenACC 2.7, 2.6.7; parts of what is present are present. */
void tsk_acc_enter(const char* where, int parts, const struct tsk_part* part, long queue);
void tsk_acc_exit(const char* where, int parts, const struct tsk_part* part, long queue);
void tsk_acc_update(const char* where, int to_device, int parts, const struct tsk_part* part, int if_present,
                    long queue);
void tsk_acc_wait(const char* where, int queues, const long* queue); /* 0: all */
/* Address of the device's copy: of memory of the host (the same address where both are one), of a distributed array moved as
 * `at` is. Not present: an error with the name. */
void* tsk_acc_address(const char* where, const char* name, void* host);
void* tsk_acc_at(const char* where, const struct tsk_array* a);
/* The same, and the host's address where nothing is present (arrays without a data clause have an implicit copy by the front end). */
int tsk_acc_present(const void* host, long bytes);

/* Where a loop has a kernel (kernels.cuh), its text is
 *     if (tsk_acc_gpu()) {
 *       struct tsk_launch l = tsk_acc_launch(where, queue, bytes);
 *       tsk_acc_launched(&l, tsk_kernel_a_3(&l, (struct tsk_run[]){..}, ..));
 *     } else for (..)
 * `scratch` is device memory of as many bytes, which the kernel's sums come back by. A launch returns what CUDA says is
 * wrong, or 0. */
struct tsk_launch {
  const char* where;
  long queue;
  void* stream; /* the cudaStream_t of the queue */
  void* scratch;
};
enum { TSK_BLOCKS = 1024 }; /* of a launch that sums, at most: each gives a part back */
int tsk_acc_gpu(void);      /* whether device memory is a GPU's */
struct tsk_launch tsk_acc_launch(const char* where, long queue, long bytes);
void tsk_acc_launched(const struct tsk_launch* launch, const char* wrong);

/* ---- Start and finish --------------------------------------------------------------------------------------------------- */

/* The loops of a unit's compute regions: of the host, or kernels. Device memory is a GPU's by default if all regions of the program are
 * kernels, because a loop of the host cannot reach it. */
enum { TSK_LOOPS = 1, TSK_KERNELS = 2 };

/* Each translation unit adds the function that makes its nodes, templates and arrays, from a constructor; `program` tells the units of several
 * programs in one process apart ("" as a rule). They are made in the order in which they were added, and end in reverse. */
struct tsk_unit {
  const char* program;
  void (*make)(void);
  void (*end)(void);
  struct tsk_unit* next;
  int regions; /* TSK_LOOPS where one is a loop of the host, TSK_KERNELS where they are kernels, 0 where there are none */
};
void tsk_unit_add(struct tsk_unit* unit);
/* main of a translated program: starts the run time (MPI_Init where nobody has), makes the units, calls the program's own main,
 * ends. May be called several times in one process. Options come by the environment (TASUKI_DEVICE ..). */
int tsk_main(const char* program, int argc, char** argv, int (*own)(int, char**, char**));

#ifdef __cplusplus
}
#endif
#endif
