// The changes of a page since its twin, the copy from before the first write, was taken. Bytes only, not the states of pages.
//
//   for (const Run& run : differing(page, twin, 4096)) ..  // the bytes that differ, as runs
//   append_patch(out, number, page, twin, 4096);            // the same with the bytes, to be sent
//   Patches patches(bytes, count);
//   while (auto patch = patches.next()) apply(*patch, there); // where it arrives
//
// Only bytes that differ travel: those between belong to other writers of the page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tasuki::space {

struct Run {
  std::uint32_t at = 0, count = 0;
  bool operator==(const Run&) const = default;
};

// Runs ascend; none is empty, and no two are adjacent.
std::vector<Run> differing(const char* now, const char* before, std::size_t bytes);

// Appends a page's number, its runs and their bytes, or, if that is shorter, a bit for
// each byte and the bytes. Appends nothing and returns false if the page has not changed.
bool append_patch(std::vector<char>& out, std::uint64_t page, const char* now, const char* before,
                  std::size_t bytes);
// The same for a copy in which nobody has written: the whole page where three of four of its words of 4 bytes have changed, as
// a stencil's numbers do. It is then copied in one piece, without a look for the bytes of the numbers that stay.
bool append_update(std::vector<char>& out, std::uint64_t page, const char* now, const char* before,
                   std::size_t bytes);
// Appends the whole page.
void append_whole(std::vector<char>& out, std::uint64_t page, const char* now, std::size_t bytes);

// What append_patch() made of one page.
struct Patch {
  std::uint64_t page = 0;
  std::vector<Run> runs;       // those of a patch without a mask. All: runs_of()
  std::string_view mask;       // a bit for each byte of the page
  const char* bytes = nullptr; // of all runs, one behind the other
  const char* begin = nullptr; // where the patch begins in its message, and where it ends
  const char* end = nullptr;
};

std::vector<Run> runs_of(const Patch& patch);

// The patches of a message, in their order. Throws Error if the message has another form.
class Patches {
public:
  Patches(const char* from, std::size_t count, std::size_t page_bytes)
      : at_(from), end_(from + count), page_bytes_(page_bytes) {}
  std::optional<Patch> next();

private:
  const char* at_;
  const char* end_;
  std::size_t page_bytes_;
};

void apply(const Patch& patch, char* page);

} // namespace tasuki::space
