// Fat binaries as nvcc makes them, as tests make them, and as hostile hands do.
#include <remote/fatbin/callees.hpp>
#include <remote/fatbin/parameters.hpp>
#include <remote/fatbin/variables.hpp>

#include <tasuki/base/error.hpp>

#include <gtest/gtest.h>
#include <lz4.h>

#include <cstring>
#include <fstream>
#include <random>
#include <sstream>

#include "../dice.hpp"

namespace tasuki::remote {
namespace {

std::string bytes_of(const std::string& name) {
  std::ifstream in(std::string(TASUKI_FATBIN_TESTS) + "/" + name, std::ios::binary);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

View view(const std::string& text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

// An image of one text of PTX for each generation, packed by LZ4 where asked for.
std::string image_of_texts(const std::vector<std::pair<std::uint32_t, std::string>>& texts, bool packed) {
  std::string body;
  for (const auto& [generation, text] : texts) {
    std::string bytes = text;
    if (packed) {
      bytes.resize(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(text.size()))));
      bytes.resize(static_cast<std::size_t>(LZ4_compress_default(
          text.data(), bytes.data(), static_cast<int>(text.size()), static_cast<int>(bytes.size()))));
    }
    std::string header(64, '\0');
    const auto set = [&](std::size_t at, auto value) { std::memcpy(&header[at], &value, sizeof value); };
    set(0, std::uint16_t(1));
    set(4, std::uint32_t(64));
    set(8, std::uint64_t(bytes.size()));
    set(16, packed ? std::uint32_t(bytes.size()) : 0u);
    set(28, generation);
    set(40, packed ? std::uint64_t(0x2011) : std::uint64_t(0x11));
    set(56, std::uint64_t(packed ? text.size() : 0));
    body += header + bytes;
  }
  std::string image("\x50\xed\x55\xba\x01\x00\x10\x00", 8);
  const std::uint64_t size = body.size();
  image.append(reinterpret_cast<const char*>(&size), 8);
  return image + body;
}

const std::vector<ParameterOf> kLittle = {{0, 1}, {8, 8}, {16, 2}, {24, 8}, {32, 12}};
const std::vector<ParameterOf> kBig = {{0, 8000}, {8000, 8}, {8008, 1}, {8010, 2}, {8016, 8}};

TEST(Image, WhatNvccMakes) {
  const std::string image = bytes_of("parameters.fatbin");
  const std::vector<Entry> all = entries(view(image));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].kind, Entry::Kind::elf);
  EXPECT_EQ(all[1].kind, Entry::Kind::ptx);
  for (const Entry& e : all) {
    EXPECT_EQ(e.packing, Entry::Packing::zstd);
    EXPECT_EQ(e.generation, 90u);
  }
  // The text and the machine code say the same.
  for (const KernelParameters& found :
       {cubin_parameters(contents(all[0])), ptx_parameters(contents(all[1])), parameters_of(view(image))}) {
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found.at("_Z6littlecPfsd4int3"), kLittle);
    EXPECT_EQ(found.at("_Z3big3BigPfcsd"), kBig);
  }
}

TEST(Image, AWrapperNamesItsImage) {
  const std::string image = image_of_texts({{75, "a"}}, false) + "what follows in the program";
  const struct {
    std::uint32_t magic = 0x466243b1u, version = 1;
    const void* data;
    const void* list = nullptr;
  } wrapper{0x466243b1u, 1, image.data(), nullptr};
  EXPECT_EQ(image_of(&wrapper).size, image.size() - 27);
  EXPECT_EQ(best_ptx(image_of(&wrapper), 90), "a");
}

TEST(Image, TheTextForAGeneration) {
  for (const bool packed : {false, true}) {
    const std::string image =
        image_of_texts({{75, "old old old old old old old"}, {90, "mine"}, {100, "new"}}, packed);
    EXPECT_EQ(best_ptx(view(image), 90), "mine");
    EXPECT_EQ(best_ptx(view(image), 99), "mine");
    EXPECT_EQ(best_ptx(view(image), 80), "old old old old old old old");
    EXPECT_EQ(best_ptx(view(image), 50), "old old old old old old old");
    EXPECT_EQ(best_ptx(view(image), 120), "new");
  }
  EXPECT_EQ(best_ptx(view(image_of_texts({}, false)), 90), "");
}

TEST(Parameters, OfText) {
  const KernelParameters found = ptx_parameters(R"(
.version 9.0 // .entry not_this(
.target sm_90 /* .entry nor_this( .param .u32 a ) */
.address_size 64
.visible .entry none() { ret; }
.weak .entry some(
  .param .u32 a,
  .param .align 16 .b8 b[20],
  .param .u64 .ptr .global .align 1 c,
  .param .f64 d[3][2]
)
.maxntid 128, 1, 1
{ ret; }
)");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(found.at("none").empty());
  const std::vector<ParameterOf> some = {{0, 4}, {16, 20}, {40, 8}, {48, 48}};
  EXPECT_EQ(found.at("some"), some);
}

