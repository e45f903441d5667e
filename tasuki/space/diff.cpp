#include <tasuki/space/diff.hpp>

#include <tasuki/base/error.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

namespace tasuki::space {
namespace {

constexpr std::uint64_t kNone = ~std::uint64_t{0}; // bytes of a patch that is none
constexpr std::uint32_t kMask = 0xffffffffu;       // instead of a number of runs: a bit a byte follows

struct RunHead {
  std::uint64_t page;
  std::uint32_t runs, bytes;
};

template <class T>
void append(std::vector<char>& out, const T& value) {
  const std::size_t end = out.size();
  out.resize(end + sizeof value);
  std::memcpy(out.data() + end, &value, sizeof value);
}

static_assert(std::endian::native == std::endian::little, "the first byte of a word is its lowest");

std::uint64_t word_at(const char* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// Bit k of byte j becomes bit j of byte k.
std::uint64_t transposed(std::uint64_t bits) {
  const auto swap = [&](int apart, std::uint64_t which) {
    const std::uint64_t both = (bits ^ (bits >> apart)) & which;
    bits ^= both ^ (both << apart);
  };
  swap(7, 0x00aa00aa00aa00aau);
  swap(14, 0x0000cccc0000ccccu);
  swap(28, 0x00000000f0f0f0f0u);
  return bits;
}

constexpr std::size_t kBlock = 64; // bytes that one word of bits is about
constexpr std::size_t kBlocks = 8; // that are looked at as one first

constexpr std::uint64_t has_zero_byte(std::uint64_t word) {
  return (word - 0x0101010101010101u) & ~word & 0x8080808080808080u;
}

// A bit for each of 64 bytes that differs, the lowest for the first.
std::uint64_t bits_of(const char* now, const char* before) {
  constexpr std::uint64_t low = 0x7f7f7f7f7f7f7f7fu;
  std::uint64_t columns = 0; // bit k of byte j: byte j of word k differs
  for (int k = 0; k < 8; ++k) {
    const std::uint64_t word = word_at(now + 8 * k) ^ word_at(before + 8 * k);
    const std::uint64_t high = (((word & low) + low) | word) & ~low;
    columns |= high >> (7 - k);
  }
  return columns == 0 ? 0 : transposed(columns);
}

// What differs of a page.
struct Difference {
  std::vector<std::uint64_t> bits;     // a bit a byte
  std::uint32_t changed = 0, runs = 0; // bytes; runs of them
};

// The bits of all 512 bytes from here on where they are the same: nobody writes here and there in most of an array.
std::optional<std::uint64_t> all_alike(const char* now, const char* before) {
  std::uint64_t any = 0, same = 0; // a bit that differs; a byte that does not
  for (std::size_t k = 0; k < kBlocks * kBlock; k += 8) {
    const std::uint64_t differs = word_at(now + k) ^ word_at(before + k);
    any |= differs;
    same |= has_zero_byte(differs);
  }
  if (any && same) return {};
  return any ? ~std::uint64_t{0} : 0;
}

Difference difference(const char* now, const char* before, std::size_t bytes) {
  Difference all;
  if (std::memcmp(now, before, bytes) == 0) return all;
  all.bits.resize((bytes + kBlock - 1) / kBlock);
  bool last = false; // whether the byte before the block differs
  const auto note = [&](std::size_t place, std::uint64_t bits) {
    all.bits[place] = bits;
    all.changed += static_cast<std::uint32_t>(std::popcount(bits));
    all.runs += static_cast<std::uint32_t>(std::popcount(bits & ~(bits << 1 | (last ? 1u : 0u))));
    last = bits >> (kBlock - 1);
  };
  for (std::size_t at = 0; at < bytes; at += kBlock) {
    const std::size_t place = at / kBlock;
    if (place % kBlocks == 0 && at + kBlocks * kBlock <= bytes)
      if (const auto alike = all_alike(now + at, before + at)) {
        std::fill_n(all.bits.begin() + static_cast<std::ptrdiff_t>(place), kBlocks, *alike);
        if (*alike) {
          all.changed += kBlocks * kBlock;
          all.runs += !last;
        }
        last = *alike != 0;
        at += (kBlocks - 1) * kBlock;
        continue;
      }
    if (at + kBlock <= bytes) {
      note(place, bits_of(now + at, before + at));
      continue;
    }
    char one[kBlock] = {}, other[kBlock] = {};
    std::memcpy(one, now + at, bytes - at);
    std::memcpy(other, before + at, bytes - at);
    note(place, bits_of(one, other));
  }
  return all;
}

// Calls act(at, count) for each run of ones in a word. A run that goes on in the next word is two.
template <class Word, class Act>
void by_ones(Word bits, const Act& act) {
  for (std::uint32_t at = 0; bits != 0;) {
    const int zeros = std::countr_zero(bits);
    bits = static_cast<Word>(bits >> zeros);
    const int ones = std::countr_one(bits);
    act(at + static_cast<std::uint32_t>(zeros), static_cast<std::uint32_t>(ones));
    at += static_cast<std::uint32_t>(zeros + ones);
    bits = static_cast<std::size_t>(ones) == 8 * sizeof(Word) ? Word{0} : static_cast<Word>(bits >> ones);
  }
}

void add_run(std::vector<Run>& runs, std::uint32_t at, std::uint32_t count) {
  if (!runs.empty() && runs.back().at + runs.back().count == at)
    runs.back().count += count;
  else
    runs.push_back({at, count});
}

std::vector<Run> runs_in(const Difference& all) {
  std::vector<Run> runs;
  runs.reserve(all.runs);
  for (std::size_t k = 0; k < all.bits.size(); ++k) {
    const auto first = static_cast<std::uint32_t>(k * kBlock);
    if (~all.bits[k] == 0) {
      add_run(runs, first, kBlock);
      continue;
    }
    by_ones(all.bits[k], [&](std::uint32_t at, std::uint32_t count) { add_run(runs, first + at, count); });
  }
  return runs;
}

// A bit for each byte that differs, then these bytes.
void append_mask(std::vector<char>& out, const char* now, std::size_t bytes, const Difference& all) {
  const std::size_t begin = out.size(), mask = (bytes + 7) / 8, end = begin + mask + all.changed;
  out.resize(end + 8); // a word is stored as a whole, and the next one over what is not of it
  std::memcpy(out.data() + begin, all.bits.data(), mask);
  char* to = out.data() + begin + mask;
  for (std::size_t at = 0; at < bytes; at += 8) {
    const auto which = static_cast<std::uint8_t>(out[begin + at / 8]);
    if (which == 0) continue;
    std::uint64_t word = 0;
    std::memcpy(&word, now + at, std::min<std::size_t>(8, bytes - at));
    by_ones(which, [&](std::uint32_t first, std::uint32_t count) {
      const std::uint64_t piece = word >> 8 * first;
      std::memcpy(to, &piece, sizeof piece);
      to += count;
    });
  }
  out.resize(end);
}

// Whether three of four words of a page differ.
bool most_differs(const char* now, const char* before, std::size_t bytes) {
  const std::size_t words = bytes / sizeof(std::uint32_t);
  std::uint32_t changed = 0;
  for (std::size_t k = 0; k < words; ++k) {
    std::uint32_t one = 0, other = 0;
    std::memcpy(&one, now + k * sizeof one, sizeof one);
    std::memcpy(&other, before + k * sizeof other, sizeof other);
    changed += one != other;
  }
  return changed > 0 && std::size_t{4} * changed >= 3 * words;
}

// One to eight bytes, and no other is stored: those beside them may be written by others meanwhile.
void copy_few(char* to, const char* from, std::uint32_t count) {
  if (count >= 4) {
    if (count == 8) {
      std::memcpy(to, from, 8);
      return;
    }
    std::uint32_t first = 0, last = 0;
    std::memcpy(&first, from, 4);
    std::memcpy(&last, from + count - 4, 4);
    std::memcpy(to, &first, 4);
    std::memcpy(to + count - 4, &last, 4);
    return;
  }
  for (std::uint32_t k = 0; k < count; ++k) to[k] = from[k];
}

} // namespace

std::vector<Run> differing(const char* now, const char* before, std::size_t bytes) {
  return runs_in(difference(now, before, bytes));
}

std::vector<Run> runs_of(const Patch& patch) {
  if (patch.mask.empty()) return patch.runs;
  std::vector<Run> runs;
  for (std::size_t k = 0; k < patch.mask.size(); ++k)
    by_ones(static_cast<std::uint8_t>(patch.mask[k]), [&](std::uint32_t at, std::uint32_t count) {
      add_run(runs, static_cast<std::uint32_t>(8 * k) + at, count);
    });
  return runs;
}

bool append_patch(std::vector<char>& out, std::uint64_t page, const char* now, const char* before,
                  std::size_t bytes) {
  const Difference all = difference(now, before, bytes);
  if (all.changed == 0) return false;
  const bool mask = all.runs * sizeof(Run) > (bytes + 7) / 8;
  append(out, RunHead{page, mask ? kMask : all.runs, all.changed});
  if (mask) {
    append_mask(out, now, bytes, all);
    return true;
  }
  const std::vector<Run> runs = runs_in(all);
  for (const Run& run : runs) append(out, run);
  for (const Run& run : runs) out.insert(out.end(), now + run.at, now + run.at + run.count);
  return true;
}

bool append_update(std::vector<char>& out, std::uint64_t page, const char* now, const char* before,
                   std::size_t bytes) {
  if (!most_differs(now, before, bytes)) return append_patch(out, page, now, before, bytes);
  append_whole(out, page, now, bytes);
  return true;
}

void append_whole(std::vector<char>& out, std::uint64_t page, const char* now, std::size_t bytes) {
  const auto count = static_cast<std::uint32_t>(bytes);
  append(out, RunHead{page, 1, count});
  append(out, Run{0, count});
  out.insert(out.end(), now, now + bytes);
}

std::optional<Patch> Patches::next() {
  if (at_ == end_) return {};
  const auto need = [&](std::size_t bytes) {
    if (static_cast<std::size_t>(end_ - at_) < bytes)
      throw Error("a message about written pages ends early", "see whether all ranks run the same Tasuki");
  };
  RunHead head{};
  need(sizeof head);
  std::memcpy(&head, at_, sizeof head);
  Patch patch;
  patch.page = head.page;
  patch.begin = at_;
  at_ += sizeof head;
  std::uint64_t sum = 0;
  if (head.runs == kMask) {
    const std::size_t mask = (page_bytes_ + 7) / 8;
    need(mask);
    patch.mask = {at_, mask};
    for (const char bits : patch.mask)
      sum += static_cast<std::uint64_t>(std::popcount(static_cast<std::uint8_t>(bits)));
    if (page_bytes_ % 8 && static_cast<std::uint8_t>(at_[mask - 1]) >> page_bytes_ % 8) sum = kNone;
    at_ += mask;
  } else {
    need(head.runs * sizeof(Run));
    patch.runs.resize(head.runs);
    if (head.runs > 0) std::memcpy(patch.runs.data(), at_, head.runs * sizeof(Run));
    at_ += head.runs * sizeof(Run);
    for (const Run& run : patch.runs)
      sum = std::uint64_t{run.at} + run.count > page_bytes_ || sum == kNone ? kNone : sum + run.count;
  }
  need(head.bytes);
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
  for (std::size_t k = 0; k < patch.mask.size(); ++k)
    by_ones(static_cast<std::uint8_t>(patch.mask[k]), [&](std::uint32_t at, std::uint32_t count) {
      copy_few(page + 8 * k + at, from, count);
      from += count;
    });
  for (const Run& run : patch.runs) {
    std::memcpy(page + run.at, from, run.count);
    from += run.count;
  }
}

} // namespace tasuki::space
