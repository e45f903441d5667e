// Runs each case on a GPU and by the interpreter and compares the bits; needs a GPU and its driver, and no CUDA beside.
//
//   remote_compare_gpu [SEED]
//
// Prints the cases that differ; ends with 1 where one does that is no .approx form, with 77 where there is no GPU.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "cases.hpp"
#include "machine.hpp"

namespace {

using namespace tasuki::remote::ptx::test;
using U = std::uint64_t;

// The driver's documented calls (cuda.h).
struct Driver {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  template <class F>
  F call(const char* name) const {
    return reinterpret_cast<F>(dlsym(library, name));
  }
  int (*init)(unsigned) = call<int (*)(unsigned)>("cuInit");
  int (*retain)(void**, int) = call<int (*)(void**, int)>("cuDevicePrimaryCtxRetain");
  int (*current)(void*) = call<int (*)(void*)>("cuCtxSetCurrent");
  int (*load)(void**, const void*) = call<int (*)(void**, const void*)>("cuModuleLoadData");
  int (*function)(void**, void*,
                  const char*) = call<int (*)(void**, void*, const char*)>("cuModuleGetFunction");
  int (*allocate)(U*, std::size_t) = call<int (*)(U*, std::size_t)>("cuMemAlloc_v2");
  int (*in)(U, const void*, std::size_t) = call<int (*)(U, const void*, std::size_t)>("cuMemcpyHtoD_v2");
  int (*out)(void*, U, std::size_t) = call<int (*)(void*, U, std::size_t)>("cuMemcpyDtoH_v2");
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                void**) = call<int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                       unsigned, void*, void**, void**)>("cuLaunchKernel");
};

void check(int status, const char* what) {
  if (status != 0) throw std::runtime_error(std::string(what) + ": error " + std::to_string(status));
}

int compare(U seed) {
  Driver gpu;
  if (!gpu.library || gpu.init(0) != 0) {
    std::puts("no GPU");
    return 77;
  }
  void *context = nullptr, *module = nullptr;
  check(gpu.retain(&context, 0), "context");
  check(gpu.current(context), "context");
  const std::vector<Case> all = cases();
  const std::string text = text_of_cases(all);
  check(gpu.load(&module, text.c_str()), "the cases' text");
  Machine host(text);
  U places[4];
  for (U& p : places) check(gpu.allocate(&p, 8 * kValues), "memory");
  int exact = 0, different = 0, near = 0;
  for (std::size_t n = 0; n < all.size(); ++n) {
    const Case& c = all[n];
    std::vector<U> in[3], from_gpu(kValues);
    U* here[3] = {};
    for (std::size_t k = 0; k < c.from.size(); ++k) {
      here[k] = host.array(in[k] = operands(c, k, seed));
      check(gpu.in(places[k], in[k].data(), 8 * kValues), "copy");
    }
    auto* out = host.array<U>(kValues);
    const std::string name = "case_" + std::to_string(n);
    void* function = nullptr;
    check(gpu.function(&function, module, name.c_str()), name.c_str());
    int count = kValues;
    void* arguments[] = {&places[0], &places[1], &places[2], &places[3], &count};
    check(gpu.launch(function, kValues / 128, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr), name.c_str());
    check(gpu.out(from_gpu.data(), places[3], 8 * kValues), name.c_str());
    host.run(name, {kValues / 128}, {128}, 0, here[0], here[1], here[2], out, kValues);
    int wrong = 0;
    double most = 0;
    std::size_t first = 0;
    for (std::size_t i = 0; i < kValues; ++i) {
      if (out[i] == from_gpu[i]) continue;
      if (wrong++ == 0) first = i;
      const auto a = static_cast<std::int64_t>(out[i]), b = static_cast<std::int64_t>(from_gpu[i]);
      most = std::max(most, static_cast<double>(a > b ? a - b : b - a));
    }
    if (wrong == 0) {
      ++exact;
    } else if (!c.expected) {
      ++near;
      std::printf("%s: within %.0f of the last place\n", c.op.c_str(), most);
    } else {
      ++different;
      std::printf("%s: %d of %d differ, first of %llx %llx %llx: GPU %llx, interpreter %llx\n", c.op.c_str(),
                  wrong, kValues, (unsigned long long)in[0][first],
                  (unsigned long long)(c.from.size() > 1 ? in[1][first] : 0),
                  (unsigned long long)(c.from.size() > 2 ? in[2][first] : 0),
                  (unsigned long long)from_gpu[first], (unsigned long long)out[first]);
    }
    for (U* p : here)
      if (p) host.release(reinterpret_cast<U>(p));
  }
  std::printf("%zu forms of %d values: %d have the same bits, %d .approx do not, %d differ\n", all.size(),
              kValues, exact, near, different);
  return different ? 1 : 0;
}

} // namespace

int main(int argc, char** argv) {
  try {
    return compare(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1);
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
