// A folder for the tests of files.
#pragma once

#include <tasuki/file/agree.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

namespace tasuki::test {

// All ranks see it, and it goes away with the test.
class InFolder : public testing::Test {
protected:
  void SetUp() override {
    if (world().rank() == 0) {
      char name[] = "/tmp/tasuki-file-XXXXXX";
      ASSERT_NE(mkdtemp(name), nullptr);
      folder_ = name;
    }
    share(world(), folder_);
  }
  void TearDown() override {
    MPI_Barrier(world().comm());
    if (world().rank() == 0) std::filesystem::remove_all(folder_);
  }
  std::string at(const std::string& name) const { return folder_ + "/" + name; }

  std::string folder_;
};

} // namespace tasuki::test
