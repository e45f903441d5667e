// A fat binary: machine code and PTX of the same kernels for several generations of GPUs, as nvcc puts it into a program.
//
//   View image = image_of(wrapper);               // what __cudaRegisterFatBinary is given
//   for (const Entry& e : entries(image))
//     if (e.kind == Entry::Kind::ptx) parse(contents(e));
//
// Bytes may be hostile: every length is held against what is there before it is used, and against a limit before anything
// is allocated. Throws Error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tasuki::remote {

struct View {
  const unsigned char* data = nullptr;
  std::size_t size = 0;
};

struct Entry {
  enum class Kind { ptx, elf, other } kind = Kind::other;
  enum class Packing { none, lz4, zstd } packing = Packing::none;
  std::uint32_t generation = 0; // 90: sm_90
  View bytes;                   // as they stand in the image
  std::uint64_t unpacked = 0;   // bytes once unpacked
};

constexpr std::uint64_t kLargestEntry = 1ull << 30; // unpacked

// The image behind a wrapper of this process: {0x466243b1, version, image, ..}. Its length is the one that it names.
View image_of(const void* wrapper);

std::vector<Entry> entries(View image);

// Unpacked. Of PTX without the zeros at its end.
std::string contents(const Entry& entry);

// The PTX that a GPU of this generation would be given: the newest that is not newer, else the oldest. Empty where there is
// none.
std::string best_ptx(View image, std::uint32_t generation);

} // namespace tasuki::remote
