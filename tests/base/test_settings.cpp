// Every setting: as an option, as a variable, and as the text that ranks compare.
#include <tasuki/base/options.hpp>
#include <tasuki/base/settings.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

namespace tasuki {
namespace {

// A value of each that is not the usual one, as it is typed.
const std::map<std::string, std::string> kOther = {
    {"device", "host"},         {"executor", "blocked"}, {"channel", "x=peer"}, {"halo", "3"},
    {"ranks", "2x0x1"},         {"threads", "7"},        {"sums", "fast"},      {"share-devices", ""},
    {"progress-cores", "any"},  {"lanes", "4"},          {"subclusters", "2"},  {"mapping", "naive"},
    {"tuning", "none"},         {"progress", "json"},    {"log", "debug"},      {"ranges", ""},
    {"device-memory", "65536"}, {"steps-a-pass", "3"}};

Settings read(const std::vector<std::string>& words) {
  Settings settings;
  OptionParser line("test", "a test");
  add_options(line, settings);
  line.read(words);
  return settings;
}

std::string refused(const std::vector<std::string>& words) {
  try {
    read(words);
  } catch (const Error& fault) {
    return fault.what();
  }
  return "";
}

class Environment { // a variable while it lives, and what it was before
public:
  Environment(std::string name, const std::string& value) : name_(std::move(name)) {
    if (const char* before = std::getenv(name_.c_str())) before_ = before;
    setenv(name_.c_str(), value.c_str(), 1);
  }
  ~Environment() { before_ ? setenv(name_.c_str(), before_->c_str(), 1) : unsetenv(name_.c_str()); }

private:
  std::string name_;
  std::optional<std::string> before_;
};

TEST(Settings, AreTheSameByOptionAndByVariable) {
  for (const Setting& setting : all_settings()) {
    if (!kOther.contains(setting.name)) continue; // a newer one, whose own test has it
    const std::string value = kOther.at(setting.name), option = "--" + setting.name;
    const Settings usual, given = value.empty() ? read({option}) : read({option, value});
    EXPECT_NE(setting.text(given), setting.text(usual)) << setting.name;
    if (!value.empty()) {
      EXPECT_EQ(setting.text(given), value) << setting.name;
    }
    const Environment set(setting.variable(), value.empty() ? "1" : value);
    EXPECT_EQ(setting.text(read({})), setting.text(given)) << setting.variable();
  }
  EXPECT_EQ(all_settings().front().variable(), "TASUKI_DEVICE");
}

TEST(Settings, AreSharedButForThoseOfEachRank) {
  std::set<std::string> shared;
  for (const auto& [name, text] : shared_settings({})) shared.insert(name);
  for (const char* own : {"--threads", "--share-devices", "--progress", "--log", "--ranges"})
    EXPECT_FALSE(shared.contains(own)) << own;
  for (const char* all : {"--device", "--ranks", "--halo", "--mapping"})
    EXPECT_TRUE(shared.contains(all)) << all;
  Settings one, two;
  one.progress_cores = "0,1";
  two.progress_cores = "2,3";
  EXPECT_EQ(shared_settings(one), shared_settings(two));
  two.progress_cores = "any";
  EXPECT_NE(shared_settings(one), shared_settings(two));
}

TEST(Settings, AreRefusedWhereTheyAreNotHeld) {
  EXPECT_EQ(refused({"--ranks", "4294967298x1"}),
            "--ranks 4294967298x1 is no process grid; write it as 2x1x1, x first; 0 leaves an axis free");
  for (const char* ranks : {"2y1", "-1x2", "2x", "1.5x1", ""})
    EXPECT_NE(refused({"--ranks", ranks}), "") << ranks;
  EXPECT_NE(refused({"--threads", "4294967297"}), "");
  EXPECT_NE(refused({"--lanes", "65"}), "");
  EXPECT_NE(refused({"--halo", "0"}).find("give a width of 1 or more, auto or direct"), std::string::npos);
  EXPECT_NE(refused({"--progress-cores", "1,1"}).find("names core 1 twice"), std::string::npos);
  const Environment wrong("TASUKI_HALO", "wide");
  EXPECT_EQ(refused({}), "TASUKI_HALO=wide is no width; give a width of 1 or more, auto or direct");
}

TEST(Settings, ExtentsAreWholeNumbers) {
  EXPECT_EQ(parse_extents("256x1e3", "--size"), (std::vector<long>{256, 1000}));
  for (const char* text : {"", "x", "5x", "x5", "5xx5", "1.5x2", "-1x2", "99999999999999999999x1"})
    EXPECT_THROW(parse_extents(text, "--size"), Error) << text;
  EXPECT_THROW(parse_extents("2x8", "--size", 3), Error);
}

} // namespace
} // namespace tasuki
