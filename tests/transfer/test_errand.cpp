// Requests and replies as bytes: done against a serial twin, and mutated at random.
#include <tasuki/transfer/errand.hpp>

#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

// The largest piece of memory that was asked for while one looks.
static std::atomic<std::size_t> most_asked{0};
static std::atomic<bool> looks{false};
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (looks && bytes > most_asked) most_asked = bytes;
  if (void* memory = std::malloc(bytes ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return std::malloc(bytes ? bytes : 1);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace tasuki {
namespace {

constexpr std::uint64_t kLoan = 7, kBytes = 4096;

struct Bench {
  Bench() : memory(kBytes / 8) { loans.lend(kLoan, {"bench", bytes(), kBytes}); }
  char* bytes() { return reinterpret_cast<char*>(memory.data()); }
  std::vector<std::uint64_t> memory;
  Loans loans;
};

std::vector<char> ask(Bench& bench, const Errand& errand, const std::vector<char>& payload = {}) {
  std::vector<char> request = request_of(errand);
  if (!payload.empty()) std::memcpy(request.data() + kRequestHead, payload.data(), payload.size());
  return answer(bench.loans, request.data(), request.size());
}

TEST(Errand, ARequestIsReadAsItWasWritten) {
  for (const Errand& errand :
       {Errand{Act::get, Number::none, 5, {1, 2, 3, 4}}, Errand{Act::put, Number::none, ~0ull, {9, 8}},
        Errand{Act::add, Number::float32, 0, {4, 4}, 17, 18},
        Errand{Act::swap, Number::word64, 1, {8, 8}, ~0ull, 3}}) {
    const std::vector<char> request = request_of(errand);
    const char* fault = nullptr;
    const auto read = read_request(request.data(), request.size(), fault);
    ASSERT_TRUE(read) << fault;
    EXPECT_EQ(*read, errand);
  }
  EXPECT_THROW(request_of({.rows = {0, kMost + 1}}), Error);
  EXPECT_THROW(request_of({.rows = {0, kMost, 2, kMost}}), Error);
}

TEST(Errand, RowsComeAndGo) {
  Bench bench;
  const std::vector<char> rows{'a', 'b', 'c', 'd', 'e', 'f'};
  const Errand put{.act = Act::put, .loan = kLoan, .rows = {10, 2, 3, 5}};
  const std::vector<char> done = ask(bench, put, rows);
  EXPECT_FALSE(read_reply(done.data(), done.size(), put).refused);
  EXPECT_EQ(std::string(bench.bytes() + 10, 2) + bench.bytes()[15] + bench.bytes()[21], "abcf");
  Errand get = put;
  get.act = Act::get;
  const std::vector<char> came = ask(bench, get);
  const Reply reply = read_reply(came.data(), came.size(), get);
  ASSERT_FALSE(reply.refused);
  EXPECT_EQ(std::vector<char>(reply.bytes, reply.bytes + 6), rows);
}

// Adds and swaps of every kind of number in random places, beside the same in plain memory.
TEST(Errand, AtomicActsAreThoseOfASerialTwin) {
  Bench bench;
  std::vector<char> twin(kBytes);
  auto random = test::random();
  for (int round = 0; round < 5000; ++round) {
    const auto number = static_cast<Number>(test::pick(random, 1, 4));
    const std::uint64_t size = size_of(number);
    const auto place = static_cast<std::uint64_t>(test::pick(random, 0, 20)) * size;
    const bool swap = test::pick(random, 0, 2) == 0;
    std::uint64_t before = 0, after = 0, operand = 0, expected = 0;
    std::memcpy(&before, twin.data() + place, size);
    if (number == Number::float32 && !swap) {
      const auto value = static_cast<float>(test::pick(random, -9, 9));
      operand = std::bit_cast<std::uint32_t>(value);
      after = std::bit_cast<std::uint32_t>(std::bit_cast<float>(static_cast<std::uint32_t>(before)) + value);
    } else if (number == Number::float64 && !swap) {
      const auto value = 0.5 * static_cast<double>(test::pick(random, -9, 9));
      operand = std::bit_cast<std::uint64_t>(value);
      after = std::bit_cast<std::uint64_t>(std::bit_cast<double>(before) + value);
    } else {
      operand = random();
      if (size == 4) operand &= 0xffffffffu;
      expected = test::pick(random, 0, 1) ? before : before + 1;
      if (size == 4) expected &= 0xffffffffu;
      after = !swap ? before + operand : expected == before ? operand : before;
    }
    const Errand errand{swap ? Act::swap : Act::add, number, kLoan, {place, size}, operand, expected};
    const std::vector<char> came = ask(bench, errand);
    const Reply reply = read_reply(came.data(), came.size(), errand);
    ASSERT_FALSE(reply.refused);
    std::uint64_t found = 0;
    std::memcpy(&found, reply.bytes, 8);
    ASSERT_EQ(found, before);
    std::memcpy(twin.data() + place, &after, size);
    ASSERT_EQ(std::memcmp(twin.data(), bench.bytes(), kBytes), 0);
  }
}

TEST(Errand, ARefusalTravels) {
  Bench bench;
  const Errand errand{.loan = kLoan, .rows = {kBytes, 1}};
  const std::vector<char> came = ask(bench, errand);
  const Reply reply = read_reply(came.data(), came.size(), errand);
  ASSERT_TRUE(reply.refused);
  EXPECT_EQ(reply.refused->what, "1 bytes at 4096 of bench, which has 4096 there");
  EXPECT_EQ(reply.refused->mend, "ask for bytes that it has");
}

// Whatever comes: an answer within its limit, nothing stored outside of the loan, no large piece of memory.
TEST(Errand, MutatedRequestsDoNoHarm) {
  auto random = test::random();
  std::vector<std::uint64_t> all(3 * kBytes / 8, 0x5a5a5a5a5a5a5a5au); // the loan lies in the middle
  auto* const whole = reinterpret_cast<char*>(all.data());
  Loans loans;
  loans.lend(kLoan, {"middle", whole + kBytes, kBytes});
  const std::vector<char> untouched(kBytes, 0x5a);
  long refused = 0, done = 0;
  looks = true;
  for (int round = 0; round < 100000; ++round) {
    Errand errand{static_cast<Act>(test::pick(random, 0, 4)), Number::none, kLoan, {}};
    errand.rows = {static_cast<std::uint64_t>(test::pick(random, 0, kBytes)),
                   static_cast<std::uint64_t>(test::pick(random, 0, 40)),
                   static_cast<std::uint64_t>(test::pick(random, 0, 5)),
                   static_cast<std::uint64_t>(test::pick(random, 0, 500))};
    if (errand.act == Act::add || errand.act == Act::swap) {
      errand.number = static_cast<Number>(test::pick(random, 1, 4));
      errand.rows = {errand.rows.offset / 8 * 8, size_of(errand.number)};
    }
    std::vector<char> request = request_of(errand);
    for (long n = test::pick(random, 0, 3); n > 0; --n) { // bits, whole words, the length
      const auto at = static_cast<std::size_t>(test::pick(random, 0, static_cast<long>(request.size()) - 1));
      switch (test::pick(random, 0, 3)) {
        case 0: request[at] = static_cast<char>(request[at] ^ (1 << test::pick(random, 0, 7))); break;
        case 1: request[at] = static_cast<char>(test::pick(random, -128, 127)); break;
        case 2:
          for (std::size_t b = at / 8 * 8; b < std::min(request.size(), at / 8 * 8 + 8); ++b)
            request[b] = static_cast<char>(test::pick(random, 0, 1) ? -1 : 127);
          break;
        default: request.resize(at + 1);
      }
    }
    const char* fault = nullptr;
    const bool read = read_request(request.data(), request.size(), fault).has_value();
    ASSERT_EQ(read, fault == nullptr);
    const std::vector<char> reply = answer(loans, request.data(), request.size());
    const bool no = read_reply(reply.data(), reply.size(), errand).refused.has_value();
    refused += no;
    done += !no;
    ASSERT_LE(reply.size(), kReplyHead + kMost);
    ASSERT_EQ(std::memcmp(whole, untouched.data(), kBytes), 0);
    ASSERT_EQ(std::memcmp(whole + 2 * kBytes, untouched.data(), kBytes), 0);
  }
  looks = false;
  EXPECT_LE(most_asked, kReplyHead + kMost + 1024);
  EXPECT_GT(refused, 10000);
  EXPECT_GT(done, 10000);
}

TEST(Errand, MutatedRepliesAreRefusedOrRead) {
  Bench bench;
  auto random = test::random();
  const Errand get{.loan = kLoan, .rows = {0, 64}}, outside{.loan = kLoan, .rows = {kBytes, 64}};
  for (int round = 0; round < 20000; ++round) {
    const Errand& errand = round % 2 ? get : outside;
    std::vector<char> reply = ask(bench, errand);
    for (long n = test::pick(random, 0, 3); n > 0; --n) {
      const auto at = static_cast<std::size_t>(test::pick(random, 0, static_cast<long>(reply.size()) - 1));
      if (test::pick(random, 0, 3))
        reply[at] = static_cast<char>(test::pick(random, -128, 127));
      else
        reply.resize(at + 1);
    }
    const Reply read = read_reply(reply.data(), reply.size(), errand);
    ASSERT_NE(read.bytes == nullptr, !read.refused.has_value());
    if (read.bytes) {
      ASSERT_EQ(reply.size(), reply_size(errand));
    }
  }
}

} // namespace
} // namespace tasuki
