#include <tasuki/space/diff.hpp>

#include <tasuki/base/error.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

namespace tasuki::space {
namespace {

constexpr std::uint32_t kMask = 0xffffffffu; // instead of a number of runs: a bit a byte follows

struct Head {
  std::uint64_t page;
  std::uint32_t runs, bytes;
};

template <class T>
void append(std::vector<char>& out, const T& value) {
  const std::size_t end = out.size();
  out.resize(end + sizeof value);
  std::memcpy(out.data() + end, &value, sizeof value);
}

constexpr std::uint64_t has_zero_byte(std::uint64_t word) {
  return (word - 0x0101010101010101u) & ~word & 0x8080808080808080u;
}

std::uint64_t word_at(const char* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  return word;
}

} // namespace

std::vector<Run> differing(const char* now, const char* before, std::size_t bytes) {
  constexpr std::size_t kBlock = 64 * sizeof(std::uint64_t); // bytes that are looked at as one
  std::vector<Run> runs;
  if (std::memcmp(now, before, bytes) == 0) return runs;
  const auto note = [&](std::size_t at, std::uint32_t count = 1) {
    const auto byte = static_cast<std::uint32_t>(at);
    if (!runs.empty() && runs.back().at + runs.back().count == byte)
      runs.back().count += count;
    else
      runs.push_back({byte, count});
  };
  std::size_t at = 0;
  while (at + 8 <= bytes) {
    if (at + kBlock <= bytes) {
      std::uint64_t any = 0, same = 0; // a bit that differs; a byte that does not
      for (std::size_t k = at; k < at + kBlock; k += 8) {
        const std::uint64_t differs = word_at(now + k) ^ word_at(before + k);
        any |= differs;
        same |= has_zero_byte(differs);
      }
      if (any && !same) note(at, kBlock);
      if (!any || !same) {
        at += kBlock;
        continue;
      }
    }
    for (const std::size_t end = std::min(at + kBlock, bytes - bytes % 8); at < end; at += 8) {
      const std::uint64_t differs = word_at(now + at) ^ word_at(before + at);
      if (differs == 0) continue;
      if (!has_zero_byte(differs)) {
        note(at, 8);
        continue;
      }
      for (std::size_t k = at; k < at + 8; ++k)
        if (now[k] != before[k]) note(k);
    }
  }
  for (; at < bytes; ++at)
    if (now[at] != before[at]) note(at);
  return runs;
}

namespace {

// A bit for each byte that is not zero, the lowest for the first.
std::uint8_t bits_of(std::uint64_t word) {
  static_assert(std::endian::native == std::endian::little, "the first byte is the lowest");
  constexpr std::uint64_t low = 0x7f7f7f7f7f7f7f7fu;
  const std::uint64_t high = (((word & low) + low) | word) & ~low;
  return static_cast<std::uint8_t>((high >> 7) * 0x0102040810204080u >> 56);
}

// A bit for each byte that differs, then these bytes, of which there are `changed`.
void append_mask(std::vector<char>& out, const char* now, const char* before, std::size_t bytes,
                 std::size_t changed) {
  const std::size_t begin = out.size(), end = begin + (bytes + 7) / 8 + changed;
  out.resize(end + 1); // each byte is stored, and the next one over it where it is the same
  char* bits = out.data() + begin;
  char* to = bits + (bytes + 7) / 8;
  for (std::size_t at = 0; at < bytes; at += 8) {
    const std::size_t count = std::min<std::size_t>(8, bytes - at);
    char a[8] = {}, b[8] = {};
    std::memcpy(a, now + at, count);
    std::memcpy(b, before + at, count);
    const std::uint8_t differs = bits_of(word_at(a) ^ word_at(b));
    *bits++ = static_cast<char>(differs);
    for (std::size_t k = 0; k < count; ++k) {
      *to = a[k];
      to += differs >> k & 1;
    }
  }
  out.resize(end);
}

bool append_runs(std::vector<char>& out, std::uint64_t page, const char* now, const char* before,
                 std::size_t bytes, bool or_whole) {
  const std::vector<Run> runs = differing(now, before, bytes);
  if (runs.empty()) return false;
  std::uint32_t changed = 0;
  for (const Run& run : runs) changed += run.count;
  const bool mask = runs.size() * sizeof(Run) > (bytes + 7) / 8;
  if (mask && or_whole && 2 * changed > bytes) {
    append_whole(out, page, now, bytes);
    return true;
  }
  append(out, Head{page, mask ? kMask : static_cast<std::uint32_t>(runs.size()), changed});
  if (mask) {
    append_mask(out, now, before, bytes, changed);
    return true;
  }
  for (const Run& run : runs) append(out, run);
  for (const Run& run : runs) out.insert(out.end(), now + run.at, now + run.at + run.count);
  return true;
}

} // namespace

bool append_patch(std::vector<char>& out, std::uint64_t page, const char* now, const char* before,
                  std::size_t bytes) {
  return append_runs(out, page, now, before, bytes, false);
}

bool append_update(std::vector<char>& out, std::uint64_t page, const char* now, const char* before,
                   std::size_t bytes) {
  return append_runs(out, page, now, before, bytes, true);
}

void append_whole(std::vector<char>& out, std::uint64_t page, const char* now, std::size_t bytes) {
  const auto count = static_cast<std::uint32_t>(bytes);
  append(out, Head{page, 1, count});
  append(out, Run{0, count});
  out.insert(out.end(), now, now + bytes);
}

std::optional<Patch> Patches::next() {
  if (at_ == end_) return {};
  const auto need = [&](std::size_t bytes) {
    if (static_cast<std::size_t>(end_ - at_) < bytes)
      throw Error("a message about written pages ends early", "see whether all ranks run the same Tasuki");
  };
  Head head{};
  need(sizeof head);
  std::memcpy(&head, at_, sizeof head);
  Patch patch;
  patch.page = head.page;
  patch.begin = at_;
  at_ += sizeof head;
  if (head.runs == kMask) {
    need((page_bytes_ + 7) / 8);
    for (std::uint32_t k = 0; k < page_bytes_; ++k) {
      if (!(at_[k / 8] >> k % 8 & 1)) continue;
      if (!patch.runs.empty() && patch.runs.back().at + patch.runs.back().count == k)
        ++patch.runs.back().count;
      else
        patch.runs.push_back({k, 1});
    }
    at_ += (page_bytes_ + 7) / 8;
  } else {
    need(head.runs * sizeof(Run));
    patch.runs.resize(head.runs);
    if (head.runs > 0) std::memcpy(patch.runs.data(), at_, head.runs * sizeof(Run));
    at_ += head.runs * sizeof(Run);
  }
  need(head.bytes);
  std::uint64_t sum = 0;
  for (const Run& run : patch.runs) {
    sum += run.count;
    if (std::uint64_t{run.at} + run.count > page_bytes_) sum = ~std::uint64_t{0} >> 1;
  }
  if (sum != head.bytes)
    throw Error(
        "a message about written pages does not fit pages of " + std::to_string(page_bytes_) + " bytes",
        "see whether all ranks run the same Tasuki");
  patch.bytes = at_;
  at_ += head.bytes;
  patch.end = at_;
  return patch;
}

void apply(const Patch& patch, char* page) {
  const char* from = patch.bytes;
  for (const Run& run : patch.runs) {
    std::memcpy(page + run.at, from, run.count);
    from += run.count;
  }
}

} // namespace tasuki::space
