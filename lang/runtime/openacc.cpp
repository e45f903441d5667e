// The library of openacc.h.
#include "openacc.h"

#include "present.hpp"
#include "queues.hpp"
#include "translated.h"

#include <map>

using namespace tasuki;
using namespace tasuki::xmp;

namespace {

Device& device() { return RunTime::now().accelerator(); }
long queue_of(int number) {
  return number == acc_async_sync ? TSK_ACC_NOW : number < 0 ? TSK_ACC_ANY : number;
}

// What acc_malloc has given.
struct Given {
  explicit Given(World&) {}
  std::map<void*, Buffer> buffers;
};

void* enter(void* host, size_t bytes, int action) {
  const tsk_part part{action, "what is brought over", nullptr, host, static_cast<long>(bytes)};
  tsk_acc_enter("", 1, &part, TSK_ACC_NOW);
  return acc_deviceptr(host);
}
void leave(void* host, size_t bytes, int action) {
  const tsk_part part{action, "what is taken back", nullptr, host, static_cast<long>(bytes)};
  tsk_acc_exit("", 1, &part, TSK_ACC_NOW);
}
void update(void* host, size_t bytes, int to_device) {
  const tsk_part part{TSK_ACC_PRESENT, "what is updated", nullptr, host, static_cast<long>(bytes)};
  tsk_acc_update("", to_device, 1, &part, 0, TSK_ACC_NOW);
}
acc_device_t own_type() { return device().cuda() ? acc_device_nvidia : acc_device_host; }

} // namespace

extern "C" {

void acc_init(acc_device_t) {}
void acc_shutdown(acc_device_t) {}
int acc_get_num_devices(acc_device_t type) {
  return at(
      "", [&] { return type == acc_device_none || (type == acc_device_nvidia && !device().cuda()) ? 0 : 1; });
}
void acc_set_device_type(acc_device_t) {}
acc_device_t acc_get_device_type(void) { return at("", own_type); }
void acc_set_device_num(int, acc_device_t) {} // each rank has one
int acc_get_device_num(acc_device_t) { return 0; }
int acc_on_device(acc_device_t type) { return type == acc_device_host; } // the caller is always on the host

int acc_async_test(int queue) {
  return at("", [&] { return queues().idle(queue_of(queue)) ? 1 : 0; });
}
int acc_async_test_all(void) {
  return at("", [] { return queues().all_idle() ? 1 : 0; });
}
void acc_wait(int queue) {
  at("", [&] { queues().wait(queue_of(queue)); });
}
void acc_wait_all(void) { tsk_acc_wait("", 0, nullptr); }
void acc_async_wait(int queue) { acc_wait(queue); }
void acc_async_wait_all(void) { acc_wait_all(); }
void acc_wait_async(int other, int queue) {
  at("", [&] { queues().follow(queue_of(queue), queue_of(other)); });
}
void acc_wait_all_async(int) { acc_wait_all(); }

void* acc_malloc(size_t bytes) {
  return at("", [&]() -> void* {
    if (bytes == 0) return nullptr;
    Buffer buffer(device(), bytes);
    void* const data = buffer.data();
    RunTime::now().part<Given>().buffers.emplace(data, std::move(buffer));
    return data;
  });
}
void acc_free(void* memory) {
  at("", [&] {
    if (memory && RunTime::now().part<Given>().buffers.erase(memory) == 0)
      throw Error("acc_free of memory that acc_malloc has not given", "free each once");
  });
}
void* acc_copyin(void* host, size_t bytes) { return enter(host, bytes, TSK_ACC_COPYIN); }
void* acc_create(void* host, size_t bytes) { return enter(host, bytes, TSK_ACC_CREATE); }
void acc_copyout(void* host, size_t bytes) { leave(host, bytes, TSK_ACC_COPYOUT); }
void acc_delete(void* host, size_t bytes) { leave(host, bytes, TSK_ACC_DELETE); }
void* acc_present_or_copyin(void* host, size_t bytes) { return acc_copyin(host, bytes); }
void* acc_present_or_create(void* host, size_t bytes) { return acc_create(host, bytes); }
void* acc_pcopyin(void* host, size_t bytes) { return acc_copyin(host, bytes); }
void* acc_pcreate(void* host, size_t bytes) { return acc_create(host, bytes); }
void acc_update_device(void* host, size_t bytes) { update(host, bytes, 1); }
void acc_update_self(void* host, size_t bytes) { update(host, bytes, 0); }
void acc_map_data(void* host, void* memory, size_t bytes) {
  at("", [&] { present().map(host, memory, static_cast<long>(bytes)); });
}
void acc_unmap_data(void* host) {
  at("", [&] { present().unmap(host); });
}
void* acc_deviceptr(void* host) {
  return at("", [&]() -> void* {
    Present::Entry* const entry = present().find(host, 1);
    if (entry) return entry->device + (static_cast<char*>(host) - entry->host);
    return RunTime::now().apart() ? nullptr : host;
  });
}
void* acc_hostptr(void* memory) {
  return at("", [&]() -> void* {
    const Present::Entry* const entry = present().of_device(memory);
    if (entry) return const_cast<char*>(entry->host) + (static_cast<char*>(memory) - entry->device);
    return nullptr;
  });
}
int acc_is_present(void* host, size_t bytes) {
  return at("", [&] { return present().find(host, static_cast<long>(bytes)) ? 1 : 0; });
}
void acc_memcpy_to_device(void* memory, void* host, size_t bytes) {
  at("", [&] { copy_to_device(device(), memory, host, bytes); });
}
void acc_memcpy_from_device(void* host, void* memory, size_t bytes) {
  at("", [&] { copy_to_host(device(), host, memory, bytes); });
}
void acc_memcpy_device(void* to, void* from, size_t bytes) {
  at("", [&] {
    if (bytes == 0) return;
    Strided all;
    all.base = static_cast<char*>(from);
    all.run = static_cast<long>(bytes);
    CopyPlan(device(), {{all, packed(all, static_cast<char*>(to))}}).enqueue(device().stream());
    device().stream().synchronize();
  });
}

void* acc_get_cuda_stream(int queue) {
  return at("", [&] { return queues().stream(queue_of(queue)).handle(); });
}
int acc_set_cuda_stream(int, void*) { return 1; }
}
