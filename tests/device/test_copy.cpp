// Strided copies against a plain byte loop: every byte of the target is looked at, those around a box too.
#include <tasuki/device/copy.hpp>
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace tasuki {
namespace {

using test::pick;
using test::Random;
using Bytes = std::vector<char>;

Bytes noise(std::size_t bytes, Random& random) {
  Bytes data(bytes);
  for (char& b : data) b = static_cast<char>(random());
  return data;
}

// The byte loop that everything is measured against.
void plain_copy(const CopyPair& pair) {
  const Strided &f = pair.from, &t = pair.to;
  long runs = 1;
  for (int l = 0; l < f.levels; ++l) runs *= f.count[l];
  for (long r = 0; r < runs; ++r) {
    long rest = r, from = 0, to = 0;
    for (int l = 0; l < f.levels; ++l) {
      const long i = rest % f.count[l];
      rest /= f.count[l];
      from += i * f.stride[l];
      to += i * t.stride[l];
    }
    for (long b = 0; b < f.run; ++b) t.base[to + b] = f.base[from + b];
  }
}

// Moves both sides from one pair of arrays to another.
CopyPair moved(CopyPair pair, const char* from, char* new_from, const char* to, char* new_to) {
  pair.from.base = new_from + (pair.from.base - from);
  pair.to.base = new_to + (pair.to.base - to);
  return pair;
}

// Runs the plan on the device and compares the whole target with the plain loop's. The pairs address the two arrays.
void expect_as_plain(Bytes& source, Bytes& target, const std::vector<CopyPair>& pairs) {
  Device& device = test::device();
  Buffer from(device, source.size()), to(device, target.size());
  copy_to_device(device, from.data(), source.data(), source.size());
  copy_to_device(device, to.data(), target.data(), target.size());
  std::vector<CopyPair> there;
  long bytes = 0;
  for (const CopyPair& p : pairs) {
    there.push_back(moved(p, source.data(), from.data(), target.data(), to.data()));
    bytes += p.from.bytes();
  }
  const CopyPlan plan(device, there);
  EXPECT_EQ(plan.bytes(), bytes);
  EXPECT_EQ(plan.empty(), bytes == 0);
  plan.enqueue(device.stream());
  Bytes got(target.size());
  copy_to_host(device, got.data(), to.data(), got.size());
  for (const CopyPair& p : pairs) plain_copy(p);
  const auto at = std::mismatch(got.begin(), got.end(), target.begin()).first;
  EXPECT_EQ(at, got.end()) << "first wrong byte at " << at - got.begin() << " of " << got.size();
}

// Strides that let no two runs overlap, the levels in any order of size, with gaps. Returns the bytes spanned.
long lay_out(Strided& s, long word, Random& random) {
  std::vector<int> order(static_cast<std::size_t>(s.levels));
  std::iota(order.begin(), order.end(), 0);
  if (pick(random, 0, 2) == 0) std::shuffle(order.begin(), order.end(), random);
  long span = s.run;
  for (const int l : order) {
    s.stride[l] = span + (pick(random, 0, 1) ? word * pick(random, 0, 5) : 0);
    span = s.stride[l] * s.count[l];
  }
  return span;
}

TEST(Copy, random_boxes_are_those_of_a_plain_loop) {
  Random random(test::seed() + static_cast<std::uint64_t>(test::world().rank()));
  for (int round = 0; round < 150; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", TASUKI_TEST_SEED=" + std::to_string(test::seed()));
    std::vector<CopyPair> pairs;
    std::vector<long> from_at, to_at;
    long from_bytes = 0, to_bytes = 0;
    for (long n = pick(random, 1, 12); n > 0; --n) {
      const long word = 1L << pick(random, 0, 4);
      CopyPair p;
      p.from.run = word * (pick(random, 0, 5) ? pick(random, 1, 7) : pick(random, 1, 3000));
      p.from.levels = static_cast<int>(pick(random, 0, Strided::kMaxLevels));
      for (int l = 0; l < p.from.levels; ++l) p.from.count[l] = pick(random, 1, p.from.levels > 4 ? 3 : 9);
      if (pick(random, 0, 15) == 0 && p.from.levels) p.from.count[0] = 0; // an empty box
      while (p.from.bytes() > 200000) p.from.count[--p.from.levels] = 0;
      p.to = p.from;
      from_bytes = (from_bytes + word - 1) / word * word;
      to_bytes = (to_bytes + word - 1) / word * word;
      from_at.push_back(from_bytes);
      to_at.push_back(to_bytes);
      from_bytes += lay_out(p.from, word, random);
      to_bytes += lay_out(p.to, word, random) + pick(random, 0, 33);
      pairs.push_back(p);
    }
    Bytes source = noise(static_cast<std::size_t>(from_bytes) + 1, random);
    Bytes target = noise(static_cast<std::size_t>(to_bytes) + 1, random);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      pairs[i].from.base = source.data() + from_at[i];
      pairs[i].to.base = target.data() + to_at[i];
    }
    expect_as_plain(source, target, pairs);
    if (HasFailure()) return;
  }
}

