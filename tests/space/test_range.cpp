// One range of addresses: what a node's ranks see of each other's pages, and places that cannot be had.
#include <tasuki/space/range.hpp>

#include <tasuki/base/reduce.hpp>
#include <tests/checks.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <sys/mman.h>

#include <cstring>
#include <vector>

namespace tasuki::test {
namespace {

using space::Range;

constexpr std::size_t kPage = 8192;

std::uintptr_t base_address() { return world().settings().space_at + (std::uintptr_t{2} << 36); }

TEST(Range, IsOneFileThatTheRanksOfANodeSeeTwice) {
  Range range(world(), base_address(), std::size_t{1} << 30, kPage);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(range.view()), base_address());
  EXPECT_EQ(range.pages(), (std::size_t{1} << 30) / kPage);
  const auto me = static_cast<std::uint64_t>(world().node_rank()),
             ranks = static_cast<std::uint64_t>(world().node_size());
  range.show(0, ranks);
  range.view_of(me)[7] = static_cast<char>(me + 1);
  std::memset(range.twin(me), 77, kPage); // no part of the page
  barrier(world(), "the others to have written");
  std::vector<char> seen(kPage);
  for (std::uint64_t page = 0; page < ranks; ++page) {
    EXPECT_EQ(range.page_of(range.view_of(page) + kPage - 1), page);
    EXPECT_EQ(range.page(page)[7], static_cast<char>(page + 1));
    EXPECT_EQ(range.page(page)[8], 0);
    range.read(page, seen.data(), kPage);
    EXPECT_EQ(seen[7], static_cast<char>(page + 1));
  }
  EXPECT_FALSE(range.has(range.view() + range.size()));
  barrier(world(), "the others to have looked");
  const std::vector<char> bytes(kPage, 5);
  range.write(me, bytes.data(), kPage);
  range.write_twins(me, bytes.data(), 1);
  EXPECT_EQ(range.view_of(me)[kPage - 1], 5);
  EXPECT_EQ(range.twin(me)[0], 5);
  EXPECT_EQ(range.twin(me)[1], 77);
  range.release(me, 1);
  EXPECT_EQ(range.view_of(me)[kPage - 1] + range.twin(me)[1], 0);
  barrier(world(), "the others to have looked");
}

TEST(Range, AddressesThatOneRankHasNotAreRefusedOnAll) {
  void* const wish = reinterpret_cast<void*>(base_address() + (std::uintptr_t{1} << 29));
  void* taken = MAP_FAILED;
  if (world().rank() == world().size() - 1)
    taken = mmap(wish, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  EXPECT_NE(refusal([] {
              Range(world(), base_address(), std::size_t{1} << 30, kPage);
            }).find("are not free on every rank"),
            std::string::npos);
  if (taken != MAP_FAILED) munmap(taken, 4096);
  const Range again(world(), base_address(), std::size_t{1} << 30, kPage);
  EXPECT_NE(refusal([] {
              Range(world(), base_address() + (std::uintptr_t{1} << 30), std::size_t{1} << 30, 5000);
            }).find("a page of 5000 bytes is none of this system's"),
            std::string::npos);
}

} // namespace
} // namespace tasuki::test
