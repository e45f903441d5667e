/* The library of XcalableMP for C: inquiries about nodes, templates and arrays (specification 1.4, chapter 7).
 *
 *     #include <xmp.h>
 *     printf("node %d of %d\n", xmp_node_num(), xmp_num_nodes());      // from 1; xmpc_node_num() counts from 0
 *
 * A function that fills in a value returns 0, or -1 if there is no such value: for a missing dimension, or for a
 * template that is not fixed. Dimensions of arrays count from 1 in the order of C; those of templates and nodes count
 * from 1 with the fastest one first. `tasuki cc` provides `xmp_desc_of(name)`. */
#ifndef TASUKI_XMP_H
#define TASUKI_XMP_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void* xmp_desc_t;
enum { XMP_DESC_NODES = 1, XMP_DESC_TEMPLATE = 2, XMP_DESC_ARRAY = 3 };
enum {
  XMP_NOT_DISTRIBUTED = 2100,
  XMP_BLOCK = 2101,
  XMP_CYCLIC = 2102,
  XMP_GBLOCK = 2104
}; /* Omni's numbers */
enum { XMP_ENTIRE_NODES = 1, XMP_EXECUTING_NODES = 2, XMP_PRIMARY_NODES = 3, XMP_EQUIVALENCE_NODES = 4 };

/* Nodes, and the time. */
MPI_Comm xmp_get_mpi_comm(void); /* of the executing nodes; owned by the run time */
int xmp_node_num(void);
int xmpc_node_num(void);
int xmp_num_nodes(void);
int xmpc_num_nodes(void);
int xmp_all_node_num(void);
int xmpc_all_node_num(void);
int xmp_all_num_nodes(void);
int xmpc_all_num_nodes(void);
double xmp_wtime(void);
double xmp_wtick(void);
int xmp_test_async(int async_id); /* 1: no operation with this id is in progress */

/* Images, which have the numbers of the nodes. */
int xmp_this_image(void);
int xmpc_this_image(void);
int xmp_num_images(void);
int xmpc_num_images(void);
void xmp_sync_all(int* status);
void xmp_sync_memory(int* status);
void xmp_sync_image(int image, int* status); /* from 0 */
void xmp_sync_images(int count, int* images, int* status);
void xmp_sync_images_all(int* status);
enum { XMP_STAT_SUCCESS = 0 };

typedef struct {
  long word; /* 0: free; else the number of the holder, from 1 */
} xmp_lock_t;

/* Memory of arrays that are pointers. */
void* xmp_malloc(xmp_desc_t desc, ...);
void xmp_free(xmp_desc_t desc);

int xmp_desc_kind(xmp_desc_t desc, int* kind);

int xmp_nodes_ndims(xmp_desc_t nodes, int* ndims);
int xmp_nodes_index(xmp_desc_t nodes, int dim, int* index); /* from 1 */
int xmp_nodes_size(xmp_desc_t nodes, int dim, int* size);
/* For a part of other nodes: those, and the selected ones along each of their dimensions, the fastest first, from 1. */
int xmp_nodes_equiv(xmp_desc_t nodes, xmp_desc_t* whole, int first[], int last[], int step[]);
/* How they were declared: without "=", with "= *", or as a part of others. None are PRIMARY, which "= **" declares. */
int xmp_nodes_attr(xmp_desc_t nodes, int* attr);

int xmp_template_fixed(xmp_desc_t t, int* fixed);
int xmp_template_ndims(xmp_desc_t t, int* ndims);
int xmp_template_lbound(xmp_desc_t t, int dim, int* lbound);
int xmp_template_ubound(xmp_desc_t t, int dim, int* ubound);

int xmp_dist_format(xmp_desc_t t, int dim, int* format);
int xmp_dist_blocksize(xmp_desc_t t, int dim, int* size);
int xmp_dist_gblockmap(xmp_desc_t t, int dim, int* map);
int xmp_dist_nodes(xmp_desc_t t, xmp_desc_t* nodes);
int xmp_dist_axis(xmp_desc_t t, int dim, int* axis);

int xmp_align_axis(xmp_desc_t a, int dim, int* axis); /* 0: not aligned */
int xmp_align_offset(xmp_desc_t a, int dim, int* offset);
int xmp_align_replicated(xmp_desc_t a, int dim, int* replicated); /* of the template */
int xmp_align_template(xmp_desc_t a, xmp_desc_t* t);

