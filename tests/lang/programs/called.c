/* The library of OpenACC, and the directives that few programs have: cache, atomic read and write, forms of data clauses. */
#include <stdio.h>
#include <stdlib.h>
#ifdef _OPENACC
#include <openacc.h>
#endif
#define N 8
static int devices(void) {
  int good = 1;
#ifdef _OPENACC
  acc_init(acc_device_default);
  acc_device_t own = acc_get_device_type();
  good &= acc_get_num_devices(own) == 1 && acc_get_num_devices(acc_device_none) == 0;
  acc_set_device_type(own);
  acc_set_device_num(0, own);
  good &= acc_get_device_num(own) == 0 && acc_on_device(acc_device_host) == 1;
  good &= (acc_get_cuda_stream(1) != NULL) == (own == acc_device_nvidia);
  good &= acc_set_cuda_stream(1, NULL) == 1;
#pragma acc set device_num(0)
#pragma acc init device_type(nvidia)
#endif
  return good;
}
static int presence(void) {
  double a[N], b[N], got[N];
  int good = 1;
  for (int i = 0; i < N; i++) a[i] = b[i] = i;
#ifdef _OPENACC
  void *there = acc_pcopyin(a, sizeof a);
  good &= acc_present_or_copyin(a, sizeof a) == there && acc_deviceptr(a) == there;
  acc_delete(a, sizeof a);
  good &= acc_is_present(a, sizeof a);
  acc_memcpy_from_device(got, there, sizeof got);
  for (int i = 0; i < N; i++) good &= got[i] == i;
  there = acc_pcreate(b, sizeof b);
  good &= acc_present_or_create(b, sizeof b) == there;
  acc_memcpy_device(acc_deviceptr(b), acc_deviceptr(a), 4 * sizeof(double));
  for (int i = 0; i < N; i++) b[i] = -1;
  acc_update_self(b, 4 * sizeof(double));
  for (int i = 0; i < N; i++) good &= b[i] == (i < 4 ? i : -1);
#pragma acc exit data delete(b) finalize
  good &= !acc_is_present(b, sizeof b);
  acc_copyout(a, sizeof a);
  good &= !acc_is_present(a, sizeof a);
  double *mapped = acc_malloc(sizeof b);
  acc_map_data(b, mapped, sizeof b);
#pragma acc parallel loop present(b)
  for (int i = 0; i < N; i++) b[i] = 100 + i;
  acc_memcpy_from_device(got, mapped, sizeof got);
  acc_unmap_data(b);
  good &= !acc_is_present(b, sizeof b);
  acc_free(mapped);
  for (int i = 0; i < N; i++) good &= got[i] == 100 + i;
#endif
  return good;
}
static int queues(void) {
  int a[N], b[N], good = 1;
  for (int i = 0; i < N; i++) a[i] = b[i] = 0;
#pragma acc data copy(a) create(b)
  {
#pragma acc parallel loop async(1)
    for (int i = 0; i < N; i++) a[i] = i;
#ifdef _OPENACC
    acc_wait_async(1, 2);
#endif
#pragma acc parallel loop async(2)
    for (int i = 0; i < N; i++) b[i] = 3 * a[i];
#ifdef _OPENACC
    acc_async_wait(2);
    good &= acc_async_test(2) == 1;
    acc_wait_all_async(3);
#endif
#pragma acc update host(b) async(3) wait(2)
#ifdef _OPENACC
    acc_wait(3);
    acc_async_wait_all();
    acc_wait_all();
    good &= acc_async_test_all() == 1;
#endif
#pragma acc wait(1, 2) if (good)
  }
  for (int i = 0; i < N; i++) good &= a[i] == i && b[i] == 3 * i;
  return good;
}
static int forms(void) {
  int a[N], b[N], c[N], seen[N], last = 0, good = 1;
  for (int i = 0; i < N; i++) a[i] = i, b[i] = c[i] = seen[i] = 0;
#pragma acc data pcopyin(a) pcopyout(b) present_or_copy(seen)
  {
#pragma acc parallel loop pcopy(c) pcreate(b) present_or_copyin(a) present_or_create(seen) default(present)
    for (int i = 0; i < N; i++) {
#pragma acc cache(a[i:1])
      int now;
#pragma acc atomic read
      now = a[i];
#pragma acc atomic write
      b[i] = 2 * now;
      c[i] += now;
    }
#pragma acc kernels loop present_or_copyout(seen) default(none) copyin(a) copy(b)
    for (int i = 0; i < N; i++) seen[i] = a[i] + b[i];
  }
  for (int i = 0; i < N; i++) good &= b[i] == 2 * i && c[i] == i && seen[i] == 3 * i;
  int *where = a;
#pragma acc host_data use_device(where) if_present
  last = where == a; /* nothing is there any more */
#pragma acc data copy(a)
  {
#pragma acc host_data use_device(where) if (N < 4)
    last += where == a;
  }
  return good && last == 2;
}
int main(void) {
  int said[4] = {devices(), presence(), queues(), forms()};
#ifdef _OPENACC
  acc_shutdown(acc_device_default);
#pragma acc shutdown
#endif
#pragma xmp nodes p[*]
#pragma xmp task on p[0]
  printf("%d %d %d %d\n", said[0], said[1], said[2], said[3]);
}
