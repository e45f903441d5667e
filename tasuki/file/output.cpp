#include <tasuki/file/output.hpp>

#include <tasuki/base/error.hpp>
#include <tasuki/file/claim.hpp>
#include <tasuki/file/part_file.hpp>

#include <fmt/format.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>

namespace tasuki {
namespace {

namespace fs = std::filesystem;

std::string named(const std::string& path, const std::string& option) {
  return option.empty() ? path : option + " " + path;
}

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "no file";
}

// The status of a file, symbolic links followed; nothing if it does not exist.
std::optional<struct stat> look(const std::string& path) {
  struct stat found = {};
  if (stat(path.c_str(), &found) != 0) return {};
  return found;
}

bool is_link(const std::string& path) {
  struct stat found = {};
  return lstat(path.c_str(), &found) == 0 && S_ISLNK(found.st_mode);
}

// In a folder with the sticky bit, such as /tmp, only the owner of a file can replace it.
bool kept_by_owner(const struct stat& folder, const struct stat& file) {
  const uid_t me = geteuid();
  return (folder.st_mode & S_ISVTX) != 0 && me != 0 && me != folder.st_uid && me != file.st_uid;
}

} // namespace

std::string output_file(const std::string& path) {
  if (!is_link(path)) return path;
  std::error_code fault;
  const fs::path file = fs::canonical(path, fault);
  return fault ? path : file.string();
}

void expect_file(const std::string& path, const std::string& option) {
  const std::string mend = "give the path of a file";
  if (path.empty())
    throw Error(fmt::format("{} is empty", option.empty() ? "the name of the file to write" : option), mend);
  const auto there = look(path);
  if (there && !S_ISREG(there->st_mode))
    throw Error(fmt::format("{} is {}", named(path, option), kind_of(there->st_mode)), mend);
  if (!there && is_link(path))
    throw Error(fmt::format("{} is a symbolic link that leads nowhere", named(path, option)),
                "take it away, or " + mend);
}

void refuse_output(const std::string& path, const std::string& option) {
  expect_file(path, option);
  const std::string file = output_file(path), what = named(path, option);
  const fs::path whole = fs::absolute(file);
  const std::string folder = whole.parent_path().string();
  const auto home = look(folder);
  if (!home) throw_write_error(what, errno);
  if (!S_ISDIR(home->st_mode)) throw_write_error(what, ENOTDIR);
  if (access(folder.c_str(), W_OK | X_OK) != 0) throw_write_error(what, errno);
  const auto there = look(file);
  if (there && (access(file.c_str(), W_OK) != 0 || kept_by_owner(*home, *there)))
    throw_write_error(what, EACCES);
  // The temporary file and the lock file have longer names.
  const std::string longest = std::max(part_name(file), claim_name(file),
                                       [](const auto& a, const auto& b) { return a.size() < b.size(); });
  const long most = pathconf(folder.c_str(), _PC_NAME_MAX);
  if ((most > 0 && fs::path(longest).filename().string().size() > static_cast<std::size_t>(most)) ||
      fs::absolute(longest).string().size() >= PATH_MAX)
    throw_write_error(what, ENAMETOOLONG);
}

} // namespace tasuki
