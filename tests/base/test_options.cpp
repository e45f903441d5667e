// A command line as a program reads it, and the line that refuses it.
#include <tasuki/base/options.hpp>
#include <tasuki/base/settings.hpp>

#include <gtest/gtest.h>

#include <cstdlib>

namespace tasuki {
namespace {

enum class Taste { sweet, sour };

struct Program {
  long nx = 64;
  double until = 0;
  bool loud = false;
  Taste taste = Taste::sweet;
  std::string file, word = "one";
  std::vector<int> list = {1};
  std::vector<std::string> names;
  OptionParser line{"test", "a test"};

  Program() {
    line.add(
        "--size,--extents",
        [this](const std::string& text, const std::string& option) {
          nx = parse_number<long>(text, option, {3, 100});
        },
        "how large");
    line.add("--nx", nx, "cells", {3, 100}).excludes("--size");
    line.add("--until", until, "an end", above(0)).variable("TASUKI_UNTIL_OF_TEST");
    line.add("--loud", loud, "or not");
    line.choice("--taste", taste, {"sweet", "sour"}, "of it");
    line.choice("--word", word, {"one", "two"}, "a word");
    line.add("--list", list, "numbers", {0, 9});
    line.add("--file", file, "a name").needs("--loud");
    line.add("names", names, "of things");
  }
  std::string refused(const std::vector<std::string>& words) {
    try {
      line.read(words);
    } catch (const Error& fault) {
      return fault.what();
    }
    return "";
  }
};

TEST(Options, TakeTheirValues) {
  Program p;
  p.line.read({"--nx", "1e1", "--until=2.5", "--loud", "--taste", "sour", "--word", "two", "--list", "3,4",
               "--file", "f", "a", "b"});
  EXPECT_EQ(p.nx, 10);
  EXPECT_EQ(p.until, 2.5);
  EXPECT_TRUE(p.loud);
  EXPECT_EQ(p.taste, Taste::sour);
  EXPECT_EQ(p.word, "two");
  EXPECT_EQ(p.list, (std::vector<int>{3, 4}));
  EXPECT_EQ(p.file, "f");
  EXPECT_EQ(p.names, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(p.line.given("--nx"));
  EXPECT_FALSE(p.line.given("--size"));
}

TEST(Options, KeepWhatTheyHold) {
  Program p;
  p.line.read({});
  EXPECT_EQ(p.nx, 64);
  EXPECT_FALSE(p.loud);
  EXPECT_EQ(p.word, "one");
  EXPECT_EQ(p.list, std::vector<int>{1});
}

TEST(Options, AreRefusedByTheNameThatWasTyped) {
  EXPECT_EQ(Program().refused({"--nx", "64.5"}),
            "--nx 64.5 is no whole number; give a whole number from 3 to 100");
  EXPECT_EQ(Program().refused({"--until", "-1"}), "--until -1 is out of range; give a number above 0");
  EXPECT_EQ(Program().refused({"--extents", "x"}),
            "--extents x is no number; give a whole number from 3 to 100");
  EXPECT_EQ(Program().refused({"--size=x"}), "--size x is no number; give a whole number from 3 to 100");
  EXPECT_EQ(Program().refused({"--taste", "salty"}), "--taste salty is none of its words; give sweet, sour");
  EXPECT_NE(Program().refused({"--list", "3,10"}).find("--list 10 is out of range"), std::string::npos);
  EXPECT_NE(Program().refused({"--nx", "5", "--size", "5"}).find("--nx"), std::string::npos);
  EXPECT_NE(Program().refused({"--file", "f"}).find("--loud"), std::string::npos);
  EXPECT_NE(Program().refused({"--nx"}).find("--nx"), std::string::npos);
}

TEST(Options, NobodyAskedForAreToldInTheirOrder) {
  EXPECT_EQ(
      Program().refused({"--first", "--second", "--third"}).find("--first --second --third are not expected"),
      0u);
  EXPECT_EQ(Program().refused({"--extent", "5"}).find("--extent is not expected; is --extents meant?"), 0u);
}

TEST(Options, ComeFromTheEnvironmentWhereTheyAreNotGiven) {
  setenv("TASUKI_UNTIL_OF_TEST", "3", 1);
  Program p, q;
  p.line.read({});
  EXPECT_EQ(p.until, 3);
  q.line.read({"--until", "4"});
  EXPECT_EQ(q.until, 4);
  setenv("TASUKI_UNTIL_OF_TEST", "-3", 1);
  EXPECT_EQ(Program().refused({}), "TASUKI_UNTIL_OF_TEST=-3 is out of range; give a number above 0");
  unsetenv("TASUKI_UNTIL_OF_TEST");
}

TEST(Options, OfCommandsAreTheirOwn) {
  OptionParser line("test", "a test");
  long a = 0, b = 0;
  bool looked = false;
  OptionParser &one = line.command("one", "first"), &two = line.command("two", "second");
  one.add("--n", a, "number");
  two.add("--n", b, "number");
  two.check([&] { looked = true; });
  line.read({"two", "--n", "5"});
  EXPECT_FALSE(one.chosen());
  EXPECT_TRUE(two.chosen());
  EXPECT_EQ(a, 0);
  EXPECT_EQ(b, 5);
  EXPECT_TRUE(looked);
}

TEST(Options, ThatAreNearAreFound) {
  EXPECT_EQ(nearest("TASUKI_HALOO", {"TASUKI_HALO", "TASUKI_RANKS"}), "TASUKI_HALO");
  EXPECT_EQ(nearest("--frobnicate", {"--file", "--nx"}), "");
}

} // namespace
} // namespace tasuki