// A face of a block of floats with a halo of one, as halos are: packed, and unpacked on the other side.
TEST(Copy, faces_of_a_block) {
  Random random(test::seed());
  const long nx = 67, ny = 45, nz = 130, cell = 4;
  const long strides[] = {cell, cell * nx, cell * nx * ny};
  const long extents[] = {nx, ny, nz};
  const auto bytes = static_cast<std::size_t>(cell * nx * ny * nz);
  for (int axis = 0; axis < 3; ++axis) {
    SCOPED_TRACE("axis " + std::to_string(axis));
    Bytes block = noise(bytes, random);
    Strided face;
    face.run = cell;
    face.levels = 3;
    for (int a = 0; a < 3; ++a) {
      face.count[a] = a == axis ? 1 : extents[a];
      face.stride[a] = strides[a];
    }
    face.base = block.data() + strides[axis] * 3;
    Bytes message = noise(static_cast<std::size_t>(face.bytes()) + 8, random);
    expect_as_plain(block, message, {{face, packed(face, message.data())}});
    Bytes other = noise(bytes, random);
    Strided there = face;
    there.base = other.data();
    expect_as_plain(message, other, {{packed(face, message.data()), there}});
  }
}

// Large enough for every thread of the host and for several rounds of a GPU's blocks.
TEST(Copy, large_boxes) {
  Random random(test::seed());
  const long bytes = 24L << 20;
  Bytes source = noise(static_cast<std::size_t>(bytes) + 64, random);
  for (const long run : {bytes - 5, 4L, 16L, 20L, 70000L}) {
    SCOPED_TRACE("runs of " + std::to_string(run) + " bytes");
    Bytes target = noise(source.size(), random);
    CopyPair p;
    p.from.run = run;
    p.from.base = source.data() + (run == bytes - 5 ? 3 : 0); // unaligned
    if (run < bytes / 2) {
      p.from.levels = 1;
      p.from.count[0] = bytes / (run * 2);
      p.from.stride[0] = run * 2;
    }
    p.to = packed(p.from, target.data() + 16);
    CopyPair small; // its cells are served by some thread too
    small.from.run = small.to.run = 9;
    small.from.base = source.data() + 1;
    small.to.base = target.data() + 1;
    expect_as_plain(source, target, {small, p});
  }
}

// More bytes than the kernel's 32-bit counters hold.
TEST(Copy, more_than_a_gibibyte_on_a_gpu) {
  Device& device = test::device();
  if (!device.cuda()) GTEST_SKIP() << "the host counts in 64 bits";
  const std::size_t bytes = (std::size_t{5} << 28) + 4097; // odd: words of one byte
  Bytes source(bytes + 1);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<char>(i * 2654435761u >> 13);
  Buffer from(device, source.size()), to(device, bytes);
  copy_to_device(device, from.data(), source.data(), source.size());
  Strided run;
  run.run = static_cast<long>(bytes);
  run.base = from.data() + 1;
  const CopyPlan plan(device, {{run, packed(run, to.data())}});
  plan.enqueue(device.stream());
  Bytes got(bytes);
  copy_to_host(device, got.data(), to.data(), bytes);
  EXPECT_TRUE(std::equal(got.begin(), got.end(), source.begin() + 1));
}

