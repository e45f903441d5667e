/* The run time of one rank, without MPI: what a translated program does by itself is tried with it.
 *
 * Everything is this rank's, a reduction of one part is that part, and an exchange has only periodic edges to fill. Cyclic
 * dimensions lie like blocks of one rank: linear. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "translated.h"

struct template_of {
  int dims;
  struct tsk_extent extents[7];
  int fixed;
};
struct array_of {
  int dims;
  long lo[7], hi[7], extents[7];
  int own_memory;
};
static struct tsk_unit* first_unit;

void tsk_nodes_make(const char* where, struct tsk_nodes* n, const char* name, int dims, const long* extents,
                    const struct tsk_ref* of) {
  (void)where, (void)name, (void)of;
  long product = 1;
  for (int d = 0; d < dims; d++) product *= extents[d] == TSK_REST ? 1 : extents[d];
  n->of = malloc(sizeof(long));
  *(long*)n->of = product;
}
void tsk_nodes_end(struct tsk_nodes* n) { free(n->of); }

void tsk_template_make(const char* where, struct tsk_template* t, const char* name, int dims,
                       const struct tsk_extent* extents) {
  (void)where, (void)name;
  struct template_of* of = calloc(1, sizeof *of);
  of->dims = dims;
  memcpy(of->extents, extents, dims * sizeof *extents);
  t->of = of;
}
void tsk_distribute(const char* where, struct tsk_template* t, const struct tsk_nodes* onto,
                    const struct tsk_format* f) {
  (void)where, (void)t, (void)onto, (void)f;
}
void tsk_template_fix(const char* where, struct tsk_template* t, const struct tsk_format* f,
                      const struct tsk_extent* extents) {
  (void)where, (void)f;
  struct template_of* of = t->of;
  if (extents) memcpy(of->extents, extents, of->dims * sizeof *extents);
}
void tsk_template_end(struct tsk_template* t) { free(t->of); }

void tsk_array_make(const char* where, struct tsk_array* a, const char* name, long size, int dims,
                    const long* extents, const struct tsk_template* with, const struct tsk_align* align,
                    const struct tsk_shadow* shadow, void* memory) {
  (void)where, (void)name;
  if (a->of) return;
  struct array_of* of = calloc(1, sizeof *of);
  const struct template_of* t = with->of;
  a->of = of;
  a->dims = of->dims = dims;
  a->size = size;
  long cells = 1, moved = 0;
  for (int d = dims - 1; d >= 0; d--) {
    of->extents[d] = extents[d] < 0 ? t->extents[align[d].dim].count : extents[d];
    of->lo[d] = shadow && !shadow[d].full ? shadow[d].lo : 0;
    of->hi[d] = shadow && !shadow[d].full ? shadow[d].hi : 0;
    a->held[d] = of->extents[d] + of->lo[d] + of->hi[d];
    a->own[d] = 0;
    a->end[d] = of->extents[d];
    a->linear[d] = 1;
    a->step[d] = cells;
    moved += of->lo[d] * cells;
    cells *= a->held[d];
  }
  a->bytes = cells * size;
  of->own_memory = memory == NULL;
  a->start = memory ? memory : calloc(cells, size);
  a->at = a->start + moved * size;
}
void tsk_array_end(struct tsk_array* a) {
  if (a->of && ((struct array_of*)a->of)->own_memory) free(a->start);
  free(a->of);
  a->of = NULL;
}

void tsk_loop_begin(const char* where, struct tsk_loop* l, const struct tsk_ref* on,
                    const struct tsk_border* border) {
  (void)where, (void)on, (void)border;
  memset(l, 0, sizeof *l);
}
int tsk_loop_next(struct tsk_loop* l) { return l->box++ == 0; }
struct tsk_axis tsk_loop_axis(struct tsk_loop* l, int dim, long offset, long first, long bound, long step) {
  (void)l, (void)dim, (void)offset;
  struct tsk_axis x = {0};
  x.runs = step > 0 ? first < bound : first > bound;
  x.run = (struct tsk_run){first, bound, step};
  return x;
}
struct tsk_run tsk_axis_run(const struct tsk_axis* x, long run) {
  (void)run;
  return x->run;
}

void tsk_reduce(const char* where, const struct tsk_ref* on, int op, int type, void* value, long count,
                int sides, long async) {
  (void)where, (void)on, (void)op, (void)type, (void)value, (void)count, (void)sides, (void)async;
}
void tsk_reduce_location(const char* where, const struct tsk_ref* on, int op, int type, void* value,
                         int locations, const struct tsk_location* location, int found, int depth,
                         const long* place, int sides, long async) {
  (void)where, (void)on, (void)op, (void)type, (void)value, (void)locations, (void)location, (void)found;
  (void)depth, (void)place, (void)sides, (void)async;
}

/* Fills the shadow of every periodic dimension, one after the other, corners by that too. */
long tsk_lift(const char* where, const struct tsk_lifted* lift, struct tsk_array* const* array,
              const long* bounds, void* const* given, long steps, int* over) {
  (void)where, (void)lift, (void)array, (void)bounds, (void)given, (void)steps, (void)over;
  return 0;
}

