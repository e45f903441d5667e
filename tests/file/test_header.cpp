#include <tasuki/file/header.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#ifdef TASUKI_HAVE_HDF5
#include <tasuki/base/error.hpp>
#include <tasuki/file/integrity.hpp>

#include <cstdio>
#include <string>

namespace tasuki {
namespace {

std::string text_of(const Header& header) {
  const auto block = to_block(header);
  return {block.data(), block.size()};
}

std::string error_of(const std::string& block, std::uint64_t bytes) {
  try {
    parse_header("a.h5", block, bytes);
  } catch (const Error& fault) {
    return fault.what();
  }
  return "";
}

// The text with the line that proves it, as any version writes it.
std::string proven(std::string text) {
  char line[32];
  std::snprintf(line, sizeof line, "head %016llx\n",
                static_cast<unsigned long long>(hash_bytes(text.data(), text.size(), 0)));
  text += line;
  text.resize(kHeaderBytes, '\0');
  return text;
}

const Header kExample{"checkpoint", 5000, 4000, 0x123456789abcdef0, 7};

TEST(Header, ComesBack) {
  const Header header = parse_header("a.h5", text_of(kExample), 5000);
  EXPECT_EQ(header.kind, "checkpoint");
  EXPECT_EQ(header.bytes, 5000u);
  EXPECT_EQ(header.manifest, 4000u);
  EXPECT_EQ(header.hash, 0x123456789abcdef0u);
  EXPECT_EQ(header.manifest_hash, 7u);
}

TEST(Header, RefusesEveryChangedBit) {
  for (std::size_t i = 0; i < kHeaderBytes; ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string block = text_of(kExample);
      block[i] = static_cast<char>(block[i] ^ (1 << bit));
      EXPECT_NE(error_of(block, 5000), "") << "bit " << bit << " of byte " << i;
    }
}

TEST(Header, NamesANewerFormat) {
  EXPECT_EQ(error_of(proven("TASUKI 2\nsomething else\n"), 5000),
            "a.h5 has format 2, this build reads format 1; use the version of Tasuki that wrote it, or a "
            "newer one");
}

TEST(Header, RefusesAProvenTextThatIsNone) {
  for (const char* text :
       {"TASUKI 1\n", "TASUKI 1\ncheckpoint\nbytes x manifest 600\nhash 0 0\n", "TASUKI one\ncheckpoint\n",
        "TASUKI 1\ncheckpoint\nbytes 5000 manifest 6000\nhash 00 00\n",
        "TASUKI 1\ncheckpoint\nbytes 5000 manifest 4000\nhash 00 00\nmore\n"})
    EXPECT_NE(error_of(proven(text), 5000).find("its header is damaged"), std::string::npos) << text;
}

TEST(Header, TellsAShorterAndALongerFile) {
  EXPECT_NE(error_of(text_of(kExample), 4999).find("cut short: it holds 4999 of 5000 bytes"),
            std::string::npos);
  EXPECT_NE(error_of(text_of(kExample), 5001).find("it holds 5001 bytes, 5000 were written"),
            std::string::npos);
  EXPECT_NE(error_of("TASU", 4).find("cut short"), std::string::npos);
  EXPECT_NE(error_of("TASO", 4).find("is not a file of Tasuki"), std::string::npos);
}

} // namespace
} // namespace tasuki
#endif
