// A claim keeps others out while its process lives, and no longer.
#include <tasuki/file/claim.hpp>
#include <tasuki/file/part_file.hpp>
#include <tests/file/folder.hpp>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>

namespace tasuki {
namespace {

using test::world;

class Claims : public test::InFolder {
protected:
  std::string lock() const { return at(".file-" + std::to_string(world().rank()) + ".lock"); }

  // In another process, which holds nothing of this one's: what a claim says, "" where it is granted.
  std::string elsewhere() const {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      std::string said;
      try {
        const Claim claim(lock(), "file", "write elsewhere");
      } catch (const Error& error) {
        said = error.what();
      }
      [[maybe_unused]] const ssize_t done = write(ends[1], said.data(), said.size());
      _exit(0);
    }
    close(ends[1]);
    char text[1000];
    std::string said;
    for (ssize_t got; (got = read(ends[0], text, sizeof text)) > 0;)
      said.append(text, static_cast<std::size_t>(got));
    close(ends[0]);
    waitpid(child, nullptr, 0);
    return said;
  }
};

TEST_F(Claims, AreNamedBesideTheFile) {
  EXPECT_EQ(claim_name("file"), ".file.lock");
  EXPECT_EQ(claim_name("/a/b.h5"), "/a/.b.h5.lock");
}

TEST_F(Claims, KeepOtherProcessesOut) {
  auto mine = std::make_unique<Claim>(lock(), "file", "write elsewhere");
  const std::string said = elsewhere();
  EXPECT_EQ(said.rfind("file is in use by process " + std::to_string(getpid()) + " on ", 0), 0u) << said;
  EXPECT_NE(said.find("; wait until it has ended, or write elsewhere"), std::string::npos) << said;
  { const Claim again(lock(), "file", "write elsewhere"); } // of this process
  EXPECT_NE(elsewhere(), "");                               // and the first still holds
  mine.reset();
  EXPECT_FALSE(std::filesystem::exists(lock()));
  EXPECT_EQ(elsewhere(), "");
  EXPECT_FALSE(std::filesystem::exists(lock()));
}

TEST_F(Claims, EndWithTheirProcess) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t owner = fork();
  if (owner == 0) {
    const Claim held(lock(), "file", "write elsewhere");
    [[maybe_unused]] const ssize_t done = write(ends[1], "x", 1);
    for (;;) pause();
  }
  char byte;
  ASSERT_EQ(read(ends[0], &byte, 1), 1);
  EXPECT_NE(elsewhere().find("process " + std::to_string(owner) + " "), std::string::npos);
  kill(owner, SIGKILL);
  waitpid(owner, nullptr, 0);
  EXPECT_TRUE(std::filesystem::exists(lock())); // nobody took it away
  EXPECT_EQ(elsewhere(), "");
  close(ends[0]);
  close(ends[1]);
}

TEST_F(Claims, AreTakenWhileAFileIsWritten) {
  const std::string path = at("part-" + std::to_string(world().rank()));
  {
    PartFile part(path);
    EXPECT_TRUE(std::filesystem::exists(claim_name(path)));
  }
  EXPECT_FALSE(std::filesystem::exists(claim_name(path)));
  EXPECT_FALSE(std::filesystem::exists(part_name(path)));
}

} // namespace
} // namespace tasuki
