// A GPU's exact sums, played on the host: digit by digit what a serial loop adds up, by one warp, by the blocks of sweeps
// and by those that fold what sweeps leave.
#include <tests/device/kernel/warp.hpp>

#include <tasuki/device/kernel/exact_bracket_cuda.hpp>
#include <tasuki/device/kernel/exact_cuda.hpp>
#include <tasuki/device/kernel/exact_thread_cuda.hpp>
#include <tasuki/device/kernel/exact_value_cuda.hpp>
#include <tasuki/device/kernel/tally_cuda.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

namespace tasuki::detail {
namespace {

using Random = std::mt19937_64;
constexpr int kWarps = kBlock / 32;

Random seeded() {
  const char* const given = std::getenv("TASUKI_TEST_SEED");
  const unsigned long seed = given ? std::stoul(given) : std::random_device{}();
  std::cout << "TASUKI_TEST_SEED=" << seed << '\n';
  return Random(seed);
}
long any(Random& random, long from, long to) { return std::uniform_int_distribution<long>(from, to)(random); }

// What is summed. like: of about one size; far: of sizes a few hundred bits apart; wide: of any; tiny: subnormal and a little
// above; zeros: of both signs; most: close to what an anchor lets them be, and of one sign; huge: too large for an anchor;
// cancel: each has its negative, but for a few; unlike: any of these. `none`: and some that are no numbers.
enum class Kind { like, far, wide, tiny, zeros, most, huge, cancel, unlike, none };
constexpr Kind kKinds[] = {Kind::like, Kind::far,  Kind::wide,   Kind::tiny,   Kind::zeros,
                           Kind::most, Kind::huge, Kind::cancel, Kind::unlike, Kind::none};

template <class T>
class Numbers {
  using Limits = std::numeric_limits<T>;
  static constexpr int kDigits = Limits::digits, kLow = Limits::min_exponent - kDigits,
                       kHigh = Limits::max_exponent;

public:
  Numbers(Random& random, Kind kind)
      : random_(random), kind_(kind), size_(static_cast<int>(any(random, kLow + kDigits + 1, kHigh - 60))) {}

  T next() {
    if (kind_ == Kind::none && any(random_, 0, 40) == 0)
      return std::array<T, 3>{Limits::infinity(), -Limits::infinity(),
                              Limits::quiet_NaN()}[static_cast<std::size_t>(any(random_, 0, 2))];
    if (kind_ != Kind::cancel) return of(kind_);
    std::swap(held_, last_);
    if (any(random_, 0, 200) == 0) return of(Kind::wide); // without its negative
    if (last_ != 0) return -std::exchange(last_, T(0));
    return last_ = of(any(random_, 0, 1) ? Kind::like : Kind::wide);
  }

private:
  T of(Kind kind) {
    switch (kind) {
      case Kind::like:
      case Kind::none: return scaled(size_);
      case Kind::far: return scaled(size_ - static_cast<int>(any(random_, 0, 3)) * 70);
      case Kind::tiny: return scaled(kLow + static_cast<int>(any(random_, 0, kDigits + 3)));
      case Kind::zeros: return any(random_, 0, 1) ? T(0) : T(-0.0);
      case Kind::most:
        return std::ldexp(1 - Limits::epsilon() / 2 * static_cast<T>(any(random_, 0, 1L << (kDigits - 2))),
                          size_);
      case Kind::huge: return scaled(kHigh - static_cast<int>(any(random_, 0, 30)));
      case Kind::unlike: return of(kKinds[any(random_, 0, 6)]);
      default: return scaled(static_cast<int>(any(random_, kLow, kHigh)));
    }
  }
  T scaled(int exponent) { // below 2^exponent
    const auto mantissa = static_cast<T>(any(random_, -(1L << kDigits) + 1, (1L << kDigits) - 1));
    return std::ldexp(std::ldexp(mantissa, -kDigits), exponent);
  }

  Random& random_;
  Kind kind_;
  int size_;
  T held_ = 0, last_ = 0;
};

struct Digits {
  std::array<long long, ExactSum::kSize> digit{};

