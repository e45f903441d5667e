// Ranks that are about to do something compare what it is.
#include <tasuki/base/agree.hpp>
#include <tasuki/base/digest.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

namespace tasuki {
namespace {

using test::world;

// What a rank is told, the same on all of them; empty where they agreed.
std::string told(const std::string& act, const Terms& terms) {
  try {
    agree(world(), act, terms);
  } catch (const Error& fault) {
    return fault.what();
  }
  return {};
}

int last() { return world().size() - 1; }
bool on_last() { return world().rank() == last(); }
std::string last_rank() { return "rank " + std::to_string(last()); }

TEST(Agree, IsSilentWhereAllHaveTheSame) {
  for (int turn = 0; turn < 3; ++turn) EXPECT_EQ(told("tests", {{"a", "1"}, {"b", ""}}), "");
}

TEST(Agree, NamesTheFirstTermThatDiffersAndBothValuesOnEveryRank) {
  if (world().size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  const std::string value = on_last() ? "3" : "2";
  EXPECT_EQ(
      told("tests", {{"a", "1"}, {"b", value}, {"c", value}}),
      "rank 0 tests with b 2, " + last_rank() + " with b 3; let every rank do the same, in the same order");
  EXPECT_EQ(told("tests", {{"a", "1"}}), "") << "ranks meet again after a difference";
}

TEST(Agree, NamesTheLowestRankThatDiffers) {
  if (world().size() < 3) GTEST_SKIP() << "needs three ranks";
  const std::string text = told("tests", {{"rank", std::to_string(world().rank())}});
  EXPECT_EQ(text.rfind("rank 0 tests with rank 0, rank 1 with rank 1; ", 0), 0u) << text;
}

TEST(Agree, TellsOfAValueThatOneRankLacks) {
  if (world().size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  const Terms with = {{"--nx", "64"}}, without = {{"--nx", ""}}, none = {};
  EXPECT_EQ(told("starts", on_last() ? with : without),
            "rank 0 starts without --nx, " + last_rank() + " with --nx 64; give every rank the same options");
  EXPECT_EQ(told("starts", on_last() ? none : with),
            "rank 0 starts with --nx 64, " + last_rank() + " without --nx; give every rank the same options");
}

TEST(Agree, MeetsRanksThatDoSomethingElse) {
  if (world().size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  const std::string text =
      on_last() ? told("begins a run", {{"program", "Relax"}}) : told("ends its world", {});
  EXPECT_EQ(text, "rank 0 ends its world, " + last_rank() +
                      " begins a run (program Relax); let every rank do the same, in the same order");
}

TEST(Agree, ShowsOfLongValuesWhatDiffers) {
  if (world().size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  std::string value(5000, 'x');
  value[4000] = on_last() ? 'b' : 'a';
  const std::string text = told("tests", {{"long", value}});
  EXPECT_LT(text.size(), 600u);
  EXPECT_NE(text.find("xax"), std::string::npos) << text;
  EXPECT_NE(text.find("xbx"), std::string::npos) << text;
}

TEST(Agree, AsksForTermsOnlyWhereRanksDiffer) {
  int asked = 0;
  const auto terms = [&] {
    ++asked;
    return Terms{{"a", on_last() ? "1" : "2"}};
  };
  agree(world(), "tests", 7, terms);
  EXPECT_EQ(asked, 0);
  if (world().size() == 1) return;
  EXPECT_THROW(agree(world(), "tests", on_last() ? 7 : 8, terms), Error);
  EXPECT_EQ(asked, 1);
}

TEST(Agree, TakesWordsOfACommandLineApart) {
  EXPECT_EQ(terms_of_words({"data.h5", "--nx", "64", "--fast", "--r=-2", "--shift", "-1.5", "more"}),
            (Terms{{"--fast", "given"},
                   {"--nx", "64"},
                   {"--r", "-2"},
                   {"--shift", "-1.5"},
                   {"argument 1", "data.h5"},
                   {"argument 2", "more"}}));
  EXPECT_EQ(terms_of_words({"-g", "a", "-g", "b"}), (Terms{{"-g", "a b"}}));
  EXPECT_EQ(terms_of_words({"--ny", "2", "--nx", "1"}), terms_of_words({"--nx", "1", "--ny", "2"}));
  EXPECT_EQ(terms_of_words({"-5", "x"}), (Terms{{"argument 1", "-5"}, {"argument 2", "x"}}));
}

TEST(Agree, SettingsOfRanksHaveToBeTheSame) {
  if (world().size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  const auto refused = [](auto change) -> std::string {
    try {
      test::world_with([&](Settings& s) {
        if (on_last()) change(s);
      });
    } catch (const Error& fault) {
      return fault.what();
    }
    return "";
  };
  const std::string executor = world().settings().executor == "eager" ? "overlapped" : "eager";
  EXPECT_NE(refused([&](Settings& s) { s.executor = executor; }).find("--executor " + executor),
            std::string::npos);
  EXPECT_NE(refused([](Settings& s) { s.ranks = {4, 9}; }).find("--ranks 4x9"), std::string::npos);
  EXPECT_NE(refused([](Settings& s) { s.halo = kAutoHalo; }).find("--halo auto"), std::string::npos);
  EXPECT_NE(refused([](Settings& s) { s.program = {{"--nx", "7"}}; }).find("--nx 7"), std::string::npos);
  // What a rank may have for itself.
  EXPECT_EQ(refused([](Settings& s) { s.threads = 3; }), "");
  EXPECT_EQ(refused([](Settings& s) { s.progress = "none"; }), "");
}

} // namespace
} // namespace tasuki
