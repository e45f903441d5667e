// Models of terms: the published table of a study from its constants, and refusals.
#include <tasuki/base/error.hpp>
#include <tasuki/model/terms.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

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

// 27 points on 1 to 64 nodes: 32 exchanges of 128 MiB from each side. What the study measured is longer, by what nodes wait
// for each other, which no term has.
TEST(Terms, OfASpaceGiveThePublishedProgram) {
  const TermModel model = load_terms(TASUKI_MODELS "/msms-stencil.json");
  ASSERT_EQ(model.devices, (std::vector<int>{1, 2, 4, 8, 16, 64}));
  EXPECT_TRUE(model.weak);
  ASSERT_EQ(model.cases.size(), 3u);
  const double section = 43e-6 + 134217728 / 12e9;
  const auto by_hand = [&](double own, double n) {
    return own + 64 * (1 - 1 / n) * section + 64 * 6.5e-6 * std::log2(n);
  };
  const std::vector<std::pair<int, double>> reedbush = {
      {1, 14.0}, {2, 16.2}, {4, 17.8}, {8, 18.1}, {16, 18.7}};
  for (const auto& [nodes, published] : reedbush) {
    const double is = model.cases[0].at(nodes).total();
    EXPECT_NEAR(is, by_hand(14.0, nodes), 1e-9) << nodes;
    EXPECT_LE(is, published) << nodes;
    EXPECT_GE(is, 0.75 * published) << nodes;
  }
  EXPECT_NEAR(model.cases[1].at(64).total(), by_hand(16.0, 64), 1e-9);
  EXPECT_NEAR(model.cases[2].at(2)[Part::latency], 32 * 32768 * 43e-6 + 64 * 6.5e-6, 1e-9);
  const SpaceConstants here = {1e-6, 2e-6, 1e9, 4e-6}; // another machine's, instead of the file's
  EXPECT_NEAR(load_terms(TASUKI_MODELS "/msms-stencil.json", &here).cases[0].at(2).total(),
              14.0 + 32 * (2e-6 + 0.134217728) + 64 * 4e-6, 1e-9);
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
  const auto of = [](const std::string& term) {
    return refusal(
        R"({"schema": 1, "name": "m", "space": {"touch": 1e-5}, "terms": [{"name": "a", "part": "host", )" +
        term + "}]}");
  };
  EXPECT_NE(of(R"("of": "page")").find("use touch, section or synchronisation"), std::string::npos);
  EXPECT_NE(of(R"("of": "touch", "seconds": 1)").find("leave one out"), std::string::npos);
  EXPECT_NE(of(R"("of": "touch", "bytes": 1)").find("takes as long for any bytes"), std::string::npos);
  EXPECT_NE(of(R"("of": "section", "bytes": 1)").find("does not say what that costs"), std::string::npos);
  EXPECT_NE(refusal(R"({"schema": 1, "name": "m", "space": {"touches": 1}, "terms": []})").find("touches"),
            std::string::npos);
  EXPECT_THROW(load_terms("/nowhere/m.json"), Error);
}

} // namespace
} // namespace tasuki
