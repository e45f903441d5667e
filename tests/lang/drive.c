/* Runs translated programs one after the other within one start of MPI: drive FOLDER name..
 *
 * Each is a shared object FOLDER/name.so whose main is called name; what it prints goes to FOLDER/name.out, of
 * whichever ranks print. The run time opens and closes once for each. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &(int){0});
  for (int k = 2; k < argc; k++) {
    char path[4096], *name = argv[k];
    snprintf(path, sizeof path, "%s/%s.so", argv[1], name);
    void* object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (object == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    int (*entry)(int, char**);
    *(void**)&entry = dlsym(object, name);
    snprintf(path, sizeof path, "%s/%s.out", argv[1], name);
    fflush(stdout);
    if (freopen(path, "a", stdout) == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    char* words[] = {name, NULL};
    int status = entry(1, words);
    fflush(stdout);
    if (status != 0) {
      fprintf(stderr, "%s ended with %d\n", name, status);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
