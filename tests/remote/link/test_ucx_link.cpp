// What a link by UCX does beside what every link promises: who writes is held up by who does not read, and both ends have to be there.
#include <atomic>
#include <thread>

#include "ends.hpp"

namespace tasuki::remote {
namespace {

TEST(UcxLink, HoldsUpAWriterWhoseReaderDoesNotRead) {
  if (!has_ucx()) GTEST_SKIP() << "this build has no UCX";
  constexpr std::size_t piece = 1u << 20, pieces = 48, most = 8; // that may be on their way
  Ends ends = ends_of("ucx");
  std::atomic<std::size_t> written{0};
  std::thread writer([&] {
    std::vector<unsigned char> bytes(piece);
    for (std::size_t n = 0; n < pieces; ++n) {
      std::fill(bytes.begin(), bytes.end(), static_cast<unsigned char>(n));
      ends.client->write({bytes.data(), bytes.size()});
      ++written;
    }
  });
  for (int n = 0; n < 300; ++n) {
    ends.worker->write({"x", 1}); // it looks at what has come meanwhile
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  EXPECT_LE(written, most);
  std::vector<unsigned char> got(piece);
  for (std::size_t n = 0; n < pieces; ++n) {
    ends.worker->read(got.data(), piece, piece);
    ASSERT_EQ(got, std::vector<unsigned char>(piece, static_cast<unsigned char>(n))) << n;
  }
  writer.join();
}

TEST(UcxLink, IsReadInPiecesThatAreLargerThanWhatMayBeOnItsWay) {
  if (!has_ucx()) GTEST_SKIP() << "this build has no UCX";
  Ends ends = ends_of("ucx");
  std::vector<unsigned char> bytes(24u << 20), got(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 31 >> 8);
  std::thread writer([&] { ends.client->write({bytes.data(), bytes.size()}); });
  ends.worker->read(got.data(), got.size(), got.size());
  writer.join();
  EXPECT_TRUE(got == bytes);
}

// One thread sleeps in a read while others write and see what both wait for: nobody sleeps on.
TEST(UcxLink, WakesWhoeverWaitsWhicheverThreadSeesWhatComes) {
  if (!has_ucx()) GTEST_SKIP() << "this build has no UCX";
  constexpr std::size_t pieces = 60, piece = 1u << 20;
  Ends ends = ends_of("ucx");
  std::thread other([&] {
    std::vector<unsigned char> got(piece);
    for (std::size_t n = 0; n < pieces; ++n) {
      ends.worker->read(got.data(), piece, piece);
      if (n % 3 == 0) ends.worker->write({"k", 1});
    }
  });
  std::thread reader([&] {
    char letter = 0;
    for (std::size_t n = 0; n < pieces; n += 3) ends.client->read(&letter, 1, 1);
  });
  const std::vector<unsigned char> bytes(piece);
  for (std::size_t n = 0; n < pieces; ++n) {
    std::this_thread::sleep_for(
        std::chrono::microseconds(n % 4 * 100)); // the reader sleeps meanwhile, or does not
    ends.client->write({bytes.data(), bytes.size()});
  }
  reader.join();
  other.join();
}

TEST(UcxLink, IsNotMadeWithWhoTellsNoAddress) {
  if (!has_ucx()) GTEST_SKIP() << "this build has no UCX";
  for (const std::uint32_t size : {0u, 1u << 30, 5u}) {
    Ends proven = ends_of("tls");
    proven.worker->write(bytes_of(size)); // no such bytes follow
    const std::string line = said([&] { ucx_over(std::move(proven.client), std::chrono::milliseconds(60)); });
    EXPECT_NE(line, "") << size;
  }
}

} // namespace
} // namespace tasuki::remote
