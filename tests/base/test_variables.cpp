// Variables that Tasuki knows, those that it does not, and what they may not be.
#include <tasuki/base/error.hpp>
#include <tasuki/base/variables.hpp>

#include <gtest/gtest.h>

#include <cstdlib>

namespace tasuki {
namespace {

std::string refused() {
  try {
    check_variables();
  } catch (const Error& fault) {
    return fault.what();
  }
  return "";
}

TEST(Variables, ThatMeanNothingAreNamedWithTheNearest) {
  EXPECT_EQ(about_unknown({"PATH", "TASUKI_HALO", "TASUKI_PATIENCE", "TASUKI_TEST_SEED", "TASUKI_BIN"}), "");
  EXPECT_EQ(about_unknown({"TASUKI_HALOO"}), "TASUKI_HALOO means nothing to Tasuki; is TASUKI_HALO meant?");
  EXPECT_EQ(about_unknown({"TASUKI_SOMETHING_ELSE"}).find("TASUKI_SOMETHING_ELSE means nothing"), 0u);
}

TEST(Variables, AreRefusedWhereTheyCannotBeRead) {
  EXPECT_EQ(refused(), "");
  for (const auto& [name, value, says] :
       {std::tuple{"TASUKI_WATCH_AFTER", "abc", "TASUKI_WATCH_AFTER=abc is no number; give a number above 0"},
        {"TASUKI_WATCH_AFTER", "-1", "TASUKI_WATCH_AFTER=-1 is out of range; give a number above 0"},
        {"TASUKI_CHAOS", "1.5", "TASUKI_CHAOS=1.5 is no whole number; give a whole number of 0 or more"},
        {"TASUKI_COURIER_DELAY", "1e9",
         "TASUKI_COURIER_DELAY=1e9 is out of range; give a whole number from 0 to 1000000"},
        {"TASUKI_GATE", "door", "TASUKI_GATE=door is none of its words; set it to auto, stream, kernel"}}) {
    const char* before = std::getenv(name);
    const std::string kept = before ? before : "";
    setenv(name, value, 1);
    EXPECT_EQ(refused(), says);
    before ? setenv(name, kept.c_str(), 1) : unsetenv(name);
  }
}

TEST(Variables, AreRead) {
  setenv("TASUKI_GRAPH", "eager", 1);
  EXPECT_EQ(variable_word("TASUKI_GRAPH"), "eager");
  unsetenv("TASUKI_GRAPH");
  EXPECT_FALSE(variable_word("TASUKI_GRAPH"));
  EXPECT_THROW(variable_word("TASUKI_OF_NOBODY"), Error);
}

} // namespace
} // namespace tasuki
