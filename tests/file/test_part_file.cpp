// A file is whole under its name or not there: what stood before stays until commit().
#include <tasuki/file/part_file.hpp>
#include <tests/file/folder.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

namespace tasuki {
namespace {

using test::world;

class PartFiles : public test::InFolder {
protected:
  std::string mine(const std::string& name) const { return at(name + std::to_string(world().rank())); }
};

TEST_F(PartFiles, ReplaceWhenCommitted) {
  const std::string path = mine("file");
  replace_file(path, "before");
  {
    PartFile part(path);
    const Descriptor file(part.name(), O_WRONLY);
    write_at(file.get(), "after!", 6, 0, path);
    EXPECT_EQ(bytes_of(path), "before");
  } // not committed
  EXPECT_EQ(bytes_of(path), "before");
  EXPECT_FALSE(std::filesystem::exists(part_name(path)));
  {
    PartFile part(path);
    const Descriptor file(part.name(), O_WRONLY);
    write_at(file.get(), "after!", 6, 0, path);
    part.commit();
  }
  EXPECT_EQ(bytes_of(path), "after!");
  EXPECT_FALSE(std::filesystem::exists(part_name(path)));
}

TEST_F(PartFiles, TakeOverWhatAKilledRunLeft) {
  const std::string path = mine("file");
  std::ofstream(part_name(path)) << "half of it";
  PartFile part(path);
  EXPECT_EQ(bytes_of(part.name()), "");
  part.reserve(5000);
  EXPECT_EQ(Descriptor(part.name(), O_RDONLY).size(), 5000u);
  EXPECT_THROW(part.reserve(std::size_t(1) << 60), Error);
}

TEST_F(PartFiles, DoNotReplaceWhatBecameAPipe) {
  const std::string path = mine("file");
  PartFile part(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_THROW(part.commit(), Error);
  EXPECT_TRUE(std::filesystem::is_fifo(path));
}

TEST_F(PartFiles, ReadAndWriteAllOrSayWhatIsMissing) {
  const std::string path = mine("file");
  replace_file(path, "0123456789");
  const Descriptor file(path, O_RDWR);
  char text[4];
  read_at(file.get(), text, 4, 3, path);
  EXPECT_EQ(std::string(text, 4), "3456");
  EXPECT_THROW(read_at(file.get(), text, 4, 8, path), Error);
  write_at(file.get(), "ab", 2, 9, path);
  EXPECT_EQ(bytes_of(path), "012345678ab");
  EXPECT_LT(Descriptor(mine("none"), O_RDONLY).get(), 0);
}

TEST_F(PartFiles, SaySystemErrorsPlainly) {
  for (const int code : {ENOSPC, EDQUOT, EFBIG, ENOENT, ENOTDIR, EACCES, EPERM, ENAMETOOLONG, EROFS, EIO}) {
    std::string write, read;
    try {
      throw_write_error("out.h5", code);
    } catch (const Error& error) {
      write = error.what();
    }
    try {
      throw_read_error("out.h5", code);
    } catch (const Error& error) {
      read = error.what();
    }
    for (const std::string& text : {write, read}) {
      EXPECT_NE(text.find("out.h5"), std::string::npos) << text;
      EXPECT_NE(text.find("; "), std::string::npos) << text;
    }
  }
}

} // namespace
} // namespace tasuki