  void add(double x) {
    exact_split(x, [this](int k, long long amount) { digit[static_cast<std::size_t>(k)] += amount; });
  }
  Digits carried() const {
    Digits same = *this;
    exact_carry(same.digit.data());
    return same;
  }
};
testing::AssertionResult same(const Digits& a, const Digits& b) {
  const Digits x = a.carried(), y = b.carried();
  for (std::size_t k = 0; k < x.digit.size(); ++k)
    if (x.digit[k] != y.digit[k])
      return testing::AssertionFailure() << "digit " << k << " is " << x.digit[k] << ", not " << y.digit[k];
  return testing::AssertionSuccess();
}

// A trial of its own in every warp of a block.
template <class T, int Bins, int N>
void try_warps(Random& random, Kind kind) {
  SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)) + ", " + std::to_string(N) + " numbers of " +
               std::to_string(sizeof(T)) + " bytes, " + std::to_string(Bins) + " bins");
  struct Lane {
    T x[N];
    Digits put;
    int rounds;
  };
  std::vector<Lane> lanes(kBlock);
  std::array<Digits, kWarps> wanted, found;
  for (std::size_t w = 0; w < kWarps; ++w) {
    Numbers<T> numbers(random, kind);
    const bool few = any(random, 0, 3) == 0; // most lanes have nothing
    for (std::size_t lane = 0; lane < 32; ++lane)
      for (T& x : lanes[32 * w + lane].x) {
        x = few && any(random, 0, 9) ? T(0) : numbers.next();
        wanted[w].add(x);
      }
  }
  test::Warps warps(random());
  warps.run({1}, [&] {
    Lane& lane = lanes[threadIdx.x];
    lane.rounds = warp_exact<Bins>(
        lane.x, [&](int, int, double sum) { lane.put.add(sum); }, [&](double alone) { lane.put.add(alone); });
  });
  for (std::size_t t = 0; t < kBlock; ++t) {
    for (std::size_t k = 0; k < ExactSum::kSize; ++k) found[t / 32].digit[k] += lanes[t].put.digit[k];
    EXPECT_EQ(lanes[t].rounds, lanes[t / 32 * 32].rounds);
  }
  for (std::size_t w = 0; w < kWarps; ++w) EXPECT_TRUE(same(found[w], wanted[w])) << "warp " << w;
}

TEST(ExactCuda, OfAWarpIsThatOfALoop) {
  Random random = seeded();
  for (const Kind kind : kKinds) {
    try_warps<double, 2, 1>(random, kind);
    try_warps<double, 2, 4>(random, kind);
    try_warps<double, 2, 8>(random, kind);
    try_warps<double, 2, 16>(random, kind);
    try_warps<double, 2, 3>(random, kind);
    try_warps<float, 1, 1>(random, kind);
    try_warps<float, 1, 8>(random, kind);
    try_warps<float, 1, 16>(random, kind);
    try_warps<float, 2, 2>(random, kind);
  }
}

std::uint64_t bits_of(double x) { return bits_as<std::uint64_t>(x); }

// Eight sums, each rounded by a warp, and by all of its lanes alike.
void try_values(Random& random, const std::array<Digits, kWarps>& sums) {
  std::array<Digits, kWarps> mine = sums;
  std::vector<double> found(kBlock);
  test::Warps warps(random());
  warps.run({1}, [&] { found[threadIdx.x] = warp_value(mine[threadIdx.x / 32].digit.data()); });
  for (std::size_t t = 0; t < kBlock; ++t) {
    Digits one = sums[t / 32];
    EXPECT_EQ(bits_of(found[t]), bits_of(exact_value(one.digit.data()))) << "lane " << t;
  }
}

TEST(ExactCuda, ValueOfAWarpIsThatOfAThread) {
  Random random = seeded();
  for (const Kind kind : kKinds)
    for (int time = 0; time < 8; ++time) {
      std::array<Digits, kWarps> sums;
      for (Digits& sum : sums) {
        Numbers<double> numbers(random, kind);
        for (long n = any(random, 0, any(random, 0, 1) ? 3 : 200); n > 0; --n) sum.add(numbers.next());
      }
      try_values(random, sums);
    }
}

