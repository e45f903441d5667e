#include <remote/link/host.hpp>
#include <remote/link/key.hpp>
#include <remote/link/unix.hpp>

#include <sys/stat.h>

#include <cstring>
#include <fstream>

#include "ends.hpp"

namespace tasuki::remote {
namespace {

TEST(KeyFile, IsReadAsItWasSaved) {
  const Folder folder;
  const std::string path = folder.path + "/gpus.key";
  const Key key = new_key();
  save_key(key, path);
  struct stat about {};
  ASSERT_EQ(stat(path.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
  EXPECT_EQ(std::memcmp(read_key(path).data(), key.data(), Key::size()), 0);
  EXPECT_NE(std::memcmp(new_key().data(), key.data(), Key::size()), 0);
  EXPECT_NE(said([&] { save_key(key, path); }).find("File exists"), std::string::npos);
}

TEST(KeyFile, IsRefusedWhereOthersCanReadIt) {
  const Folder folder;
  const std::string path = folder.path + "/gpus.key";
  save_key(new_key(), path);
  for (const mode_t mode : {0640, 0604, 0660, 0601}) {
    chmod(path.c_str(), mode);
    EXPECT_NE(said([&] { read_key(path); }).find("can be read by others"), std::string::npos) << mode;
  }
  chmod(path.c_str(), 0400);
  EXPECT_EQ(said([&] { read_key(path); }), "");
}

TEST(KeyFile, IsRefusedWhereItHoldsNoKey) {
  const Folder folder;
  const std::string good = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
  const std::string texts[] = {
      "", "\n", good + "00", good.substr(1), good.substr(1) + "g", good + "\n\n", good + " "};
  for (const std::string& text : texts) {
    const std::string path = folder.path + "/key";
    std::ofstream(path) << text;
    chmod(path.c_str(), 0600);
    EXPECT_NE(said([&] { read_key(path); }).find("holds no key"), std::string::npos) << text;
  }
  EXPECT_NE(said([&] { read_key(folder.path + "/none"); }).find("cannot be read"), std::string::npos);
  EXPECT_NE(said([&] { read_key(folder.path); }).find("no file"), std::string::npos);
}

TEST(Hosts, AreReadAsTheyAreGiven) {
  const auto hosts = parse_hosts("a:2,b[0,3],c@7500,/run/g.sock[1],d@80:1");
  ASSERT_EQ(hosts.size(), 5u);
  EXPECT_EQ(hosts[0].name, "a");
  EXPECT_EQ(hosts[0].count, 2);
  EXPECT_EQ(hosts[1].devices, (std::vector<int>{0, 3}));
  EXPECT_EQ(hosts[2].port, 7500);
  EXPECT_EQ(hosts[2].shown(), "c@7500");
  EXPECT_EQ(hosts[3].path, "/run/g.sock");
  EXPECT_EQ(hosts[3].devices, std::vector<int>{1});
  EXPECT_EQ(hosts[4].count, 1);
}

TEST(Hosts, AreRefusedInOneLine) {
  for (const char* text :
       {"", "a,", "a:x", "a:0", "a:-1", "a[0", "a[]", "a[1,x]", "a@99999", "a@:2", ":2", "a[0]b"})
    EXPECT_NE(said([&] { parse_hosts(text); }).find("--hosts: "), std::string::npos) << text;
  EXPECT_NE(said([&] { parse_hosts("a:1,b,a[1]"); }).find("names a twice"), std::string::npos);
}

TEST(Hosts, AreReadFromAFileToo) {
  const Folder folder;
  const std::string path = folder.path + "/b.hosts";
  const auto of = [&](const std::string& text) {
    std::ofstream(path) << text;
    return parse_hosts("@" + path);
  };
  const auto hosts = of("# of this week\n\n  a:2  # two of its GPUs\r\n\tb@7500[0,3]\n/run/g.sock");
  ASSERT_EQ(hosts.size(), 3u);
  EXPECT_EQ(hosts[0].name, "a");
  EXPECT_EQ(hosts[0].count, 2);
  EXPECT_EQ(hosts[1].shown(), "b@7500");
  EXPECT_EQ(hosts[1].devices, (std::vector<int>{0, 3}));
  EXPECT_EQ(hosts[2].path, "/run/g.sock");
  EXPECT_NE(said([&] { of("a\n\nb:x\n"); }).find(path + ", line 3: 'b:x' has no number where 'x' stands"),
            std::string::npos);
  EXPECT_NE(said([&] { of("a\nb\na:1\n"); }).find(path + ", line 3 names a twice"), std::string::npos);
  for (const char* several : {"a,b", "a b"})
    EXPECT_NE(said([&] { of(several); }).find("line 1: '" + std::string(several) + "' is more than one host"),
              std::string::npos);
  EXPECT_NE(said([&] { of("# none\n"); }).find("names no host"), std::string::npos);
  EXPECT_NE(said([&] { parse_hosts("@" + folder.path + "/none"); }).find("cannot be read (No such file"),
            std::string::npos);
}

TEST(UnixSocket, IsThisUsersAlone) {
  const Folder folder;
  const std::string path = folder.path + "/gate.sock";
  {
    const Descriptor gate = listen_unix(path);
    struct stat about {};
    ASSERT_EQ(stat(path.c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777, 0600u);
    EXPECT_NE(said([&] { listen_unix(path); }).find("already"), std::string::npos);
    const Descriptor client = dial_unix(path);
    EXPECT_EQ(peer_uid(client.number()), geteuid());
  }
  EXPECT_NE(said([&] { dial_unix(path); }).find("nobody serves GPUs"), std::string::npos);
  EXPECT_TRUE(listen_unix(path).there()); // where a gate was killed
  EXPECT_NE(said([&] { dial_unix(std::string(200, 'x')); }).find("too long"), std::string::npos);
}

} // namespace
} // namespace tasuki::remote
