// A folder for the tests of files.
#pragma once

#include <tasuki/base/on_all.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
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

  static std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Rank 0 makes the file, all see it.
  static void make(const std::string& path, const std::string& bytes) {
    on_root(world(), [&] { std::ofstream(path, std::ios::binary) << bytes; });
  }
  // What the Error says that the call ends with; "" where there is none. Every rank has to have the same, of one line.
  template <class Call>
  static std::string fault_of(const Call& call) {
    std::string fault;
    try {
      call();
    } catch (const Error& error) {
      fault = error.what();
    }
    std::string first = fault;
    share(world(), first);
    EXPECT_EQ(fault, first);
    EXPECT_EQ(fault.find('\n'), std::string::npos);
    return fault;
  }

  std::string folder_;
};

} // namespace tasuki::test
