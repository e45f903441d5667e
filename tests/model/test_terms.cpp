// Models of terms: the published table of a study from its constants, and refusals.
#include <tasuki/base/error.hpp>
#include <tasuki/model/terms.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace tasuki {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_terms(text, "m.json");
  } catch (const Error& fault) {
    return fault.what();
  }
  return "it was not refused";
}

TEST(Terms, GiveThePublishedTableOfTheStudy) {
  const TermModel model = load_terms(TASUKI_MODELS "/dscuda-remd-2014.json");
  ASSERT_EQ(model.devices, (std::vector<int>{64, 256, 1024, 4096}));
  const std::vector<std::vector<long>> published = {{597, 174, 108, 254}, {7555, 1913, 543, 362}}; // ms
  ASSERT_EQ(model.cases.size(), published.size());
  for (std::size_t c = 0; c < published.size(); ++c)
    for (std::size_t k = 0; k < model.devices.size(); ++k)
      EXPECT_EQ(std::lround(1e3 * model.cases[c].at(model.devices[k]).total()), published[c][k])
          << model.cases[c].name << " on " << model.devices[k];
}

TEST(Terms, AreCountTimesAPowerOfTheDevices) {
  const TermModel model = parse_terms(R"({"schema": 1, "name": "m", "terms": [
    {"name": "a", "part": "compute", "seconds": 8, "power": -1},
    {"name": "b", "part": "latency", "count": 3, "seconds": 2, "power": 1},
    {"name": "c", "part": "bandwidth", "bytes": 10, "bytes_per_second": 5},
    {"name": "d", "part": "host", "seconds": 1, "log2": true}]})",
                                      "m.json");
  ASSERT_EQ(model.cases.size(), 1u);
  const Parts parts = model.cases[0].at(4);
  EXPECT_DOUBLE_EQ(parts[Part::compute], 2);
  EXPECT_DOUBLE_EQ(parts[Part::latency], 24);
  EXPECT_DOUBLE_EQ(parts[Part::bandwidth], 2);
  EXPECT_DOUBLE_EQ(parts[Part::host], 2);
  EXPECT_DOUBLE_EQ(parts.total(), 30);
  EXPECT_DOUBLE_EQ(model.cases[0].at(5)[Part::host], 3); // a tree over 5 has three rounds
}

TEST(Terms, AreRefusedWithTheReason) {
  EXPECT_NE(refusal("{"), "it was not refused");
  EXPECT_NE(refusal(R"({"schema": 2, "name": "m"})").find("schema 2"), std::string::npos);
  EXPECT_NE(refusal(R"({"schema": 1, "name": "m", "terms": []})").find("no terms"), std::string::npos);
  EXPECT_NE(refusal(R"({"schema": 1, "name": "m", "terms": [{"name": "a", "part": "magic"}]})").find("magic"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"schema": 1, "name": "m", "terms": [{"name": "a", "part": "host", "secs": 1}]})")
                .find("secs"),
            std::string::npos);
  EXPECT_THROW(load_terms("/nowhere/m.json"), Error);
}

} // namespace
} // namespace tasuki