void tsk_reflect(const char* where, int arrays, struct tsk_array* const* array, const struct tsk_width* width,
                 int orthogonal, int sides, long async) {
  (void)where, (void)orthogonal, (void)sides, (void)async;
  for (int n = 0; n < arrays && width; n++) {
    struct tsk_array* a = array[n];
    const struct array_of* of = a->of;
    for (int d = 0; d < of->dims; d++) {
      if (!width[d].periodic) continue;
      long outer = 1, inner = a->step[d] * a->size;
      for (int e = 0; e < d; e++) outer *= a->held[e];
      for (long o = 0; o < outer; o++) {
        char* row = a->start + o * a->held[d] * inner;
        for (long k = 1; k <= width[d].lo; k++)
          memcpy(row + (of->lo[d] - k) * inner, row + (of->lo[d] + of->extents[d] - k) * inner, inner);
        for (long k = 0; k < width[d].hi; k++)
          memcpy(row + (of->lo[d] + of->extents[d] + k) * inner, row + (of->lo[d] + k) * inner, inner);
      }
    }
  }
}
void tsk_reflect_init(const char* where, int arrays, struct tsk_array* const* array,
                      const struct tsk_width* width, int orthogonal, int sides) {
  (void)where, (void)arrays, (void)array, (void)width, (void)orthogonal, (void)sides;
}
void tsk_reflect_do(const char* where, int arrays, struct tsk_array* const* array, int sides) {
  (void)where, (void)arrays, (void)array, (void)sides;
}
void tsk_wait_async(const char* where, int ids, const long* id, const struct tsk_ref* on) {
  (void)where, (void)ids, (void)id, (void)on;
}
void tsk_barrier(const char* where, const struct tsk_ref* on) { (void)where, (void)on; }
void tsk_bcast(const char* where, void* value, long bytes, const struct tsk_ref* from,
               const struct tsk_ref* on, int sides, long async) {
  (void)where, (void)value, (void)bytes, (void)from, (void)on, (void)sides, (void)async;
}
struct tsk_task tsk_task_begin(const char* where, const struct tsk_ref* on, int nocomm) {
  (void)where, (void)nocomm;
  struct tsk_task task = {1, 0};
  for (int d = 0; on->nodes && d < on->dims; d++)
    task.mine &= on->sub[d].kind != TSK_ONE || on->sub[d].first == 0;
  return task;
}
void tsk_task_end(struct tsk_task* task) { (void)task; }

void tsk_acc_enter(const char* where, int parts, const struct tsk_part* part, long queue) {
  (void)where, (void)parts, (void)part, (void)queue;
}
void tsk_acc_exit(const char* where, int parts, const struct tsk_part* part, long queue) {
  (void)where, (void)parts, (void)part, (void)queue;
}
void tsk_acc_update(const char* where, int to_device, int parts, const struct tsk_part* part, int if_present,
                    long queue) {
  (void)where, (void)to_device, (void)parts, (void)part, (void)if_present, (void)queue;
}
void tsk_acc_wait(const char* where, int queues, const long* queue) {
  (void)where, (void)queues, (void)queue;
}
void* tsk_acc_address(const char* where, const char* name, void* host) {
  (void)where, (void)name;
  return host;
}
void* tsk_acc_at(const char* where, const struct tsk_array* a) {
  (void)where;
  return a->at;
}
void* tsk_acc_member(const char* where, const char* name, void* host, int is_pointer) {
  (void)where, (void)name, (void)is_pointer;
  return host;
}
void* tsk_acc_base(const char* where, const char* name, void* host, long bytes) {
  (void)where, (void)name, (void)bytes;
  return host;
}
void tsk_acc_undeclare(struct tsk_declared* declared) { (void)declared; }
int tsk_acc_take(const char* where, const char* name, void* number, long bytes, long queue) {
  (void)where, (void)name, (void)number, (void)bytes, (void)queue;
  return 0;
}
void tsk_acc_give(const char* where, const char* name, void* number, long bytes, long queue) {
  (void)where, (void)name, (void)number, (void)bytes, (void)queue;
}
int tsk_acc_present(const void* host, long bytes) {
  (void)host, (void)bytes;
  return 1;
}

void tsk_unit_add(struct tsk_unit* unit) {
  unit->next = first_unit;
  first_unit = unit;
}
int tsk_main(const char* program, int argc, char** argv, int (*own)(int, char**, char**)) {
  (void)program;
  for (struct tsk_unit* u = first_unit; u; u = u->next) u->make();
  int status = own(argc, argv, NULL);
  for (struct tsk_unit* u = first_unit; u; u = u->next) u->end();
  return status;
}
