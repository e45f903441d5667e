/* The library of OpenACC for C (2.7, chapter 3): the functions that programs of directives use.
 *
 *     double *d = acc_copyin(a, n * sizeof *a);      // the copy on the device
 *     acc_update_self(a, n * sizeof *a);
 *     acc_delete(a, n * sizeof *a);
 *
 * On the host, device memory is host memory, or with TASUKI_ACC=apart a separate copy at other addresses, filled with
 * signalling NaNs; all queues are one. On a GPU a queue is a stream, and a copy on it is complete on return. */
#ifndef TASUKI_OPENACC_H
#define TASUKI_OPENACC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  acc_device_none,
  acc_device_default,
  acc_device_host,
  acc_device_not_host,
  acc_device_nvidia
} acc_device_t;
enum { acc_async_sync = -1, acc_async_noval = -2, acc_async_default = -3 };

void acc_init(acc_device_t type);
void acc_shutdown(acc_device_t type);
int acc_get_num_devices(acc_device_t type);
void acc_set_device_type(acc_device_t type);
acc_device_t acc_get_device_type(void);
void acc_set_device_num(int number, acc_device_t type);
int acc_get_device_num(acc_device_t type);
int acc_on_device(acc_device_t type);

int acc_async_test(int queue);
int acc_async_test_all(void);
void acc_wait(int queue);
void acc_wait_all(void);
void acc_async_wait(int queue);
void acc_async_wait_all(void);
void acc_wait_async(int other, int queue); /* later work on `queue` waits for the present work on `other` */
void acc_wait_all_async(int queue);

void* acc_malloc(size_t bytes);
void acc_free(void* device);
void* acc_copyin(void* host, size_t bytes);
void* acc_create(void* host, size_t bytes);
void acc_copyout(void* host, size_t bytes);
void acc_delete(void* host, size_t bytes);
void* acc_present_or_copyin(void* host, size_t bytes);
void* acc_present_or_create(void* host, size_t bytes);
void* acc_pcopyin(void* host, size_t bytes);
void* acc_pcreate(void* host, size_t bytes);
void acc_update_device(void* host, size_t bytes);
void acc_update_self(void* host, size_t bytes);
void acc_map_data(void* host, void* device, size_t bytes);
void acc_unmap_data(void* host);
void* acc_deviceptr(void* host);
void* acc_hostptr(void* device);
int acc_is_present(void* host, size_t bytes);
void acc_memcpy_to_device(void* device, void* host, size_t bytes);
void acc_memcpy_from_device(void* host, void* device, size_t bytes);
void acc_memcpy_device(void* to, void* from, size_t bytes);

void* acc_get_cuda_stream(int queue);             /* on a GPU: a cudaStream_t; else null */
int acc_set_cuda_stream(int queue, void* stream); /* always 1: not supported */

#ifdef __cplusplus
}
#endif
#endif
