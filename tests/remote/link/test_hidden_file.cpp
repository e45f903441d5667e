// Where images and long logs lie: nobody else sees them, and nothing of them is left.
#include <gtest/gtest.h>

#include <remote/link/hidden_file.hpp>

#include <sys/stat.h>

#include <filesystem>
#include <system_error>

#include "ends.hpp"

using namespace tasuki::remote;

namespace {

// The file's number: it has no name by which it could be found.
struct stat about_file_in(const std::string& folder) {
  struct stat about {};
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string to = std::filesystem::read_symlink(entry.path(), gone).string();
    if (!gone && to.rfind(folder, 0) == 0) {
      EXPECT_EQ(stat(entry.path().c_str(), &about), 0);
    }
  }
  return about;
}

TEST(Hidden, FilesAreOfTheUserAlone) {
  const Folder folder;
  {
    HiddenFile file(folder.path);
    EXPECT_EQ(file.add({"secret", 6}), 0u);
    const struct stat about = about_file_in(folder.path);
    EXPECT_EQ(about.st_mode & 0777, 0600u);
    EXPECT_EQ(about.st_nlink, 0u);
    EXPECT_EQ(about.st_size, 6);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path));
  }
  EXPECT_EQ(about_file_in(folder.path).st_size, 0);
}

TEST(Hidden, FilesGiveBackWhatWasAdded) {
  const Folder folder;
  HiddenFile file(folder.path);
  EXPECT_EQ(file.add({"first", 5}), 0u);
  EXPECT_EQ(file.add({"second", 6}), 5u);
  char text[7] = "";
  file.read(5, text, 6);
  EXPECT_STREQ(text, "second");
  EXPECT_EQ(file.bytes(), 11u);
  EXPECT_THROW(file.read(6, text, 6), std::system_error); // behind its end
  EXPECT_THROW(HiddenFile(folder.path + "/none"), std::system_error);
}

} // namespace
