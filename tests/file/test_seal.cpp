// A sealed JSON text is JSON, and any byte that changes is noticed or changes nothing that is read.
#include <tasuki/file/checkpoint.hpp>
#include <tasuki/file/seal.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tasuki {
namespace {

const nlohmann::ordered_json kDocument = {{"a", 1}, {"b", {{"c", "text"}, {"d", {1.5, 2.5}}}}};

TEST(Seal, IsALineOfTheObject) {
  if (hdf5_version().empty()) GTEST_SKIP() << "no xxHash in this build";
  for (const int indent : {-1, 2}) {
    const std::string text = sealed(kDocument.dump(indent) + "\n");
    auto json = nlohmann::ordered_json::parse(text);
    EXPECT_EQ(json.at("xxh3").get<std::string>().size(), 16u);
    json.erase("xxh3");
    EXPECT_EQ(json, kDocument);
    EXPECT_TRUE(check_seal("a.json", text));
    EXPECT_FALSE(check_seal("a.json", kDocument.dump(indent)));
  }
  EXPECT_EQ(sealed("{}\n"), "{}\n");
  EXPECT_EQ(sealed("no object"), "no object");
}

TEST(Seal, SeesEveryFlippedBit) {
  if (hdf5_version().empty()) GTEST_SKIP() << "no xxHash in this build";
  const std::string whole = sealed(kDocument.dump(2) + "\n");
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string text = whole;
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << bit % 8));
    bool refused = false, checked = true;
    try {
      checked = check_seal("a.json", text);
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).rfind("a.json was altered since it was written; ", 0), 0u);
      refused = true;
    }
    if (refused) continue;
    EXPECT_FALSE(checked) << bit; // the line itself is no longer one
    auto json = nlohmann::ordered_json::parse(text, nullptr, false);
    if (json.is_discarded()) continue;
    EXPECT_EQ(json.at("a"), kDocument.at("a"));
    EXPECT_EQ(json.at("b"), kDocument.at("b"));
  }
}

} // namespace
} // namespace tasuki
