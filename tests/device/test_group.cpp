// A body of all phases against the same sums by plain loops, on whatever device the world has.
#include <tasuki/device/group/group.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <cstring>

namespace tasuki {
namespace {

// What a group leaves of an item: for every lane a number, and for all of them some.
struct Results {
  float walked[1024];   // by accumulate
  float gathered[1024]; // by gather, along lists of candidates
  int trips[1024];      // how many it was given
  int order[1024];      // who was kept by filter, chunk by chunk
  int kept[64];         // how many, of each chunk
  double sum;
  int any, none, once;
};

struct Input {
  int lanes, phases;
  const float* x;
};

// Chunks are 16 or 32 lanes, as the device has it; a lane of chunk c keeps what leaves c over when divided by 7.
struct AllPhases {
  Input in;
  Results* out;

  template <class Group>
  TS_HD void operator()(Group& g, long item) const {
    const int n = g.lanes();
    const float* x = in.x;
    float* shared = g.template shared<float>(n);
    auto words = g.template words<2>(n);
    auto value = g.template own<float>();
    auto sum = g.template kept<float>();
    using Index = typename Group::Index;
    Index* found = reinterpret_cast<Index*>(g.scratch());
    Results& r = out[item];
    const float shift = static_cast<float>(item);

    g.each([&](int i, int slot) TS_LANE { value[slot] = x[i] + shift; });
    for (int phase = 0; phase < in.phases; ++phase) { // what a lane reads is of the phase before
      g.each([&](int i, int slot) TS_LANE { shared[i] = value[slot]; });
      g.each([&](int i, int slot)
                 TS_LANE { value[slot] = 0.5f * (shared[i] + shared[i + 1 < n ? i + 1 : 0]); });
    }
    g.each([&](int i, int slot) TS_LANE {
      shared[i] = value[slot];
      words.put(i, {{bits_of(value[slot]), static_cast<std::uint32_t>(i)}});
    });
    struct State {
      float own, sum;
    };
    g.accumulate(
        n,
        [shared](int i, int) TS_LANE {
          return State{shared[i], 0};
        },
        [shared](State& s, int k, int) TS_LANE { s.sum = s.sum * 0.5f + (shared[k] - s.own); },
        [&](int i, int, const State& s) TS_LANE { r.walked[i] = s.sum; });
    g.filter(
        n, [=](int chunk, int k) TS_LANE { return k % 7 == chunk % 7; },
        [=](int chunk, int k, int j) TS_LANE { found[chunk * n + k] = static_cast<Index>(words.mark(j)); },
        [&](int chunk, int count) TS_LANE { r.kept[chunk] = count; });
    g.gather([&](int chunk) { return r.kept[chunk]; }, [&](int i, int slot) TS_LANE { sum(i, slot) = 0; },
             [=](int i, int k) TS_LANE { return found[i / Group::kChunk * n + k]; },
             [&](int i, int slot, int k, std::uint32_t mark) TS_LANE {
               const Element<2> e = words.at(mark);
               sum(i, slot) = sum(i, slot) * 0.5f + float_of(e.word[0]) + static_cast<float>(e.word[1]);
               r.trips[i] = k + 1;
             },
             [&](int i, int slot) TS_LANE { r.gathered[i] = sum(i, slot); });
    g.each_of(g.chunks(), [&](int chunk) { r.order[chunk] = Group::kChunk; });
    r.sum = g.sum([&](int, int slot) TS_LANE { return value[slot]; });
    r.any = g.any([&](int i, int) TS_LANE { return i == n - 1; });
    r.none = g.any([&](int i, int) TS_LANE { return i == n; });
    g.once([&] { r.once += 1; });
  }
};

// The same, by plain loops.
Results plain(const Input& in, const float* x, long item, int chunk_lanes) {
  Results r{};
  std::vector<float> value(x, x + in.lanes);
  const std::size_t n = value.size();
  for (float& v : value) v += static_cast<float>(item);
  for (int phase = 0; phase < in.phases; ++phase) {
    const std::vector<float> before = value;
    for (std::size_t i = 0; i < n; ++i) value[i] = 0.5f * (before[i] + before[i + 1 < n ? i + 1 : 0]);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) r.walked[i] = r.walked[i] * 0.5f + (value[k] - value[i]);
    const std::size_t chunk = i / static_cast<std::size_t>(chunk_lanes);
    r.kept[chunk] = 0;
    for (std::size_t k = 0; k < n; ++k)
      if (k % 7 == chunk % 7) {
        r.gathered[i] = r.gathered[i] * 0.5f + value[k] + static_cast<float>(k);
        r.trips[i] = ++r.kept[chunk];
      }
    r.sum += static_cast<double>(value[i]);
  }
  return r;
}

template <int Slots>
void expect_plain(int lanes, long items) {
  SCOPED_TRACE(std::to_string(lanes) + " lanes, " + std::to_string(Slots) + " a thread");
  Device& device = test::device();
  test::Random random = test::random(static_cast<std::uint64_t>(lanes));
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> x(static_cast<std::size_t>(lanes));
  for (float& v : x) v = uniform(random);
  Buffer in(device, x.size() * sizeof(float)), out(device, static_cast<std::size_t>(items) * sizeof(Results));
  copy_to_device(device, in.data(), x.data(), in.bytes());

  const std::size_t n = static_cast<std::size_t>(lanes);
  const GroupShape shape{lanes, (4 * n + 15) / 16 * 16 + 8 * n + 16 + 4 * n + 16,
                         64 * n * sizeof(std::uint32_t)};
  Groups<AllPhases, Slots> groups(device, shape, items);
  const Input input{lanes, 5, reinterpret_cast<const float*>(in.data())};
  const AllPhases body{input, reinterpret_cast<Results*>(out.data())};
  groups.launch("all phases", items, body);
  std::vector<Results> got(static_cast<std::size_t>(items)), again = got;
  copy_to_host(device, got.data(), out.data(), out.bytes());
  for (long item = 0; item < items; ++item) {
    const Results& r = got[static_cast<std::size_t>(item)];
    const Results want = plain(input, x.data(), item, r.order[0]);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(r.walked[i], want.walked[i]) << "item " << item << ", lane " << i;
      ASSERT_EQ(r.gathered[i], want.gathered[i]) << "item " << item << ", lane " << i;
      ASSERT_EQ(r.trips[i], want.trips[i]) << "item " << item << ", lane " << i;
    }
    ASSERT_EQ(0, std::memcmp(r.kept, want.kept, sizeof r.kept));
    ASSERT_NEAR(r.sum, want.sum, 1e-12 * static_cast<double>(lanes) * static_cast<double>(item + 1));
    ASSERT_EQ(r.any, 1);
    ASSERT_EQ(r.none, 0);
    ASSERT_EQ(r.once, 1);
  }
  groups.launch("all phases", items, body);
  copy_to_host(device, again.data(), out.data(), out.bytes());
  for (std::size_t item = 0; item < again.size(); ++item)
    ASSERT_EQ(0, std::memcmp(&again[item].sum, &got[item].sum, sizeof(double))) << "a sum has another order";
}

TEST(Group, AllPhasesDoWhatPlainLoopsDo) {
  for (const int lanes : {1, 16, 31, 100, 128}) {
    expect_plain<1>(lanes, 5);
    expect_plain<4>(lanes, 5);
  }
  expect_plain<4>(1000, 300); // more groups than a device holds at a time
}

TEST(Group, HostSaysWhereItsSharedMemoryIsTooSmall) {
  if (test::device().cuda()) GTEST_SKIP() << "the host finds it";
  detail::HostArena arena;
  detail::HostGroup group({16, 64, 0}, arena);
  EXPECT_NO_THROW(group.shared<float>(16));
  EXPECT_THROW(group.shared<float>(1), Error);
}

} // namespace
} // namespace tasuki