int xmp_array_ndims(xmp_desc_t a, int* ndims);
int xmp_array_lshadow(xmp_desc_t a, int dim, int* width);
int xmp_array_ushadow(xmp_desc_t a, int dim, int* width);
int xmp_array_lbound(xmp_desc_t a, int dim, int* lbound);
int xmp_array_ubound(xmp_desc_t a, int dim, int* ubound);
void xmp_array_lbound_global(xmp_desc_t a, int dim, int* index); /* the first index of this node */
void xmp_array_ubound_global(xmp_desc_t a, int dim, int* index); /* its last one */
/* The same as values, by names of Omni: of the array (gcg), of this node's part by global (gcl) and by local index (lcl). */
size_t xmp_array_type_size(xmp_desc_t a); /* bytes of an element */
int xmp_array_gsize(xmp_desc_t a, int dim);
int xmp_array_gcglbound(xmp_desc_t a, int dim);
int xmp_array_gcgubound(xmp_desc_t a, int dim);
int xmp_array_gcllbound(xmp_desc_t a, int dim);
int xmp_array_gclubound(xmp_desc_t a, int dim);
int xmp_array_lcllbound(xmp_desc_t a, int dim);
int xmp_array_lclubound(xmp_desc_t a, int dim);
size_t xmp_array_lsize(xmp_desc_t a, int dim, int* size); /* cells of the memory along it, shadow included */
int xmp_array_laddr(xmp_desc_t a, void** address);        /* of the memory, shadow included */
int xmp_array_lead_dim(xmp_desc_t a, int size[]);         /* cells of the memory along each dimension */
/* The position of a global index in the memory along a dimension, shadow included: of an own element, or of one in the
 * shadow. */
int xmp_array_gtol(xmp_desc_t a, int dim, int global, int* local);
int xmp_array_owner(xmp_desc_t a, int ndims, int index[], int* owner); /* a node, from 1 */

/* Operations of all nodes on whole arrays. Arguments are xmp_desc_of(name); all arrays have elements of the same type.
 *     xmp_matmul(xmp_desc_of(c), xmp_desc_of(a), xmp_desc_of(b));         // c = a b; sums in the order of C
 *     xmp_gather(xmp_desc_of(x), xmp_desc_of(a), xmp_desc_of(i), ..);     // x[k] = a[i[k]]..: one i per dimension of a
 *     xmp_scatter(xmp_desc_of(x), xmp_desc_of(a), xmp_desc_of(i), ..);    // x[i[k]].. = a[k]: one i per dimension of x
 *     xmp_pack(xmp_desc_of(v), xmp_desc_of(a), xmp_desc_of(mask));        // v: elements of a whose mask is not 0
 * A mask of NULL selects all elements. Their order is that of C. Of elements scattered to one place, one is stored. */
void xmp_transpose(xmp_desc_t into, xmp_desc_t from, int may_change_from);
void xmp_matmul(xmp_desc_t into, xmp_desc_t left, xmp_desc_t right);
void xmp_gather(xmp_desc_t into, xmp_desc_t from, ...);
void xmp_scatter(xmp_desc_t into, xmp_desc_t from, ...);
void xmp_pack(xmp_desc_t vector, xmp_desc_t array, xmp_desc_t mask);
void xmp_pack_mask(xmp_desc_t vector, xmp_desc_t array, xmp_desc_t mask);
void xmp_pack_nomask(xmp_desc_t vector, xmp_desc_t array);
void xmp_unpack(xmp_desc_t array, xmp_desc_t vector, xmp_desc_t mask);
void xmp_unpack_mask(xmp_desc_t array, xmp_desc_t vector, xmp_desc_t mask);
void xmp_unpack_nomask(xmp_desc_t array, xmp_desc_t vector);
void xmp_sort_up(xmp_desc_t from, xmp_desc_t into);
void xmp_sort_down(xmp_desc_t from, xmp_desc_t into);

/* For programs that initialise MPI themselves: start and end the run time, as main of a translated program does. */
void xmp_init_mpi(int* argc, char*** argv);
void xmp_finalize_mpi(void);
void xmp_init(MPI_Comm comm);
void xmp_finalize(void);
/* Ends the program: all ranks call it where status is 0; with another, a rank alone ends the run of all. */
void xmp_exit(int status);

#ifdef __cplusplus
}
#endif
#endif
