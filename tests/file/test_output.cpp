// What may be written over, and what is refused before anything is written.
#include <tasuki/file/output.hpp>
#include <tasuki/file/part_file.hpp>
#include <tests/file/folder.hpp>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

namespace tasuki {
namespace {

namespace fs = std::filesystem;

class OutputFiles : public test::InFolder {
protected:
  // Each rank in a folder of its own: nothing communicates.
  std::string here(const std::string& name) const {
    return at(std::to_string(test::world().rank()) + "/" + name);
  }
  void SetUp() override {
    InFolder::SetUp();
    fs::create_directory(at(std::to_string(test::world().rank())));
  }
  // What refuses it, of the rule and of a writer; "" where both take it.
  static std::string refusal(const std::string& path) {
    std::string rule, writer;
    try {
      refuse_output(path, "--checkpoint");
    } catch (const Error& error) {
      rule = error.what();
    }
    try {
      replace_file(path, "written");
    } catch (const Error& error) {
      writer = error.what();
    }
    EXPECT_EQ(rule.empty(), writer.empty()) << rule << " / " << writer;
    EXPECT_EQ(rule.empty(), rule.find("--checkpoint") == std::string::npos) << rule;
    return rule;
  }
  static mode_t kind(const std::string& path) {
    struct stat found = {};
    EXPECT_EQ(lstat(path.c_str(), &found), 0) << path;
    return found.st_mode & S_IFMT;
  }
};

TEST_F(OutputFiles, AreRegularFilesAlone) {
  EXPECT_EQ(refusal(here("new")), "");
  EXPECT_EQ(refusal(here("new")), "");
  EXPECT_EQ(bytes_of(here("new")), "written");

  ASSERT_EQ(mkfifo(here("pipe").c_str(), 0600), 0);
  EXPECT_NE(refusal(here("pipe")).find("is a pipe; "), std::string::npos);
  EXPECT_EQ(kind(here("pipe")), mode_t(S_IFIFO));

  const int made = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un name = {};
  name.sun_family = AF_UNIX;
  std::strncpy(name.sun_path, here("socket").c_str(), sizeof name.sun_path - 1);
  ASSERT_EQ(bind(made, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  EXPECT_NE(refusal(here("socket")).find("is a socket; "), std::string::npos);
  close(made);

  fs::create_directory(here("folder"));
  EXPECT_NE(refusal(here("folder")).find("is a folder; "), std::string::npos);
  for (const char* what : {"pipe", "socket", "folder", "nothing"}) {
    fs::create_symlink(here(what), here(std::string("link-") + what));
    EXPECT_NE(refusal(here(std::string("link-") + what)), "") << what;
  }
  EXPECT_NE(refusal(""), "");
}

// Of a device only the rule is asked: a writer is tried in a namespace of its own, by faults/outputs.py.
TEST_F(OutputFiles, RefuseDevices) {
  fs::create_symlink("/dev/null", here("null"));
  for (const std::string& path : {std::string("/dev/null"), here("null")}) try {
      refuse_output(path, "--record");
      ADD_FAILURE() << path;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()), "--record " + path + " is a device; give the path of a file");
    }
}

TEST_F(OutputFiles, FollowALinkToAFile) {
  const std::string link = here("link");
  fs::create_symlink(here("target"), link);
  replace_file(here("target"), "before");
  EXPECT_EQ(output_file(link), fs::canonical(here("target")).string());
  replace_file(link, "after");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(bytes_of(here("target")), "after");
}

TEST_F(OutputFiles, NeedAPlace) {
  EXPECT_NE(refusal(here("none/file")).find("does not exist"), std::string::npos);
  replace_file(here("file"), "x");
  EXPECT_NE(refusal(here("file/file")), "");
  // What lies beside the file while it is written has a longer name than the file.
  const long most = pathconf(here("").c_str(), _PC_NAME_MAX);
  ASSERT_GT(most, 20);
  for (const long more : {-12L, -3L, 0L, 5L}) {
    const std::string name(static_cast<std::size_t>(most + more), 'n');
    EXPECT_EQ(refusal(here(name)).empty(), more < -6) << more;
  }
  if (geteuid() == 0) return; // who may write anywhere
  fs::permissions(here("file"), fs::perms::owner_read);
  EXPECT_NE(refusal(here("file")).find("may not be written"), std::string::npos);
  fs::create_directory(here("shut"));
  fs::permissions(here("shut"), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_NE(refusal(here("shut/file")).find("may not be written"), std::string::npos);
}

} // namespace
} // namespace tasuki