// Digits as sums seldom leave them: carries that run far, and leading digits that cancel.
TEST(ExactCuda, ValueOfOddDigitsIsThatOfAThread) {
  Random random = seeded();
  constexpr long long kBase = 1ll << 32;
  for (int time = 0; time < 60; ++time) {
    std::array<Digits, kWarps> sums;
    for (Digits& sum : sums) {
      const long top = any(random, 0, ExactSum::kDigits - 2), least = any(random, 0, top);
      const long like = any(random, 0, 4);
      for (long k = least; k <= top; ++k) {
        const long long few[] = {0, -1, 1, kBase, kBase - 1, -kBase, 1 - kBase};
        long long& digit = sum.digit[static_cast<std::size_t>(k)];
        if (like == 0) digit = few[any(random, 0, 6)];
        if (like == 1) digit = kBase - 1;
        if (like == 2) digit = -1;
        if (like == 3) digit = any(random, -(1l << 50), 1l << 50);
        if (like == 4) digit = k == top ? -1 : k == top - 1 ? kBase : any(random, -2, 2);
      }
      if (any(random, 0, 3) == 0) sum.digit[static_cast<std::size_t>(least)] += any(random, -2, 2);
      // With the last move a carry arrives below a first digit of -1, which it cancels.
      if (any(random, 0, 9) == 0) {
        constexpr std::size_t kLast = ExactSum::kDigits - 1;
        sum.digit[kLast] = -1;
        for (std::size_t k = kLast - 3; k < kLast; ++k) sum.digit[k] = kBase - 1;
        sum.digit[kLast - 4] = kBase;
      }
    }
    try_values(random, sums);
  }
}

// A reduction's memory on the device, full of what does not belong there where a kernel has to fill it.
template <class Op>
struct Tallied {
  Digits digits, spill, wanted;
  std::vector<double> partials;
  unsigned counters = 0;
  BoundTally<Op, true> bound;

  Tallied() { digits.digit.fill(0x7777777777777777); }
  const BoundTally<Op, true>& bind(unsigned sweep_blocks, bool first, bool folds) {
    partials.assign(2ul * kWarps * sweep_blocks, std::numeric_limits<double>::quiet_NaN());
    bound.partials = partials.data();
    bound.counters = &counters;
    bound.digits = digits.digit.data();
    bound.spill = spill.digit.data();
    bound.first = first;
    bound.folds = folds;
    if (first) wanted = {};
    return bound;
  }
  void expect_right() const {
    EXPECT_TRUE(same(digits, wanted));
    EXPECT_EQ(spill.digit, Digits{}.digit); // for the next launch
    EXPECT_EQ(counters, 0u);
  }
};

// What the cells of a sweep offer, thread by thread.
template <class T, int U>
struct Offers {
  std::vector<std::vector<std::vector<T>>> of; // of[thread][cell]: some, or none

  Offers(Random& random, Kind kind, unsigned blocks) : of(blocks * static_cast<std::size_t>(kBlock)) {
    Numbers<T> numbers(random, kind);
    const bool whole = any(random, 0, 1); // every thread has its U cells, and each offers one number
    for (auto& cells : of) {
      cells.resize(static_cast<std::size_t>(whole ? U : any(random, 0, U)));
      for (auto& cell : cells)
        for (long n = whole ? 1 : any(random, 0, 2); n > 0; --n) cell.push_back(numbers.next());
    }
  }
  // As a walk does.
  template <class Part>
  void offer(Part& part) const {
    for (const auto& cell : of[static_cast<std::size_t>(blockIdx.x) * kBlock + threadIdx.x]) {
      const auto& tally = part.template pass<Count::all>();
      for (const T x : cell) tally(Cell<1>{}, x);
    }
  }
  // A cell's offers are added up as they come; only their sums are exact.
  void add_to(Digits& sum) const {
    for (const auto& cells : of)
      for (const auto& cell : cells) {
        T value = 0;
        for (const T x : cell) value += x;
        sum.add(value);
      }
  }
};

