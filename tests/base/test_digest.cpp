// A digest is FNV-1a of 64 bits: files keep it, so it may never be another.
#include <tasuki/base/digest.hpp>

#include <gtest/gtest.h>

namespace tasuki {
namespace {

TEST(Digest, IsWhatOthersComputeToo) { // from the list of its authors
  EXPECT_EQ(Digest().value(), 0xcbf29ce484222325u);
  EXPECT_EQ(Digest().bytes("a", 1).value(), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(Digest().bytes("foobar", 6).value(), 0x85944171f73967e8u);
}

TEST(Digest, KnowsWhereATextEnds) {
  EXPECT_NE(Digest().add("a").add("bc").value(), Digest().add("ab").add("c").value());
  EXPECT_NE(Digest().add("").value(), Digest().value());
  EXPECT_EQ(Digest().add("ab").value(), Digest().bytes("ab\0", 3).value());
}

TEST(Digest, KnowsTheOrderOfNumbers) {
  EXPECT_NE(Digest().add(std::uint64_t{1}).add(std::uint64_t{2}).value(),
            Digest().add(std::uint64_t{2}).add(std::uint64_t{1}).value());
  EXPECT_NE(Digest().add(std::uint64_t{1} << 40).value(), Digest().add(std::uint64_t{1} << 41).value());
}

} // namespace
} // namespace tasuki
