/* A program with a main and an MPI of its own, in which the run time begins and ends twice: of all ranks, and of some. */
#include <translated.h>

#include "check.h"

static void count(int expected) {
  struct tsk_nodes p = {0};
  tsk_nodes_make("own_mpi.c:1:1", &p, "p", 1, (long[]){TSK_REST}, 0);
  int all = 1;
  tsk_reduce("own_mpi.c:2:1", &(struct tsk_ref){&p, 0, 0, {{0}}}, TSK_SUM, TSK_INT, &all, 1, TSK_HOST,
             TSK_NOW);
  CHECK(all == expected && xmp_num_nodes() == expected, "%d nodes and not %d", all, expected);
  tsk_nodes_end(&p);
}

int main(int argc, char** argv) {
  int rank = 0, size = 0, provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  xmp_init_mpi(&argc, &argv);
  count(size);
  xmp_finalize_mpi();
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  xmp_init(half);
  count((size + 1 - rank % 2) / 2);
  xmp_finalize();
  MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
