/* One address space over all processes of a run: any thread of any of them loads and stores anywhere in shared arrays.
 *
 *   #include <sms.h>
 *   int main(int argc, char** argv) {
 *     sms_startup(&argc, &argv);
 *     int dim[] = {N, N, -1}, div[] = {sms_nprocs, 1, -1};
 *     double (*a)[N] = sms_mapalloc(dim, div, sizeof(double), 0, sms_nprocs);   // bands, one a process
 *     long from = (long)N * sms_rank / sms_nprocs, to = (long)N * (sms_rank + 1) / sms_nprocs;
 *     for (long i = from; i < to; i++) for (long k = 0; k < N; k++) a[i][k] = i + k;
 *     sms_sync();                                                               // now all see it
 *     if (sms_rank == 0) printf("%g\n", a[N - 1][N - 1]);
 *     sms_shutdown();
 *   }
 *
 *   mpicc prog.c $(pkg-config --cflags --libs tasuki_sms) -o prog && mpirun -n 4 ./prog
 *
 * The functions are those of mSMS (Sakaguchi, Midorikawa, IPSJ SIG Technical Report HPC); docs/programs/sms.md has each of
 * them, and says which are Tasuki's. What a call cannot do is one line on standard error, which ends the run with status 1. */
#ifndef TASUKI_SMS_H
#define TASUKI_SMS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

extern int sms_rank;   /* this process, from 0 */
extern int sms_nprocs; /* how many there are */
#define sms_nproc sms_nprocs

/* Begins and ends. Options of Tasuki (--faults, --subclusters, ..) are taken out of the program's arguments. */
void sms_startup(int* argc, char*** argv);
void sms_shutdown(void);

/* `count` elements of `bytes` each, zero, all on one process. By all processes, in the same order. */
#define sms_alloc(...) sms_alloc_named(SMS_HERE, __VA_ARGS__) /* size_t bytes, size_t count, int node */
/* An array of dim[0] x dim[1] x .. elements (slowest first; -1 ends it), of which axis a is cut into div[a] parts: element i of
 * n is of part k where n * k / d <= i < n * (k + 1) / d. Parts, the last axis fastest, go to the processes first, first + 1, ..,
 * first + nodes - 1 in turn. `first | SMS_ALIGN`: parts of the slowest axis begin at pages. */
#define sms_mapalloc(...) \
  sms_mapalloc_named(SMS_HERE, __VA_ARGS__) /* int dim[], int div[], size_t bytes, int first, int nodes */
#define SMS_ALIGN 0x40000000
/* The same with one more argument, int where: SMS_HOST, or SMS_GPU: over the memories of GPUs, in steps of 2 MiB (SMS_ALIGN:
 * parts begin there). Kernels of all processes of a node load and store at this address what the node has, on GPU sms_gpu(),
 * and what they preloaded of other nodes'; with mode 1 it goes home at the next sms_sync. Processors reach none of it, they
 * sms_copy. Where there is no GPU, memory of the host stands in, unless --device cuda asks for one. */
#define sms_mapalloc_on(...) sms_mapalloc_on_named(SMS_HERE, __VA_ARGS__)
#define SMS_HOST 0
#define SMS_GPU 1
/* Waits for all processes. */
void sms_free(void* array);
/* The process that an element belongs to. */
int sms_owner(const void* element);

/* What any process wrote before, all see after it. By one thread of each process, while its others touch nothing. */
void sms_sync(void);
void sms_barrier(void);   /* the same */
void sms_sync_drop(void); /* the same, and copies of others' data are given back */

/* Brings a section before it is touched: part[0] x part[1] x .. elements, whose first is at `at`, of an array of
 * whole[0] x whole[1] x .. ones; `dim` axes. mode 0: to read; 1: to read and write. Returns 0. */
int sms_preload_array(void* at, const size_t whole[], const size_t part[], int dim, int bytes, int mode);
/* The same for what is brought again and again: synchronisations keep it up to date from the first call on. */
int sms_overload_array(void* at, const size_t whole[], const size_t part[], int dim, int bytes, int mode);
int sms_preload(void* at, size_t bytes, int mode); /* plain bytes */
/* Plain bytes that stay in place and up to date: what MPI, a file or CUDA is handed has to be there. */
int sms_hold(void* at, size_t bytes, int mode);

/* Copies bytes between shared arrays, and between them and other memory, wherever they lie. Done when it returns. */
void sms_copy(void* to, const void* from, size_t bytes);
/* The number of the GPU whose memory has this process' parts of arrays on GPUs, for cudaSetDevice; -1: there is none. By all
 * processes. */
int sms_gpu(void);

/* One thread of all processes at a time has a lock, any number, and sees what was written under locks before. */
void sms_lock(int number);
void sms_unlock(int number);

/* Atomic over all processes, on integers of 4 or 8 bytes; they return what was there. What was written before them is seen by others
 * behind a lock or a synchronisation, as ever. */
#ifndef SMS_ACT
#define SMS_ACT(kind, at, value, expected)                                                        \
  __extension__({                                                                                 \
    __typeof__(*(at)) sms_was_ = (__typeof__(*(at)))sms_act(                                      \
        (kind), (at), sizeof *(at), (unsigned long long)(value), (unsigned long long)(expected)); \
    sms_was_;                                                                                     \
  })
#endif
#define sms_add(at, value) SMS_ACT(0, at, value, 0)
#define sms_exchange(at, value) SMS_ACT(1, at, value, 0)
#define sms_compare(at, expected, value) SMS_ACT(2, at, value, expected)

/* What all processes have counted so far. By all of them. */
typedef struct {
  unsigned long long faults, first_writes; /* touches that were served; those that took a twin */
  unsigned long long pages_by_fault, pages_by_section,
      pages_ahead;                        /* pages fetched, and of those by touches ahead of them */
  unsigned long long bytes_in, bytes_out; /* fetched; sent home */
  unsigned long long messages;            /* questions to other processes */
} sms_counts;
sms_counts sms_count(void);

/* What the macros above call: `name` is that of the array in errors and reports. */
void* sms_alloc_named(const char* name, size_t bytes, size_t count, int node);
void* sms_mapalloc_named(const char* name, const int dim[], const int div[], size_t bytes, int first,
                         int nodes);
void* sms_mapalloc_on_named(const char* name, const int dim[], const int div[], size_t bytes, int first,
                            int nodes, int where);
unsigned long long sms_act(int kind, void* at, size_t bytes, unsigned long long value,
                           unsigned long long expected);
#define SMS_TEXT_(line) #line
#define SMS_TEXT(line) SMS_TEXT_(line)
#define SMS_HERE __FILE__ ":" SMS_TEXT(__LINE__)

#ifdef __cplusplus
}
#endif
#endif
