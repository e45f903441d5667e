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
