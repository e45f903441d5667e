#include <remote/fatbin/image.hpp>

#include <tasuki/base/error.hpp>

#include <lz4.h>
#include <zstd.h>

#include <cstring>

namespace tasuki::remote {
namespace {

constexpr std::uint32_t kWrapper = 0x466243b1u, kImage = 0xba55ed50u;
constexpr std::uint64_t kLz4 = 0x2000, kZstd = 0x8000; // flags
constexpr std::size_t kHeader = 16, kEntryHeader = 64, kMostEntries = 4096;

template <class T>
T read(View v, std::size_t at) {
  if (at > v.size || v.size - at < sizeof(T)) broken("it ends within a header");
  T value;
  std::memcpy(&value, v.data + at, sizeof value);
  return value;
}

} // namespace

void broken(const std::string& what) {
  throw Error("a fat binary is broken: " + what, "compile the program again");
}

View image_of(const void* wrapper) {
  struct {
    std::uint32_t magic, version;
    const unsigned char* data;
    const void* list;
  } w;
  std::memcpy(&w, wrapper, sizeof w);
  if (w.magic != kWrapper || w.data == nullptr) broken("its wrapper is of an unknown kind");
  View image{w.data, kHeader};
  if (read<std::uint32_t>(image, 0) != kImage) broken("its image is of an unknown kind");
  image.size = kHeader + read<std::uint64_t>(image, 8);
  return image;
}

std::vector<Entry> entries(View image) {
  if (read<std::uint32_t>(image, 0) != kImage) broken("it does not begin as one");
  const std::size_t header = read<std::uint16_t>(image, 6);
  const auto size = read<std::uint64_t>(image, 8);
  if (header < kHeader || header > image.size || size > image.size - header)
    broken("it is longer than what is there");
  const View body{image.data + header, static_cast<std::size_t>(size)};
  std::vector<Entry> found;
  for (std::size_t at = 0; at < body.size;) {
    if (body.size - at < kEntryHeader) broken("it ends within an entry");
    if (found.size() == kMostEntries) broken("it has too many entries");
    const auto kind = read<std::uint16_t>(body, at);
    const auto entry_header = read<std::uint32_t>(body, at + 4);
    const auto bytes = read<std::uint64_t>(body, at + 8);
    const auto packed = read<std::uint32_t>(body, at + 16);
    const auto flags = read<std::uint64_t>(body, at + 40);
    if (entry_header < kEntryHeader || entry_header > body.size - at || bytes > body.size - at - entry_header)
      broken("an entry is longer than what is there");
    Entry e;
    e.kind = kind == 1 ? Entry::Kind::ptx : kind == 2 ? Entry::Kind::elf : Entry::Kind::other;
    e.packing = flags & kLz4    ? Entry::Packing::lz4
                : flags & kZstd ? Entry::Packing::zstd
                                : Entry::Packing::none;
    e.generation = read<std::uint32_t>(body, at + 28);
    e.bytes = {body.data + at + entry_header, static_cast<std::size_t>(bytes)};
    e.unpacked = bytes;
    if (e.packing != Entry::Packing::none) {
      if (packed > bytes) broken("an entry's packed bytes are more than it has");
      e.bytes.size = packed;
      e.unpacked = read<std::uint64_t>(body, at + 56);
    }
    if (e.unpacked > kLargestEntry) broken("an entry is larger than 1 GiB");
    found.push_back(e);
    at += entry_header + static_cast<std::size_t>(bytes);
  }
  return found;
}

std::string contents(const Entry& e) {
  std::string text;
  switch (e.packing) {
    case Entry::Packing::none: text.assign(reinterpret_cast<const char*>(e.bytes.data), e.bytes.size); break;
    case Entry::Packing::lz4: {
      // One compressed byte gives at most 255 bytes.
      if (e.bytes.size > 1u << 30 || e.unpacked > 255 * std::uint64_t(e.bytes.size) + 255)
        broken("an entry says that it is larger than it can be");
      text.resize(static_cast<std::size_t>(e.unpacked));
      const int made = LZ4_decompress_safe(reinterpret_cast<const char*>(e.bytes.data), text.data(),
                                           static_cast<int>(e.bytes.size), static_cast<int>(text.size()));
      if (made < 0 || static_cast<std::size_t>(made) != text.size())
        broken("an entry cannot be unpacked by LZ4");
      break;
    }
    case Entry::Packing::zstd: {
      // The size in the frame's own header must agree before memory is allocated.
      if (ZSTD_getFrameContentSize(e.bytes.data, e.bytes.size) != e.unpacked)
        broken("an entry's size is not its frame's");
      text.resize(static_cast<std::size_t>(e.unpacked));
      const std::size_t made = ZSTD_decompress(text.data(), text.size(), e.bytes.data, e.bytes.size);
      if (ZSTD_isError(made) || made != text.size()) broken("an entry cannot be unpacked by zstd");
      break;
    }
  }
  if (e.kind == Entry::Kind::ptx) text.resize(text.find_last_not_of('\0') + 1);
  return text;
}

std::string best_ptx(View image, std::uint32_t generation) {
  std::vector<Entry> all = entries(image);
  const Entry* best = nullptr;
  for (const Entry& e : all) {
    if (e.kind != Entry::Kind::ptx) continue;
    const bool fits = e.generation <= generation, best_fits = best && best->generation <= generation;
    if (!best || (fits && (!best_fits || e.generation > best->generation)) ||
        (!fits && !best_fits && e.generation < best->generation))
      best = &e;
  }
  return best ? contents(*best) : std::string();
}

} // namespace tasuki::remote
