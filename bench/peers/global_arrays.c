/* A patch of another process's part of a global array by Global Arrays, and the same by one message of MPI: the figure of
 * tasuki-bench-space, "a patch of rows of 4 KiB".
 *
 *   mpicc -O2 global_arrays.c -lga -larmci -lcomex .. -o global_arrays && mpirun -n 2 global_arrays 4096 7
 *
 * Rows of the patch, repetitions. Prints the median and the least of both, in seconds. */
#include <ga.h>
#include <macdecls.h>
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

enum { ROW = 2048, SIDE = 512 }; /* doubles of a row of the array, and of one of the patch */

static int less(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}
static void print(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, less);
  printf("%.9g %.9g\n", values[count / 2], values[0]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  GA_Initialize();
  const int rows = argc > 1 ? atoi(argv[1]) : 4096, repetitions = argc > 2 ? atoi(argv[2]) : 7;
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int extents[] = {rows * ranks, ROW}, chunk[] = {rows, ROW};
  const int a = NGA_Create(C_DBL, 2, extents, "a", chunk);
  double one = 1;
  GA_Fill(a, &one);
  GA_Sync();
  double* const patch = malloc(sizeof(double) * SIDE * (size_t)rows);
  double* const whole = malloc(sizeof(double) * ROW * (size_t)rows);
  double* const by_get = malloc(sizeof(double) * (size_t)repetitions);
  double* const by_mpi = malloc(sizeof(double) * (size_t)repetitions);
  for (long k = 0; k < (long)ROW * rows; k++) whole[k] = 1;
  for (long k = 0; k < (long)SIDE * rows; k++) patch[k] = 0;
  MPI_Datatype vector;
  MPI_Type_vector(rows, SIDE, ROW, MPI_DOUBLE, &vector);
  MPI_Type_commit(&vector);
  for (int k = 0; k < repetitions; k++) {
    MPI_Barrier(MPI_COMM_WORLD);
    int low[] = {rows, 0}, high[] = {2 * rows - 1, SIDE - 1}, stride[] = {SIDE};
    double began = MPI_Wtime();
    if (rank == 0) NGA_Get(a, low, high, patch, stride);
    by_get[k] = MPI_Wtime() - began;
    MPI_Barrier(MPI_COMM_WORLD);
    began = MPI_Wtime();
    if (rank == 0) MPI_Recv(whole, 1, vector, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(whole, 1, vector, 0, 0, MPI_COMM_WORLD);
    by_mpi[k] = MPI_Wtime() - began;
  }
  int right = 1;
  for (long k = 0; rank == 0 && k < (long)SIDE * rows; k++) right = right && patch[k] == 1;
  if (rank == 0 && right) {
    print(by_get, repetitions);
    print(by_mpi, repetitions);
  }
  MPI_Type_free(&vector);
  GA_Destroy(a);
  GA_Terminate();
  MPI_Finalize();
  return !right;
}