// As nvcc writes it, of malloc and of `new` alike.
const char* const kCallsMalloc = R"(
.extern .func (.param .b64 func_retval0) malloc ( .param .b64 malloc_param_0 );
.visible .entry gives() {
{ // callseq 0, 0
st.param.b64 [param0+0], 4;
@%p1 call.uni (retval0), 
malloc, 
(
param0
);
} // callseq 0
ret; }
)";

TEST(Callees, OfTextAndOfEachGeneration) {
  const auto calls = [](const std::string& image) {
    return calls_function(image.data(), image.size(), "malloc");
  };
  const std::string with = kCallsMalloc;
  const std::string without =
      ".extern .func (.param .b64 r) malloc (.param .b64 n);\n.entry malloc_all() {\n"
      "// call.uni malloc;\ncall.uni malloc_all; mov.u64 %malloc, 1; ret; }\n";
  EXPECT_TRUE(calls(with));
  EXPECT_FALSE(calls(without));
  EXPECT_FALSE(calls_function(with.data(), with.size(), "mallo"));
  for (const bool packed : {false, true}) {
    EXPECT_TRUE(calls(image_of_texts({{75, without}, {90, with}}, packed)));
    EXPECT_FALSE(calls(image_of_texts({{75, without}, {90, without}}, packed)));
  }
  EXPECT_FALSE(calls(bytes_of("parameters.fatbin")));
  EXPECT_FALSE(calls(image_of_texts({{90, with}}, false).substr(0, 100))); // broken: its load says so
  EXPECT_FALSE(calls(""));
}

TEST(Image, WhatIsBrokenIsSaidInOneLine) {
  const std::string image = bytes_of("parameters.fatbin");
  for (std::size_t size = 0; size < image.size(); size += 7) {
    const std::string cut = image.substr(0, size);
    EXPECT_THROW(entries(view(cut)), Error) << size;
  }
  std::string huge = image_of_texts({{90, std::string(300, 'x')}}, true);
  const std::uint64_t claimed = 1ull << 29;
  std::memcpy(&huge[16 + 56], &claimed, 8);
  EXPECT_THROW(best_ptx(view(huge), 90), Error); // without taking that much
}

// 100,000 images that are broken at random: an Error or an answer, and no byte is read that is not there.
TEST(Image, Mutants) {
  std::mt19937_64 random(seed_of_test());
  const std::string text = contents(entries(view(bytes_of("parameters.fatbin"))).at(1));
  const std::string origins[] = {bytes_of("parameters.fatbin"),
                                 image_of_texts({{75, text}, {90, text}}, true),
                                 image_of_texts({{90, text}}, false)};
  const std::string elf = contents(entries(view(origins[0])).at(0));
  const std::uint64_t edges[] = {
      0, 1, 0xff, 0x7fffffff, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0xffffffffffffffff, 64, 16};
  int answers = 0, errors = 0;
  for (int k = 0; k < longer(100000); ++k) {
    const bool code = k % 4 == 3;
    std::string bytes = code ? elf : origins[static_cast<std::size_t>(k % 4)];
    for (std::uint64_t n = 1 + random() % 4; n > 0; --n) {
      const std::size_t at =
          random() % (random() % 2 ? std::min<std::size_t>(bytes.size(), 192) : bytes.size());
      const std::uint64_t edge = edges[random() % 10] + random() % 3;
      if (random() % 2)
        bytes[at] = static_cast<char>(random());
      else
        std::memcpy(&bytes[at], &edge, std::min<std::size_t>(bytes.size() - at, 1u << random() % 4));
    }
    if (random() % 8 == 0) bytes.resize(random() % bytes.size());
    const std::vector<char> exact(bytes.begin(), bytes.end()); // its end is the end of what may be read
    try {
      if (code)
        cubin_parameters(bytes);
      else
        parameters_of({reinterpret_cast<const unsigned char*>(exact.data()), exact.size()});
      ++answers;
    } catch (const Error&) {
      ++errors;
    }
  }
  EXPECT_GT(answers, 1000);
  EXPECT_GT(errors, 1000);
}

TEST(Variables, AreNamedByThePtxOutsideOfFunctions) {
  const std::string text =
      ".version 8.0\n.target sm_75\n.visible .global .align 4 .u32 total = 7;\n"
      ".global .attribute(.managed) .align 8 .b8 page[64];\n.const .align 4 .f32 _ZL5scale[3] = {0f3F800000, "
      "0f00000000};\n"
      ".extern .global .align 4 .u32 elsewhere;\n.global .align 1 .b8 $str[4] = {37, 100, 10};\n"
      ".visible .entry f() { .shared .align 4 .b8 inside[8]; ld.global.u32 %r1, [total]; ret; }\n"
      ".weak .global .align 4 .u32 last;";
  const std::set<std::string> names = {"total", "page", "_ZL5scale", "last"};
  EXPECT_EQ(variables_of(text.data(), text.size()), names);
  const std::string image = image_of_texts({{75, text}, {90, ".global .u64 other;"}}, true);
  std::set<std::string> all = names;
  all.insert("other");
  EXPECT_EQ(variables_of(image.data(), image.size()), all);
  EXPECT_FALSE(
      variables_of("\x7f"
                   "ELF and more",
                   13)); // machine code alone
}

} // namespace
} // namespace tasuki::remote
