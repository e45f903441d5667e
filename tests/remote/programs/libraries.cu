// Modules that are loaded while the program runs: PTX as text, and from a file.
#include <cstdio>
#include <cstring>
#include <string>

#include "check.cuh"

static const char* text = R"(.version 7.0
.target sm_52
.address_size 64
.visible .global .align 4 .u32 counter = 41;
.visible .entry bump(.param .u64 out)
{
  .reg .u32 %r<3>;
  .reg .u64 %a<3>;
  ld.param.u64 %a1, [out];
  cvta.to.global.u64 %a2, %a1;
  ld.global.u32 %r1, [counter];
  add.u32 %r2, %r1, 1;
  st.global.u32 [counter], %r2;
  st.global.u32 [%a2], %r2;
  ret;
}
)";

static void try_out(cudaLibrary_t library, unsigned* out) {
  cudaKernel_t bump;
  OK(cudaLibraryGetKernel(&bump, library, "bump"));
  void* arguments[] = {&out};
  unsigned here = 0;
  for (unsigned expected = 42; expected < 45; ++expected) {
    OK(cudaLaunchKernel((const void*)bump, dim3(1), dim3(1), arguments, 0, 0));
    OK(cudaMemcpy(&here, out, 4, cudaMemcpyDeviceToHost));
    IS(here == expected);
  }
  void* counter;
  size_t bytes = 0;
  OK(cudaLibraryGetGlobal(&counter, &bytes, library, "counter"));
  IS(bytes == 4);
  OK(cudaMemcpy(&here, counter, 4, cudaMemcpyDeviceToHost));
  IS(here == 44);
  cudaKernel_t none;
  IS(cudaLibraryGetKernel(&none, library, "nothing of that name") != cudaSuccess);
  cudaGetLastError();
}

int main() {
  unsigned* out;
  OK(cudaMalloc(&out, 4));
  cudaLibrary_t library;
  OK(cudaLibraryLoadData(&library, text, nullptr, nullptr, 0, nullptr, nullptr, 0));
  try_out(library, out);
  OK(cudaLibraryUnload(library));

  char path[] = "/tmp/libraries-XXXXXX";
  std::FILE* file = fdopen(mkstemp(path), "w");
  std::fwrite(text, 1, std::strlen(text), file);
  std::fclose(file);
  OK(cudaLibraryLoadFromFile(&library, path, nullptr, nullptr, 0, nullptr, nullptr, 0));
  std::remove(path);
  try_out(library, out);
  OK(cudaLibraryUnload(library));
  IS(cudaLibraryLoadFromFile(&library, "/nowhere/at/all", nullptr, nullptr, 0, nullptr, nullptr, 0) !=
     cudaSuccess);
  std::puts("libraries: well");
}
