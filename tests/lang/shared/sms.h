/* sms.h of one process without the library: what it is to read a program of SMS or MpC as sequential C. */
#include <stdlib.h>
#include <string.h>

#define NPROCS 1
#define SMS_ALIGN 0
enum { sms_rank = 0, sms_nprocs = 1 };

typedef struct {
  unsigned long long faults, first_writes, pages_by_fault, pages_by_section, pages_ahead, bytes_in, bytes_out,
      messages;
} sms_counts;

static inline void* sms_mapalloc(const int dim[], const int div[], size_t bytes, int first, int nodes) {
  (void)div, (void)first, (void)nodes;
  for (int k = 0; dim[k] != -1; k++) bytes *= (size_t)dim[k];
  return calloc(bytes, 1);
}
static inline sms_counts sms_count(void) {
  const sms_counts none = {0};
  return none;
}

#define sms_startup(argc, argv) ((void)(argc), (void)(argv))
#define sms_shutdown() ((void)0)
#define sms_alloc(bytes, count, node) calloc((size_t)(count), (bytes))
#define sms_free(array) free(array)
#define sms_sync() ((void)0)
#define sms_lock(number) ((void)(number))
#define sms_unlock(number) ((void)(number))
#define sms_owner(at) 0
#define sms_preload_array(...) ((void)0)
#define sms_overload_array(...) ((void)0)
/* Returns what was there. */
#define sms_add(at, value)              \
  __extension__({                       \
    __typeof__(*(at)) sms_was_ = *(at); \
    *(at) += (value);                   \
    sms_was_;                           \
  })
