// The files of a run are refused before its first step, by option.
#include <tasuki/job/outputs.hpp>
#include <tests/file/folder.hpp>

#include <sys/stat.h>

namespace tasuki::job {
namespace {

using test::world;

class Asked : public test::InFolder {
protected:
  std::string refusal(const Outputs::Named& written, const std::vector<std::string>& read = {}) {
    return fault_of([&] { const Outputs outputs(world(), written, read); });
  }
};

TEST_F(Asked, AreHeldWhileTheRunLives) {
  {
    const Outputs outputs(world(), {{"--record", at("r.json")}, {"--checkpoint", ""}});
    on_root(world(), [&] { EXPECT_TRUE(std::filesystem::exists(at(".r.json.lock"))); });
  }
  MPI_Barrier(world().comm());
  EXPECT_FALSE(std::filesystem::exists(at(".r.json.lock")));
  EXPECT_FALSE(std::filesystem::exists(at("r.json"))); // nothing is written
}

TEST_F(Asked, AreNoTwoTheSame) {
  EXPECT_NE(refusal({{"--record", at("a")}, {"--snapshot", at("./a")}}).find("asked for twice"),
            std::string::npos);
  EXPECT_NE(refusal({{"--record", at("a")}}, {at("a")}).find("asked for twice"), std::string::npos);
  EXPECT_EQ(refusal({{"--record", at("a")}, {"--snapshot", at("b")}}, {at("c"), ""}), "");
}

TEST_F(Asked, NameTheirOption) {
  on_root(world(), [&] { ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0); });
  EXPECT_EQ(refusal({{"--snapshot", at("pipe")}}),
            "--snapshot " + at("pipe") + " is a pipe; give the path of a file");
  EXPECT_NE(refusal({{"--record", at("no/r.json")}}).find("--record " + at("no/r.json")), std::string::npos);
}

} // namespace
} // namespace tasuki::job
