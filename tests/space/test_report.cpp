// The report of a space: said once, by rank 0, with a line for each array, also one over devices.
#include <tests/space/spaces.hpp>

#include <algorithm>

namespace tasuki::test {
namespace {

constexpr long kNumbers = 3 * static_cast<long>(Space::kDeviceStep / sizeof(long));

// What a space that has two arrays says when it ends.
std::string said(bool asked_for, bool report) {
  const int nodes = std::min(2, world().size());
  testing::internal::CaptureStderr();
  one_space(
      nodes, "auto", [&](Settings& s) { s.space_report = report; },
      [&](Space& space, const std::string&) {
        const auto a = space.array<long>({4096}, space.bands({4096}, 8), "pages");
        EXPECT_EQ(a[4095] + a[0], 0);
        const auto g = space.array<long>({kNumbers}, space.bands({kNumbers}, 8), "steps", Memory::device);
        space.free(g.data());
        if (asked_for) {
          EXPECT_EQ(space.report().empty(), space.world().rank() != 0);
        }
      });
  return testing::internal::GetCapturedStderr();
}

TEST(Report, IsPrintedAtTheEndByTheOptionUnlessTheProgramHasAsked) {
  const auto lines = [](const std::string& text, const std::string& begin) {
    return text.rfind(begin, 0) == 0 || text.find("\n" + begin) != std::string::npos;
  };
  const std::string text = said(false, true);
  const bool root = world().rank() == 0;
  for (const char* const begin : {"array ", "pages ", "steps "}) EXPECT_EQ(lines(text, begin), root) << text;
  EXPECT_FALSE(lines(said(true, true), "array "));
  EXPECT_FALSE(lines(said(false, false), "array "));
}

} // namespace
} // namespace tasuki::test