TEST(Copy, goes_into_the_memory_of_a_neighbour) {
  Device& device = test::device();
  const World& world = test::world();
  const int n = world.node_size(), me = world.node_rank(), next = (me + 1) % n, before = (me + n - 1) % n;
  if (!device.reaches(next) || !device.reaches(before)) GTEST_SKIP() << "no peer access here";
  constexpr int kCells = 40000;
  SharedBuffer shared(device, kCells * 2 * sizeof(int));
  Buffer mine(device, kCells * sizeof(int));
  std::vector<int> values(kCells);
  std::iota(values.begin(), values.end(), 1000000 * me);
  copy_to_device(device, mine.data(), values.data(), mine.bytes());
  Strided cells;
  cells.base = mine.data();
  cells.run = sizeof(int);
  cells.levels = 1;
  cells.count[0] = kCells;
  cells.stride[0] = sizeof(int);
  Strided there = cells; // every second cell
  there.base = shared.peer(next);
  there.stride[0] = 2 * sizeof(int);
  const CopyPlan plan(device, {{cells, there}});
  plan.enqueue(device.stream());
  device.stream().synchronize();
  MPI_Barrier(world.node_comm());
  std::vector<int> got(2 * kCells);
  copy_to_host(device, got.data(), shared.data(), shared.bytes());
  int wrong = 0;
  for (int i = 0; i < kCells; ++i) wrong += got[2 * i] != 1000000 * before + i || got[2 * i + 1] != 0;
  EXPECT_EQ(wrong, 0);
  MPI_Barrier(world.node_comm());
}

TEST(Copy, dense_levels_fold) {
  char memory[8];
  Strided s;
  s.base = memory;
  s.run = 4;
  s.levels = 3;
  const long counts[] = {8, 5, 3};
  std::copy_n(counts, 3, s.count);
  const Strided block = folded(packed(s, memory));
  EXPECT_EQ(block.levels, 0);
  EXPECT_EQ(block.run, 4 * 8 * 5 * 3);
  EXPECT_EQ(block.base, memory);

  s = packed(s, memory);
  s.stride[2] = 1000; // planes apart
  const Strided planes = folded(s);
  EXPECT_EQ(planes.levels, 1);
  EXPECT_EQ(planes.run, 4 * 8 * 5);
  EXPECT_EQ(planes.count[0], 3);
  EXPECT_EQ(planes.stride[0], 1000);

  s.stride[0] = 8; // nothing dense below, rows in step above
  s.stride[1] = 64;
  const Strided cells = folded(s);
  EXPECT_EQ(cells.levels, 2);
  EXPECT_EQ(cells.run, 4);
  EXPECT_EQ(cells.count[0], 8 * 5);
  EXPECT_EQ(cells.stride[0], 8);
  EXPECT_EQ(cells.bytes(), s.bytes());

  s.count[1] = 0;
  EXPECT_EQ(folded(s).bytes(), 0);
}

TEST(Copy, an_empty_plan_does_nothing) {
  CopyPlan none;
  EXPECT_TRUE(none.empty());
  none.enqueue(test::device().stream());
  CopyPlan no_pairs(test::device(), {});
  EXPECT_TRUE(no_pairs.empty());
  no_pairs.enqueue(test::device().stream());
  test::device().stream().synchronize();
}

TEST(Copy, boxes_of_two_shapes_are_refused) {
  Buffer memory(test::device(), 256);
  Strided a, b;
  a.base = memory.data();
  a.run = 8;
  b.base = memory.data() + 128;
  b.run = 4;
  b.levels = 1;
  b.count[0] = 2;
  b.stride[0] = 4;
  EXPECT_THROW(CopyPlan(test::device(), {{a, b}}), Error);
}

} // namespace
} // namespace tasuki