// A sweep with three reductions, in some launches; each is folded by its last block, or by a kernel after it. The first
// two are of one type: their kernels share memory.
template <class T, int U>
void try_sweep(Random& random, Kind kind, unsigned most_blocks) {
  SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)) + ", " + std::to_string(U) + " cells of " +
               std::to_string(sizeof(T)) + " bytes");
  Tallied<SumOf<T>> a, b;
  Tallied<SumOf<float>> c;
  test::Warps warps(random());
  for (long launch = 0, launches = any(random, 1, 3); launch < launches; ++launch) {
    const auto blocks = static_cast<unsigned>(any(random, 1, most_blocks));
    const bool folds = any(random, 0, 1), first = launch == 0;
    const auto &to_a = a.bind(blocks, first, folds), &to_b = b.bind(blocks, first, folds);
    const auto& to_c = c.bind(blocks, first, folds);
    const Offers<T, U> for_a(random, kind, blocks), for_b(random, Kind::like, blocks);
    const Offers<float, U> for_c(random, Kind::far, blocks);
    warps.run({blocks}, [&] {
      WithPart<BoundTally<SumOf<T>, true>, U> part_a(to_a), part_b(to_b);
      WithPart<BoundTally<SumOf<float>, true>, U> part_c(to_c);
      for_a.offer(part_a);
      for_b.offer(part_b);
      for_c.offer(part_c);
      finish_block(part_a, part_b, part_c);
    });
    if (!folds) {
      const auto folders = static_cast<unsigned>(any(random, 1, 3));
      warps.run({folders, 3}, [&] { fold_kernel(static_cast<long>(blocks) * kWarps, to_a, to_b, to_c); });
    }
    for_a.add_to(a.wanted);
    for_b.add_to(b.wanted);
    for_c.add_to(c.wanted);
    a.expect_right();
    b.expect_right();
    c.expect_right();
  }
}

// More sums than a block has warps.
TEST(ExactCuda, OfNineSumsOfASweepAreThoseOfLoops) {
  Random random = seeded();
  test::Warps warps(random());
  for (const Kind kind : kKinds) {
    std::array<Tallied<SumOf<double>>, kWarps + 1> sums;
    const auto blocks = static_cast<unsigned>(any(random, 1, 6));
    std::vector<Offers<double, 1>> offers;
    for (auto& sum : sums) {
      sum.bind(blocks, true, true);
      offers.emplace_back(random, kind, blocks).add_to(sum.wanted);
    }
    warps.run({blocks}, [&] {
      [&]<std::size_t... N>(std::index_sequence<N...>) {
        std::tuple parts{WithPart<BoundTally<SumOf<double>, true>, 1>(sums[N].bound)...};
        (offers[N].offer(std::get<N>(parts)), ...);
        finish_block(std::get<N>(parts)...);
      }
      (std::make_index_sequence<kWarps + 1>{});
    });
    for (const auto& sum : sums) sum.expect_right();
  }
}

TEST(ExactCuda, OfASweepIsThatOfALoop) {
  Random random = seeded();
  for (const Kind kind : kKinds) {
    try_sweep<double, 1>(random, kind, 3);
    try_sweep<double, 4>(random, kind, 2);
    try_sweep<double, 8>(random, kind, 2);
    try_sweep<float, 2>(random, kind, 3);
    try_sweep<float, 8>(random, kind, 2);
  }
  try_sweep<double, 3>(random, Kind::like, 40);
  try_sweep<float, 5>(random, Kind::unlike, 12);
}

// So many partials that a thread of a folding block has several, and some that sweeps do not leave but could.
TEST(ExactCuda, OfManyPartialsIsThatOfALoop) {
  Random random = seeded();
  test::Warps warps(random());
  for (const Kind kind : kKinds) {
    SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
    Tallied<SumOf<double>> sum;
    for (const bool first : {true, false}) {
      const auto blocks = static_cast<unsigned>(any(random, 1, 500)), folders = first ? 1u : 5u;
      const auto& bound = sum.bind(blocks, first, false);
      const std::size_t n = sum.partials.size() / 2; // of each warp two
      Numbers<double> firsts(random, kind), seconds(random, Kind::like);
      for (std::size_t k = 0; k < 2 * n; ++k) {
        sum.partials[k] = k < n ? firsts.next() : seconds.next();
        sum.wanted.add(sum.partials[k]);
      }
      for (int k = 0; k < 20; ++k) {
        const double x = Numbers<double>(random, Kind::wide).next();
        sum.spill.add(x);
        sum.wanted.add(x);
      }
      warps.run({folders}, [&] { fold_kernel(static_cast<long>(blocks) * kWarps, bound); });
      sum.expect_right();
    }
  }
}

