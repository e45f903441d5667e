// The size and position of each kernel parameter: a client packs parameters before any server has loaded the kernel.
//
//   parameters_of(image)["_Z4stepPfi"]; // {{0, 8}, {8, 4}}
#pragma once

#include <remote/fatbin/image.hpp>

#include <map>

namespace tasuki::remote {

struct ParameterOf {
  std::uint32_t offset = 0, size = 0;
};
inline bool operator==(ParameterOf a, ParameterOf b) { return a.offset == b.offset && a.size == b.size; }

using KernelParameters = std::map<std::string, std::vector<ParameterOf>>; // by kernel, in order

constexpr std::uint32_t kLargestParameters = 32764; // bytes of a kernel's parameters (CUDA 12.1 and later)

// For all kernels of a fat binary: from its PTX if there is any, else from its machine code. Throws Error if invalid.
KernelParameters parameters_of(View image);

KernelParameters ptx_parameters(const std::string& text);  // .entry name(.param ..)
KernelParameters cubin_parameters(const std::string& elf); // attributes of .nv.info.<name>

} // namespace tasuki::remote
