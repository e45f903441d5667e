/* An array over the GPUs of a node as a program of C sees it: pieces go in and out by copies, whoever has them. The host stands in
 * where there is no GPU. Ends with 0 where every element is what it has to be. */
#include <sms.h>

#include <stdio.h>
#include <stdlib.h>

enum { ROW = 4096 };

int main(int argc, char** argv) {
  sms_startup(&argc, &argv);
  const int rows = 96 * sms_nprocs;
  int dim[] = {rows, ROW, -1}, div[] = {sms_nprocs, 1, -1};
  double(*a)[ROW] = sms_mapalloc_on(dim, div, sizeof(double), SMS_ALIGN, sms_nprocs, SMS_GPU);
  double(*b)[ROW] = sms_mapalloc_on(dim, div, sizeof(double), 0, sms_nprocs, SMS_HOST);
  double* row = malloc(sizeof *a);
  long wrong = 0;
  for (int i = 0; i < rows; i++) { /* each into another's part */
    if ((sms_owner(a[i]) + 1) % sms_nprocs != sms_rank) continue;
    for (int k = 0; k < ROW; k++) row[k] = i + k / 4096.0;
    sms_copy(a[i], row, sizeof *a);
  }
  sms_sync();
  for (int i = sms_rank; i < rows; i += sms_nprocs)
    sms_copy(b[rows - 1 - i], a[i], sizeof *a); /* into memory of the host */
  sms_sync();
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < ROW; k += 7) wrong += b[rows - 1 - i][k] != i + k / 4096.0;
  long* all = sms_alloc(sizeof(long), 1, 0);
  sms_add(all, wrong);
  sms_sync();
  wrong = *all;
  if (sms_rank == 0) printf("%d rows on %s, %ld wrong\n", rows, sms_gpu() < 0 ? "the host" : "GPUs", wrong);
  sms_free(a);
  free(row);
  sms_shutdown();
  return wrong != 0;
}