// What the threads of a tile add in a step, some numbers at a time; and in another step with what the first left to it.
template <int N>
void try_tile(Random& random, Kind kind) {
  SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)) + ", " + std::to_string(N) + " at a time");
  std::vector<ThreadBins> bins(kBlock);
  for (const Kind now : {kind, Kind::like, kind}) {
    std::vector<std::vector<std::array<double, N>>> added(kBlock);
    Digits wanted, found;
    for (auto& of_thread : added) {
      Numbers<double> numbers(random, now); // threads differ in size
      of_thread.resize(static_cast<std::size_t>(any(random, 0, any(random, 0, 9) ? 6 : 60)));
      for (auto& some : of_thread)
        for (double& x : some) wanted.add(x = numbers.next());
    }
    test::Warps warps(random());
    warps.run({1}, [&] {
      ThreadBins& mine = bins[threadIdx.x];
      mine.begin();
      for (const auto& some : added[threadIdx.x]) {
        double x[N];
        std::copy(some.begin(), some.end(), x);
        mine.add(x, found.digit.data());
      }
      block_digits(mine, found.digit.data());
    });
    EXPECT_TRUE(same(found, wanted));
  }
}

TEST(ExactCuda, OfATileIsThatOfALoop) {
  Random random = seeded();
  for (const Kind kind : kKinds) {
    try_tile<1>(random, kind);
    try_tile<4>(random, kind);
    try_tile<8>(random, kind);
  }
}

// Digits that carry into the upper half, and borrow from it.
TEST(ExactCuda, NearDigitsCarry) {
  Random random = seeded();
  for (int k = 0; k < 10000; ++k) {
    const auto word = [&] { return static_cast<long long>(random()) >> any(random, 0, 63); };
    const long long before = word(), amount = word();
    long long digit = before;
    add_to_near_digit(&digit, amount);
    EXPECT_EQ(static_cast<unsigned long long>(digit),
              static_cast<unsigned long long>(before) + static_cast<unsigned long long>(amount));
  }
}

// What is sure of a sum by its brackets is what the sum itself says, whatever the tiles have and wherever the threshold lies.
template <class Number>
void try_brackets(Random& random, Kind kind) {
  for (int round = 0; round < 20; ++round) {
    std::vector<Digits> of(static_cast<std::size_t>(any(random, 1, kWarps))); // tiles, by a warp each
    std::vector<ExactBracket> brackets(kBlock);
    Numbers<Number> numbers(random, kind);
    for (Digits& tile : of)
      for (long n = any(random, 0, 40); n > 0; --n) tile.add(static_cast<double>(numbers.next()));
    test::Warps warps(random());
    warps.run({1}, [&] {
      long long mine[kDigitsOfLane] = {};
      const std::size_t lane = threadIdx.x % 32, tile = threadIdx.x / 32;
      if (tile < of.size())
        for (std::size_t k = 0; k < kDigitsOfLane; ++k)
          if (lane + 32 * k < ExactSum::kSize) mine[k] = of[tile].digit[lane + 32 * k];
      brackets[threadIdx.x] = bracket_of(mine);
    });
    double sum = 0, size = 0;
    Digits all;
    for (std::size_t tile = 0; tile < of.size(); ++tile) {
      sum += static_cast<double>(brackets[32 * tile].sum);
      size += static_cast<double>(brackets[32 * tile].size);
      for (std::size_t k = 0; k < ExactSum::kSize; ++k) all.digit[k] += of[tile].digit[k];
    }
    Digits changed = all;
    const auto value = static_cast<double>(static_cast<Number>(exact_value(changed.digit.data())));
    for (const double factor :
         {0.0, 0.5, 0.999, 1 - 1e-6, 1 - 1e-9, 1.0, 1 + 1e-9, 1 + 1e-6, 1.001, 2.0, -1.0})
      for (const bool below : {false, true}) {
        const auto threshold = static_cast<double>(static_cast<Number>(value * factor));
        const bool beyond = below ? value < threshold : value > threshold;
        const Side side = side_of<Number>(sum, size, below, threshold);
        EXPECT_TRUE(side == Side::unsure || (side == Side::beyond) == beyond)
            << value << " against " << threshold;
      }
  }
}

TEST(ExactCuda, BracketsSayWhatTheSumSays) {
  Random random = seeded();
  for (const Kind kind : kKinds) {
    try_brackets<double>(random, kind);
    try_brackets<float>(random, kind);
  }
  const ExactBracket b{1.0f, 1.0f};
  EXPECT_EQ(side_of<double>(b.sum, b.size, true, 1.001), Side::beyond);
  EXPECT_EQ(side_of<double>(b.sum, b.size, true, 0.999), Side::within);
  EXPECT_EQ(side_of<double>(b.sum, b.size, false, 0.999), Side::beyond);
  EXPECT_EQ(side_of<double>(b.sum, b.size, false, 1.0), Side::unsure);
}

} // namespace
} // namespace tasuki::detail
