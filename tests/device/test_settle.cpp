// Parts of reductions that all ranks have become scalars, by the mail of the ranks: the same bits as a serial loop, in
// every turn, on hosts and on GPUs.
#include <tasuki/device/graph.hpp>
#include <tasuki/device/signal/settle.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

namespace tasuki {
namespace {

using test::device;
using test::pick;
using test::world;

// All values of a kind, of all ranks, and this rank's on the device.
template <class T>
struct Parts {
  std::vector<T> all;
  Buffer mine;
};
template <class T, class Make>
Parts<T> parts(const Make& make) {
  Parts<T> p{{}, Buffer(device(), (sizeof(T) + 7) / 8 * 8)};
  for (int rank = 0; rank < world().size(); ++rank) p.all.push_back(make());
  copy_to_device(device(), p.mine.data(), &p.all[static_cast<std::size_t>(world().rank())], sizeof(T));
  return p;
}
template <class Op>
typename Op::Value serial(const std::vector<typename Op::Value>& all) {
  auto value = Op::identity();
  for (const auto& one : all) value = Op::combine(value, one);
  return value;
}

struct Keep {
  TS_CELL void operator()(double* s, double sum, float least, Place<double> most, long count) const {
    s[0] = sum;
    s[1] = least;
    s[2] = most.value;
    s[3] = static_cast<double>(most.cell);
    s[4] = static_cast<double>(count);
    s[5] += 1;
  }
};
struct KeepOne {
  TS_CELL void operator()(double* s, double sum) const { s[0] = sum; }
};

class Settled : public testing::Test {
protected:
  void SetUp() override {
    if (!mail().handle().ranks) GTEST_SKIP() << "ranks that cannot reach each other";
  }
  RankMail& mail() { return device().part<RankMail>(); }
  std::vector<double> scalars(int count) const {
    std::vector<double> s(static_cast<std::size_t>(count));
    copy_to_host(device(), s.data(), scalars_.data(), s.size() * sizeof(double));
    return s;
  }
  ScalarsOfSets data() const { return {{reinterpret_cast<double*>(scalars_.data())}}; }

