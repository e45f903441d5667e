// What a run shows of itself, and where it keeps silent.
#include <tasuki/run/progress.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace {

using tasuki::Progress;
using tasuki::ProgressView;

// All that a run of steps 1 to 100 writes: at 0.1 s, at 1 s, and at its end after 2 s.
std::string shown(const Progress& progress, const std::string& style, bool speaks = true,
                  const std::string& unnamed = "", long last = 100, double end = 2) {
  testing::internal::CaptureStderr();
  {
    ProgressView view(progress, style, speaks, 0, last, unnamed);
    view.show(1, 0.1);
    if (end > 1) view.show(static_cast<double>(last) / 2, 1);
    view.finish(last, end);
  }
  return testing::internal::GetCapturedStderr();
}

long lines(const std::string& text) {
  long count = 0;
  for (const char c : text) count += c == '\n';
  return count;
}

TEST(Progress, JsonIsALineALookAndOneAtTheEnd) {
  const std::string text = shown({"heat", 2, "Gcell"}, "json");
  EXPECT_EQ(lines(text), 2);
  EXPECT_NE(text.find(R"("label":"heat")"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("unit":"Gcell/s")"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("done":50)"), std::string::npos) << text;
}

TEST(Progress, OneRankSpeaks) {
  EXPECT_EQ(shown({"heat"}, "json", false), "");
  EXPECT_EQ(shown({}, "json", false, "relax"), "");
}

TEST(Progress, PicturesAreAskedForWhereAFrontEndListens) {
  testing::internal::CaptureStderr();
  tasuki::ask_for_pictures("json", "a \"b\".h5");
  tasuki::ask_for_pictures("auto", "c.h5");
  const std::string text = testing::internal::GetCapturedStderr();
  const std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(text, "@pictures {\"snapshot\":\"" + here + "/a \\\"b\\\".h5\"}\n");
}

TEST(Progress, NoneIsNone) {
  EXPECT_EQ(shown({"heat"}, "none"), "");
  EXPECT_EQ(shown({}, "none", true, "relax"), "");
}

TEST(Progress, ARunWithoutALabelIsCalledAsTheProgramWhereProgressIsAskedFor) {
  const std::string text = shown({}, "json", true, "relax");
  EXPECT_EQ(lines(text), 2);
  EXPECT_NE(text.find(R"("label":"relax")"), std::string::npos) << text;
  EXPECT_NE(shown({}, "bar", true, "relax").find("relax"), std::string::npos);
  EXPECT_EQ(shown({}, "auto", true, "relax"), "") << "nobody asked";
}

TEST(Progress, ARunWithoutALabelIsSilentInAProgramThatNamesItsOwn) { EXPECT_EQ(shown({}, "json"), ""); }

TEST(Progress, OfAStepOrAMomentNobodyHears) {
  EXPECT_EQ(shown({}, "json", true, "relax", 1), "");
  EXPECT_EQ(shown({}, "json", true, "relax", 100, 0.15), "");
  EXPECT_NE(shown({"heat"}, "json", true, "relax", 100, 0.15), "") << "its own label is always shown";
}

} // namespace
