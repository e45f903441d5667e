// A run's folder: begun once, held by one run, its texts read as they were written.
#include <tasuki/file/checkpoint.hpp>
#include <tasuki/job/run_folder.hpp>
#include <tests/file/folder.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <memory>

namespace tasuki::job {
namespace {

using test::world;

class Folders : public test::InFolder {
protected:
  std::unique_ptr<RunFolder> open(bool resume) {
    return std::make_unique<RunFolder>(world(), "test", at("run"), "begun.h5", resume);
  }
  std::string refusal(bool resume) {
    return fault_of([&] { open(resume); });
  }
};

TEST_F(Folders, AreBegunOnce) {
  EXPECT_NE(refusal(true).find("holds no run of test"), std::string::npos);
  {
    const auto folder = open(false);
    folder->write("job.json", "{\"a\": 1}\n");
    EXPECT_TRUE(folder->has("job.json"));
  }
  EXPECT_EQ(refusal(false), ""); // it never began
  make(at("run/begun.h5"), "x");
  EXPECT_NE(refusal(false).find("holds a run already"), std::string::npos);
  EXPECT_EQ(refusal(true), "");
  on_root(world(), [&] { std::filesystem::remove(at("run/job.json")); });
  EXPECT_NE(refusal(true).find("holds no run of test"), std::string::npos);
}

TEST_F(Folders, KeepTheirTexts) {
  const auto folder = open(false);
  folder->write("job.json", "{\"a\": 1}\n");
  EXPECT_NE(folder->read("job.json").find("\"a\": 1"), std::string::npos);
  folder->write("job.json", "{\"a\": 2}\n");
  EXPECT_NE(folder->read("job.json").find("\"a\": 2"), std::string::npos);
  folder->remove("job.json");
  EXPECT_NE(fault_of([&] { folder->read("job.json"); }).find("there is no file"), std::string::npos);
  if (hdf5_version().empty()) return; // and no xxHash
  folder->write("job.json", "{\"a\": 1}\n");
  std::string text = bytes_of(at("run/job.json"));
  text[text.find('1')] = '3';
  make(at("run/job.json"), text);
  EXPECT_NE(fault_of([&] { folder->read("job.json"); }).find("job.json was altered since it was written; "),
            std::string::npos);
}

TEST_F(Folders, AreHeldByOneRun) {
  auto folder = open(false);
  on_root(world(), [&] {
    // Another process, which no MPI knows.
    const pid_t child = fork();
    if (child == 0) {
      bool refused = false;
      try {
        const Claim claim(claim_name(at("run/run")), "the folder", "choose another");
      } catch (const Error& error) {
        refused = std::string(error.what()).find(std::to_string(getppid())) != std::string::npos;
      }
      _exit(refused ? 7 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 7);
  });
  folder.reset();
  MPI_Barrier(world().comm());
  EXPECT_FALSE(std::filesystem::exists(at("run/.run.lock")));
}

} // namespace
} // namespace tasuki::job
