/* ranks: 2 4 6 8 */
/* What xmp.h says of nodes, templates, distributions, alignments and arrays, and its calls between nodes. */
#include <stdio.h>
#ifdef _XCALABLEMP
#include <xmp.h>
#pragma xmp nodes p[*][2]
#pragma xmp nodes first[2] = p[0:1][0:2]
#pragma xmp template t[12][10]
#pragma xmp distribute t[block][cyclic] onto p
#pragma xmp template from_one(12)
#pragma xmp nodes line[*]
#pragma xmp template l[12]
#pragma xmp distribute l[block] onto line
#pragma xmp distribute from_one(block) onto line
long a[12][10], b[9], c[12][10], d[12], v[12], back[12];
int mask[12];
#pragma xmp align a[j][i] with t[j][i]
#pragma xmp align b[i] with t[*][i + 1]
#pragma xmp align c[j][*] with t[j][*]
#pragma xmp align [i] with l[i] :: d, v, back, mask
#pragma xmp shadow d[1:2]

static int nodes(int me, int all) {
  int n = 0, good = 1, low[2], high[2], step[2];
  xmp_desc_t whole = NULL;
#pragma xmp nodes now[*] = *
  good &= !xmp_nodes_ndims(xmp_desc_of(p), &n) && n == 2;
  good &= !xmp_nodes_size(xmp_desc_of(p), 1, &n) && n == 2;
  good &= !xmp_nodes_size(xmp_desc_of(p), 2, &n) && n == all / 2;
  good &= !xmp_nodes_index(xmp_desc_of(p), 1, &n) && n == me % 2 + 1;
  good &= !xmp_nodes_index(xmp_desc_of(p), 2, &n) && n == me / 2 + 1;
  good &= xmp_nodes_size(xmp_desc_of(p), 3, &n) == -1;
  good &= xmp_nodes_index(xmp_desc_of(first), 1, &n) == (me < 2 ? 0 : -1);
  good &= !xmp_nodes_attr(xmp_desc_of(p), &n) && n == XMP_ENTIRE_NODES;
  good &= !xmp_nodes_attr(xmp_desc_of(now), &n) && n == XMP_EXECUTING_NODES;
  good &= !xmp_nodes_attr(xmp_desc_of(first), &n) && n == XMP_EQUIVALENCE_NODES;
  good &= !xmp_nodes_equiv(xmp_desc_of(first), &whole, low, high, step) && whole == xmp_desc_of(p);
  good &= low[0] == 1 && high[0] == 2 && step[0] == 1 && low[1] == 1 && high[1] == 1;
  good &= xmp_nodes_equiv(xmp_desc_of(p), &whole, low, high, step) == -1;
  good &= !xmp_desc_kind(xmp_desc_of(p), &n) && n == XMP_DESC_NODES;
  good &= xmp_all_node_num() == me + 1 && xmpc_all_num_nodes() == all && xmpc_num_nodes() == all;
  good &= xmpc_num_images() == all && xmp_this_image() == me + 1;
  MPI_Comm_size(xmp_get_mpi_comm(), &n);
  good &= n == all;
  double begun = xmp_wtime();
  good &= xmp_wtick() > 0 && xmp_wtick() < 1 && xmp_wtime() >= begun;
  return good;
}

static int templates(int me, int all) {
  int n = 0, good = 1, sizes[8] = {0}, map[8];
  xmp_desc_t some = NULL;
  (void)me;
  sizes[0] = 5;
  sizes[all - 1] = 7;
#pragma xmp template uneven[12]
#pragma xmp distribute uneven[gblock(sizes)] onto line
  good &= !xmp_desc_kind(xmp_desc_of(t), &n) && n == XMP_DESC_TEMPLATE;
  good &= !xmp_template_ndims(xmp_desc_of(t), &n) && n == 2;
  good &= !xmp_template_lbound(xmp_desc_of(t), 1, &n) && n == 0;
  good &= !xmp_template_ubound(xmp_desc_of(t), 1, &n) && n == 9;
  good &= !xmp_template_ubound(xmp_desc_of(t), 2, &n) && n == 11;
  good &= !xmp_template_lbound(xmp_desc_of(from_one), 1, &n) && n == 1;
  good &= !xmp_template_ubound(xmp_desc_of(from_one), 1, &n) && n == 12;
  good &= xmp_template_ubound(xmp_desc_of(t), 3, &n) == -1;
  good &= !xmp_dist_axis(xmp_desc_of(t), 1, &n) && n == 1;
  good &= !xmp_dist_axis(xmp_desc_of(t), 2, &n) && n == 2;
  good &= !xmp_dist_nodes(xmp_desc_of(t), &some) && some == xmp_desc_of(p);
  good &= !xmp_dist_gblockmap(xmp_desc_of(uneven), 1, map) && map[0] == 5 && map[all - 1] == 7;
  good &= all == 2 || map[1] == 0;
  good &= xmp_dist_gblockmap(xmp_desc_of(t), 1, map) == -1;
  return good;
}