  Buffer scalars_{device(), 64 * sizeof(double)};
};

TEST_F(Settled, RanksGiveDifferentKindsOfValues) {
  auto random = test::random();
  for (int turn = 1; turn <= 20; ++turn) {
    const auto number = [&] {
      return std::ldexp(static_cast<double>(pick(random, -1000, 1000)) / 7, turn % 5);
    };
    const auto sums = parts<double>(number);
    const auto leasts = parts<float>([&] { return static_cast<float>(number()); });
    const auto places = parts<Place<double>>([&] {
      return Place<double>{std::floor(number() / 100), pick(random, 0, 1L << 40)};
    });
    const auto counts = parts<long>([&] { return pick(random, -5, 5); });
    MailParts all;
    all.add(0, sums.mine.data(), 8);
    all.add(0, leasts.mine.data(), 8);
    all.add(0, places.mine.data(), 16);
    all.add(0, counts.mine.data(), 8);
    ASSERT_TRUE(mail().carries(all));
    settle_once<SumOf<double>, MinOf<float>, MaxPlaceOf<double>, SumOf<long>>(
        device().stream(), "keep", mail(), all, false, Keep{}, data());
    const auto s = scalars(6);
    const auto place = serial<MaxPlaceOf<double>>(places.all);
    EXPECT_EQ(s[0], serial<SumOf<double>>(sums.all));
    EXPECT_EQ(s[1], serial<MinOf<float>>(leasts.all));
    EXPECT_EQ(s[2], place.value);
    EXPECT_EQ(s[3], static_cast<double>(place.cell));
    EXPECT_EQ(s[4], static_cast<double>(serial<SumOf<long>>(counts.all)));
    EXPECT_EQ(s[5], turn);
  }
}

// What a rank gives is what it made of the turn before, so a word of another turn would show for ever.
struct Mix {
  int ranks;
  TS_CELL void operator()(double* s, double sum) const {
    for (int r = 0; r < ranks; ++r) {
      const double x = sum * (1.37 + r) + 0.21;
      s[r] = x - floor(x);
    }
  }
};

TEST_F(Settled, ManyTurnsWithoutALookAreThoseOfASerialLoop) {
  constexpr int kTurns = 600, kOfAGraph = 20;
  const int ranks = world().size();
  std::vector<double> want(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) want[static_cast<std::size_t>(r)] = 0.1 * r;
  copy_to_device(device(), scalars_.data(), want.data(), want.size() * sizeof(double));
  MailParts mine;
  mine.add(0, scalars_.data() + 8 * world().rank(), 8);
  const auto enqueue = [&] {
    settle_once<SumOf<double>>(device().stream(), "mix", mail(), mine, false, Mix{ranks}, data());
  };
  auto random = test::random(1 + static_cast<std::uint64_t>(world().rank()));
  if (device().cuda()) {
    const Graph graph(device().stream(), [&] {
      for (int k = 0; k < kOfAGraph; ++k) enqueue();
    });
    for (int k = 0; k < kTurns; k += 2 * kOfAGraph) { // kept ones and others in turns
      graph.launch(device().stream());
      for (int j = 0; j < kOfAGraph; ++j) enqueue();
    }
  } else {
    for (int k = 0; k < kTurns; ++k) {
      if (pick(random, 0, 50) == 0)
        std::this_thread::sleep_for(std::chrono::microseconds(pick(random, 1, 300)));
      enqueue();
    }
  }
  for (int k = 0; k < kTurns; ++k) {
    double sum = 0;
    for (const double x : want) sum += x;
    Mix{ranks}(want.data(), sum);
  }
  EXPECT_EQ(scalars(ranks), want);
}

ExactSum digits_of(test::Random& random) {
  ExactSum sum{};
  const long numbers = pick(random, 0, 9), spread = pick(random, 0, 1000);
  for (long k = 0; k < numbers; ++k) {
    const double x = std::ldexp(static_cast<double>(pick(random, -(1L << 53), 1L << 53)),
                                static_cast<int>(pick(random, -spread, spread * 9 / 10)));
    exact_split(x, [&](int at, long long amount) { sum.digit[at] += amount; });
  }
  return sum;
}

TEST_F(Settled, ExactSumsAreThoseOfAHost) {
  auto random = test::random(99);
  for (int turn = 0; turn < 60; ++turn) {
    const auto sums = parts<ExactSum>([&] { return digits_of(random); });
    MailParts all;
    all.add(0, sums.mine.data(), sizeof(ExactSum));
    ASSERT_TRUE(mail().carries(all));
    settle_once<SumOf<double>>(device().stream(), "keep", mail(), all, true, KeepOne{}, data());
    ExactSum want{};
    for (const ExactSum& one : sums.all)
      for (int k = 0; k < ExactSum::kSize; ++k) want.digit[k] += one.digit[k];
    EXPECT_EQ(scalars(1)[0], exact_value(want)) << "turn " << turn;
  }
}

struct KeepTwo {
  TS_CELL void operator()(double* s, double sum, float most) const {
    s[0] = sum;
    s[1] += most;
  }
};

TEST_F(Settled, SetsHaveScalarsOfTheirOwn) {
  auto random = test::random(7);
  std::vector<double> want(64, 0);
  for (int turn = 0; turn < 12; ++turn) {
    const int sets = turn < 2 ? 32 : static_cast<int>(pick(random, 1, 32));
    const bool exact = turn % 3 == 2;
    std::vector<Parts<double>> sums;
    std::vector<Parts<ExactSum>> digits;
    std::vector<Parts<float>> mosts;
    MailParts all;
    ScalarsOfSets to;
    for (int set = 0; set < sets; ++set) {
      sums.push_back(parts<double>([&] { return static_cast<double>(pick(random, -1000, 1000)) / 7; }));
      digits.push_back(parts<ExactSum>([&] { return digits_of(random); }));
      mosts.push_back(parts<float>([&] { return static_cast<float>(pick(random, -99, 99)); }));
      if (exact)
        all.add(set, digits.back().mine.data(), sizeof(ExactSum));
      else
        all.add(set, sums.back().mine.data(), 8);
      all.add(set, mosts.back().mine.data(), 8);
      to.scalars[set] = reinterpret_cast<double*>(scalars_.data()) + 2 * set;
    }
    if (!mail().carries(all)) continue; // many exact sums of many ranks
    for (int set = 0; set < sets; ++set) {
      const auto k = static_cast<std::size_t>(set);
      ExactSum sum{};
      for (const ExactSum& one : digits[k].all)
        for (int d = 0; d < ExactSum::kSize; ++d) sum.digit[d] += one.digit[d];
      want[2 * k] = exact ? exact_value(sum) : serial<SumOf<double>>(sums[k].all);
      want[2 * k + 1] += serial<MaxOf<float>>(mosts[k].all);
    }
    settle_once<SumOf<double>, MaxOf<float>>(device().stream(), "keep", mail(), all, exact, KeepTwo{}, to);
    EXPECT_EQ(scalars(64), want) << "turn " << turn << ", " << sets << " sets";
  }
}

TEST_F(Settled, MoreThanTheMailHasRoomForIsNotCarried) {
  MailParts parts;
  const int most = RankMailHandle::kUnits / world().size();
  parts.add(0, scalars_.data(), 8L * most);
  EXPECT_TRUE(mail().carries(parts));
  parts.add(0, scalars_.data(), 8);
  EXPECT_FALSE(mail().carries(parts));
  MailParts lists, sets;
  for (int k = 0; k < MailParts::kMostOfASet; ++k) lists.add(0, scalars_.data(), 8);
  EXPECT_TRUE(mail().carries(lists));
  lists.add(0, scalars_.data(), 8);
  EXPECT_FALSE(mail().carries(lists));
  for (int k = 0; k < MailParts::kMost; ++k) sets.add(k, scalars_.data(), 8);
  EXPECT_TRUE(mail().carries(sets));
  sets.add(MailParts::kMost, scalars_.data(), 8);
  EXPECT_FALSE(mail().carries(sets));
}

TEST(RankMail, RanksThatAreToSendMessagesHaveNone) {
  if (world().size() == 1) GTEST_SKIP() << "one rank";
  const auto messages = test::world_with([](Settings& s) { s.channel = "mpi"; });
  EXPECT_FALSE(messages->part<Device>().part<RankMail>().carries({}));
}

} // namespace
} // namespace tasuki
