// How many bytes each parameter of a kernel takes, and where: a client packs them before any server has seen the kernel.
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

// Of all kernels of a fat binary: of its PTX where it has some, else of its machine code. Throws Error where it is broken.
KernelParameters parameters_of(View image);

KernelParameters ptx_parameters(const std::string& text);  // .entry name(.param ..)
KernelParameters cubin_parameters(const std::string& elf); // attributes of .nv.info.<name>

} // namespace tasuki::remote
