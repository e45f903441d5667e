// A fat binary: machine code and PTX of the same kernels for several GPU generations, as nvcc embeds it in a program.
//
//   View image = image_of(wrapper);               // the argument of __cudaRegisterFatBinary
//   for (const Entry& e : entries(image))
//     if (e.kind == Entry::Kind::ptx) parse(contents(e));
//
// The bytes are untrusted: every length is compared with the available bytes before its use, and with a limit before
// any allocation. Throws Error.
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
  View bytes;                   // as stored in the image
  std::uint64_t unpacked = 0;   // size in bytes after decompression
};

constexpr std::uint64_t kLargestEntry = 1ull << 30; // after decompression

// Throws the Error of bytes that are none.
[[noreturn]] void broken(const std::string& what);

// The image of a wrapper in this process: {0x466243b1, version, image, ..}. Its length is taken from its own header.
View image_of(const void* wrapper);

std::vector<Entry> entries(View image);

// Decompressed. For PTX without the zeros at its end.
std::string contents(const Entry& entry);

// The PTX that a GPU of this generation would use: the newest that is not newer than the GPU, otherwise the oldest.
// Empty if there is none.
std::string best_ptx(View image, std::uint32_t generation);

} // namespace tasuki::remote