static int arrays(int me, int all) {
  int n = 0, good = 1, size[2];
  (void)me;
  good &= !xmp_desc_kind(xmp_desc_of(a), &n) && n == XMP_DESC_ARRAY;
  good &= !xmp_align_axis(xmp_desc_of(a), 1, &n) && n == 2;
  good &= !xmp_align_axis(xmp_desc_of(a), 2, &n) && n == 1;
  good &= !xmp_align_axis(xmp_desc_of(b), 1, &n) && n == 1;
  good &= xmp_align_axis(xmp_desc_of(c), 2, &n) == -1 && n == 0;
  good &= !xmp_align_offset(xmp_desc_of(b), 1, &n) && n == 1;
  good &= !xmp_align_offset(xmp_desc_of(a), 1, &n) && n == 0;
  good &= !xmp_align_replicated(xmp_desc_of(a), 2, &n) && n == 0;
  good &= !xmp_align_replicated(xmp_desc_of(b), 1, &n) && n == 0;
  good &= !xmp_align_replicated(xmp_desc_of(b), 2, &n) && n == 1;
  good &= !xmp_array_ndims(xmp_desc_of(a), &n) && n == 2;
  good &= !xmp_array_lbound(xmp_desc_of(a), 1, &n) && n == 0;
  good &= !xmp_array_ubound(xmp_desc_of(a), 1, &n) && n == 11;
  good &= !xmp_array_ubound(xmp_desc_of(a), 2, &n) && n == 9;
  good &= xmp_array_ubound(xmp_desc_of(a), 3, &n) == -1;
  good &= !xmp_array_lead_dim(xmp_desc_of(a), size) && size[0] == 12 / (all / 2) && size[1] == 5;
  return good;
}

static int together(int me, int all) {
  int good = 1, status = 1, others[2] = {(me + 1) % all, (me + all - 1) % all};
#pragma xmp loop (i) on l[i]
  for (int i = 0; i < 12; i++) d[i] = 10 * i, mask[i] = i % 3 == 1, v[i] = back[i] = -1;
#pragma xmp reflect (d) async(7)
  good &= xmp_test_async(7) == 0 && xmp_test_async(8) == 1;
#pragma xmp wait_async (7)
  good &= xmp_test_async(7) == 1;
  xmp_sync_images(all > 2 ? 2 : 1, others, &status);
  good &= status == XMP_STAT_SUCCESS;
  status = 1;
  xmp_sync_memory(&status);
  good &= status == XMP_STAT_SUCCESS;
  xmp_pack_mask(xmp_desc_of(v), xmp_desc_of(d), xmp_desc_of(mask));
  xmp_unpack_mask(xmp_desc_of(back), xmp_desc_of(v), xmp_desc_of(mask));
#pragma xmp loop (i) on l[i]
  for (int i = 0; i < 12; i++)
    good &= v[i] == (i < 4 ? 10 * (3 * i + 1) : -1) && back[i] == (i % 3 == 1 ? 10 * i : -1);
  xmp_pack_nomask(xmp_desc_of(v), xmp_desc_of(d));
  xmp_unpack_nomask(xmp_desc_of(back), xmp_desc_of(v));
#pragma xmp loop (i) on l[i]
  for (int i = 0; i < 12; i++) good &= v[i] == 10 * i && back[i] == 10 * i;
  return good;
}
#endif

int main(void) {
  int good[4] = {1, 1, 1, 1};
#ifdef _XCALABLEMP
  int me = xmpc_node_num(), all = xmp_num_nodes();
  good[0] = nodes(me, all);
  good[1] = templates(me, all);
  good[2] = arrays(me, all);
  good[3] = together(me, all);
#pragma xmp reduction(&&:good)
#pragma xmp task on p[0][0]
#endif
  printf("%d %d %d %d\n", good[0], good[1], good[2], good[3]);
}
