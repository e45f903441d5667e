#include <tasuki/file/checkpoint.hpp>
#include <tests/file/folder.hpp>

#include <tests/checks.hpp>

#include <gtest/gtest.h>

#ifdef TASUKI_HAVE_HDF5
#include <tasuki/base/on_all.hpp>

#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

namespace tasuki {
namespace {

using test::refusal;
using test::world;
namespace fs = std::filesystem;

class Checkpoint : public test::InFolder {};

// Rank 0 does it, the others wait.
template <class Work>
void alone(const Work& work) {
  if (world().rank() == 0) work();
  MPI_Barrier(world().comm());
}

void put_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

void flip(const std::string& path, std::size_t offset, unsigned char mask) {
  alone([&] {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    char byte = 0;
    file.seekg(static_cast<long>(offset)).get(byte);
    file.seekp(static_cast<long>(offset)).put(static_cast<char>(byte ^ mask));
  });
}

testing::AssertionResult says(const std::string& error, const std::string& part) {
  if (error.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << error << "' does not say '" << part << "'";
}

struct Particle {
  double mass;
  std::int16_t kind;
  std::int16_t charge;
  float spin;
  friend bool operator==(const Particle&, const Particle&) = default;
};

template <class E>
E value_of(double number) {
  if constexpr (std::is_same_v<E, Particle>)
    return {number, static_cast<std::int16_t>(number), -3, static_cast<float>(number) / 7};
  else if constexpr (std::is_arithmetic_v<E>)
    return static_cast<E>(number);
  else
    return E(static_cast<typename E::value_type>(number), static_cast<typename E::value_type>(-number / 3));
}

// Each value holds its global cell and component.
template <class T>
std::vector<typename Field<T>::Element> owner_values(const GridCore& grid, double more) {
  std::vector<typename Field<T>::Element> values;
  const Box owned = grid.owned();
  for (int k = 0; k < Field<T>::components; ++k) {
    Index at = owned.lo;
    for (long i = 0; i < owned.cells(); ++i) {
      long cell = k;
      for (int a = grid.dims() - 1; a >= 0; --a) cell = cell * grid.extents()[a] + at[a];
      values.push_back(value_of<typename Field<T>::Element>(static_cast<double>(cell) + more));
      for (int a = 0; a < grid.dims() && ++at[a] == owned.hi[a]; ++a) at[a] = owned.lo[a];
    }
  }
  return values;
}

template <class T, int D>
Field<T> filled(const Grid<D>& grid, const std::string& name, double more = 0) {
  Field<T> field(grid, name);
  field.from_host(owner_values<T>(*grid.core(), more));
  return field;
}

template <class T>
bool holds_numbers(const Field<T>& field, double more = 0) {
  return field.to_host() == owner_values<T>(field.core()->grid(), more);
}

template <int D>
std::array<long, D> uneven() {
  const std::array<long, 4> all{13, 7, 5, 6};
  std::array<long, D> extents{};
  std::copy_n(all.begin(), D, extents.begin());
  return extents;
}

template <int D>
void round_trip(const std::string& path) {
  Grid<D> grid(world(), uneven<D>());
  const auto f = filled<float>(grid, "f", 1);
  const auto d = filled<double>(grid, "d", 2);
  const auto c = filled<std::complex<float>>(grid, "c", 3);
  const auto z = filled<std::complex<double>>(grid, "z", 4);
  const auto i = filled<std::int32_t>(grid, "i", 5);
  const auto l = filled<std::int64_t>(grid, "l", 6);
  const auto p = filled<Particle>(grid, "a particle's place", 7);
  const auto a = filled<float[4]>(grid, "a", 8);
  const auto w = filled<std::complex<double>[3]>(grid, "w", 9);
  checkpoint(path, 41 + D, f, d, c, z, i, l, p, a, w);

  // Another grid object, other halos; read in another order.
  Grid<D> again(world(), uneven<D>(), {.halo = 0});
  Field<float> f2(again, "f");
  Field<double> d2(again, "d");
  Field<std::complex<float>> c2(again, "c");
  Field<std::complex<double>> z2(again, "z");
  Field<std::int32_t> i2(again, "i");
  Field<std::int64_t> l2(again, "l");
  Field<Particle> p2(again, "a particle's place");
  Field<float[4]> a2(again, "a");
  Field<std::complex<double>[3]> w2(again, "w");
  f2.core()->validity().exchanged({grid.core()->halo(), D}, D);
  const FileInfo info = restore(path, w2, a2, p2, l2, i2, z2, c2, d2, f2);
  EXPECT_EQ(info.step, 41 + D);
  EXPECT_EQ(info.kind, "checkpoint");
  EXPECT_TRUE(holds_numbers(f2, 1) && holds_numbers(d2, 2) && holds_numbers(c2, 3) && holds_numbers(z2, 4) &&
              holds_numbers(i2, 5) && holds_numbers(l2, 6));
  EXPECT_TRUE(holds_numbers(p2, 7));
  EXPECT_TRUE(holds_numbers(a2, 8));
  EXPECT_TRUE(holds_numbers(w2, 9));
  EXPECT_EQ(f2.core()->validity().depth(), Depth{});
}

TEST_F(Checkpoint, BringsEveryTypeBackInOneDimension) { round_trip<1>(at("a.h5")); }
TEST_F(Checkpoint, BringsEveryTypeBackInTwoDimensions) { round_trip<2>(at("a.h5")); }
TEST_F(Checkpoint, BringsEveryTypeBackInThreeDimensions) { round_trip<3>(at("a.h5")); }
TEST_F(Checkpoint, BringsEveryTypeBackInFourDimensions) { round_trip<4>(at("a.h5")); }

TEST_F(Checkpoint, TellsWhatItIs) {
  Grid<2> grid(world(), {6, 9});
  const auto u = filled<float>(grid, "u");
  const double infinity = std::numeric_limits<double>::infinity();
  const std::map<std::string, double> values{{"time", 0.1}, {"least", -infinity}, {"tiny", 5e-324}};
  save(at("u.h5"), "snapshot", {u}, -3, values);
  MPI_Barrier(world().comm());
  const FileInfo info = inspect(at("u.h5"));
  EXPECT_EQ(info.kind, "snapshot");
  EXPECT_EQ(info.step, -3);
  EXPECT_EQ(info.extents, (std::vector<long>{6, 9}));
  EXPECT_EQ(info.values, values);
  EXPECT_EQ(load(at("u.h5"), {u}).values, values);
  EXPECT_FALSE(fs::exists(at("u.h5.part")));
}

TEST_F(Checkpoint, IsTheSameFileForEveryDecomposition) {
  const int n = world().size();
  const std::array<std::array<int, kMaxDims>, 2> cuts{{{n, 1, 1}, {1, 1, n}}};
  for (int i = 0; i < 2; ++i) {
    Grid<3> grid(world(), {11, 4, 9}, {.ranks = PerAxis<int>(cuts[i])});
    const auto u = filled<double>(grid, "u");
    const auto a = filled<float[3]>(grid, "a");
    checkpoint(at(std::to_string(i)), 7, u, a);
  }
  alone([&] { EXPECT_TRUE(bytes_of(at("0")) == bytes_of(at("1"))); });
}

TEST_F(Checkpoint, SwappedFieldsKeepTheirNames) {
  Grid<2> grid(world(), {8, 8});
  auto u = filled<float>(grid, "u", 1), v = filled<float>(grid, "v", 2);
  u.core()->swap(*v.core());
  checkpoint(at("a.h5"), 1, u, v);
  Field<float> again(grid, "u");
  restore(at("a.h5"), again);
  EXPECT_TRUE(holds_numbers(again, 2));
}

TEST_F(Checkpoint, RefusesWhatIsNoCheckpoint) {
  Grid<2> grid(world(), {8, 8});
  Field<float> u(grid, "u");
  const auto refused = [&](const std::string& name) { return refusal([&] { restore(at(name), u); }); };
  EXPECT_TRUE(says(refused("absent.h5"), "there is no file " + at("absent.h5")));
  EXPECT_TRUE(says(refusal([&] { inspect(at("absent.h5")); }), "there is no file"));
  EXPECT_TRUE(says(refused(""), "is a folder"));
  alone([&] {
    put_bytes(at("text"), "no checkpoint at all");
    put_bytes(at("long"), std::string(5000, 'x'));
    put_bytes(at("hdf5"), "\x89HDF\r\n\x1a\n" + std::string(5000, '\0'));
    put_bytes(at("empty"), "");
    put_bytes(at("magic"), "TASUKI 1\ncheckpoint\n" + std::string(5000, ' '));
  });
  for (const char* name : {"text", "long", "hdf5"})
    EXPECT_TRUE(says(refused(name), "is not a file of Tasuki"));
  EXPECT_TRUE(says(refused("empty"), "is cut short: it holds 0 bytes"));
  EXPECT_TRUE(says(refused("magic"), "its header is damaged"));
}

TEST_F(Checkpoint, RefusesOneOfAnotherProgram) {
  Grid<2> grid(world(), {8, 6}), other(world(), {8, 7});
  Grid<3> deep(world(), {8, 6, 4});
  const auto u = filled<float>(grid, "u");
  const auto a = filled<float[3]>(grid, "a");
  checkpoint(at("a.h5"), 1, u, a);
  const auto refused = [&](const auto&... fields) {
    return refusal([&] { restore(at("a.h5"), fields...); });
  };
  EXPECT_TRUE(says(refused(Field<float>(other, "u")), "was written for a grid of 8x6, this run has 8x7"));
  EXPECT_TRUE(says(refused(Field<float>(deep, "u")), "was written for a grid of 8x6, this run has 8x6x4"));
  EXPECT_TRUE(says(refused(Field<float>(grid, "p")), "has no field 'p'; it has u, a"));
  EXPECT_TRUE(says(refused(Field<double>(grid, "u")), "holds float, this run's holds double"));
  EXPECT_TRUE(says(refused(Field<std::int32_t>(grid, "u")), "holds float, this run's holds 32-bit integer"));
  EXPECT_TRUE(says(refused(Field<float[4]>(grid, "a")), "holds float[3], this run's holds float[4]"));
  EXPECT_EQ(refused(Field<float>(grid, "u")), "");
}

TEST_F(Checkpoint, RefusesFieldsThatNoFileCanHold) {
  Grid<2> grid(world(), {8, 6}), other(world(), {8, 7});
  const Field<float> u(grid, "u"), twin(grid, "u"), slash(grid, "a/b"), elsewhere(other, "v");
  const auto refused = [&](const auto&... fields) {
    return refusal([&] { checkpoint(at("a.h5"), 1, fields...); });
  };
  EXPECT_TRUE(says(refused(), "no field was given"));
  EXPECT_TRUE(says(refused(u, twin), "are named 'u'"));
  EXPECT_TRUE(says(refused(slash), "'a/b' cannot be stored"));
  EXPECT_TRUE(says(refused(u, elsewhere), "are of different grids"));
  EXPECT_FALSE(fs::exists(at("a.h5")));
}

TEST_F(Checkpoint, RefusesEveryTruncation) {
  std::mt19937_64 random(test::seed());
  Grid<2> grid(world(), {12, 10});
  const auto u = filled<float>(grid, "u");
  const auto w = filled<double[2]>(grid, "w");
  checkpoint(at("whole"), 5, u, w);
  std::string whole;
  alone([&] { whole = bytes_of(at("whole")); });
  share(world(), whole);
  std::vector<std::size_t> lengths{0, 1, 6, 7, 8, 100, 511, 512, 513, 520, 1024, whole.size() - 1};
  for (int i = 0; i < 40; ++i) lengths.push_back(random() % whole.size());
  for (const std::size_t length : lengths) {
    alone([&] { put_bytes(at("cut"), whole.substr(0, length)); });
    const std::string error = refusal([&] { restore(at("cut"), u, w); });
    EXPECT_TRUE(says(error, "is cut short: it holds " + std::to_string(length)));
    if (length >= 512) {
      EXPECT_TRUE(says(error, " of " + std::to_string(whole.size()) + " bytes"));
    }
    EXPECT_TRUE(says(refusal([&] { inspect(at("cut")); }), "is cut short"));
    MPI_Barrier(world().comm());
  }
  alone([&] { put_bytes(at("cut"), whole + "x"); });
  EXPECT_TRUE(
      says(refusal([&] { restore(at("cut"), u, w); }), std::to_string(whole.size()) + " were written"));
}

TEST_F(Checkpoint, RefusesEveryFlippedByte) {
  std::mt19937_64 random(test::seed());
  Grid<2> grid(world(), {12, 10});
  const auto u = filled<float>(grid, "u");
  const auto w = filled<double[2]>(grid, "w");
  checkpoint(at("a.h5"), 5, u, w);
  MPI_Barrier(world().comm());
  const std::size_t size = fs::file_size(at("a.h5"));
  for (int i = 0; i < 400; ++i) {
    // A third of them in the header, whose every byte counts.
    const std::size_t offset = i % 3 == 0 ? random() % 512 : random() % size;
    const auto mask = static_cast<unsigned char>(1 + random() % 255);
    flip(at("a.h5"), offset, mask);
    EXPECT_NE(refusal([&] { restore(at("a.h5"), u, w); }), "") << "byte " << offset << " xor " << int(mask);
    MPI_Barrier(world().comm());
    flip(at("a.h5"), offset, mask);
  }
  EXPECT_EQ(refusal([&] { restore(at("a.h5"), u, w); }), "");
  EXPECT_TRUE(holds_numbers(u) && holds_numbers(w));
}

TEST_F(Checkpoint, NamesTheFieldThatWasAltered) {
  Grid<2> grid(world(), {12, 10});
  const auto u = filled<double>(grid, "u", 1000);
  const auto v = filled<double[2]>(grid, "v", 2000);
  checkpoint(at("a.h5"), 5, u, v);
  // Where the first values of each field lie, found by what they are.
  std::string whole;
  alone([&] { whole = bytes_of(at("a.h5")); });
  share(world(), whole);
  const auto place = [&](double first) {
    const std::array<double, 3> row{first, first + 1, first + 2};
    return whole.find(std::string(reinterpret_cast<const char*>(row.data()), sizeof row));
  };
  ASSERT_NE(place(1000), std::string::npos);
  ASSERT_NE(place(2000), std::string::npos);
  const auto refused = [&] { return refusal([&] { restore(at("a.h5"), u, v); }); };
  flip(at("a.h5"), place(2000) + 8 * 150, 1);
  EXPECT_TRUE(says(refused(), "field 'v' is not what was saved"));
  flip(at("a.h5"), place(1000) + 17, 4);
  EXPECT_TRUE(says(refused(), "field 'u' and 'v' is not what was saved"));
  flip(at("a.h5"), place(2000) + 8 * 150, 1);
  EXPECT_TRUE(says(refused(), "field 'u' is not what was saved"));
  flip(at("a.h5"), place(1000) + 17, 4);
  flip(at("a.h5"), 520, 1);
  EXPECT_TRUE(says(refused(), "the structure around its fields is damaged"));
  flip(at("a.h5"), 520, 1);
  flip(at("a.h5"), whole.size() - 3, 1);
  EXPECT_TRUE(says(refused(), "its list of fields is damaged"));
  EXPECT_TRUE(says(refusal([&] { inspect(at("a.h5")); }), "its list of fields is damaged"));
}

TEST_F(Checkpoint, SaysWhereItCannotWrite) {
  Grid<1> grid(world(), {8});
  const Field<float> u(grid, "u");
  const auto refused = [&](const std::string& path) { return refusal([&] { checkpoint(path, 1, u); }); };
  EXPECT_TRUE(says(refused(at("no/such/a.h5")), "the folder of " + at("no/such/a.h5") + " does not exist"));
  EXPECT_TRUE(says(refused(folder_), "is a folder"));
  EXPECT_TRUE(says(refused(""), "is empty"));
  EXPECT_TRUE(says(refused("/proc/a.h5"), "/proc/a.h5"));
}

TEST_F(Checkpoint, TakesOverWhatAKilledRunLeft) {
  Grid<1> grid(world(), {8});
  const auto u = filled<float>(grid, "u", 3);
  alone([&] { put_bytes(at("a.h5.part"), std::string(100000, 'x')); });
  checkpoint(at("a.h5"), 1, u);
  EXPECT_EQ(restore(at("a.h5"), u).step, 1);
  EXPECT_FALSE(fs::exists(at("a.h5.part")));
}

// What a write that failed has to leave: the file of before, and nothing else.
template <int D>
void expect_old_survives(const std::string& path, const Grid<D>& grid) {
  Field<double> old(grid, "u");
  EXPECT_EQ(restore(path, old).step, 1);
  EXPECT_TRUE(holds_numbers(old, 5));
  EXPECT_FALSE(fs::exists(path + ".part"));
  MPI_Barrier(world().comm());
}

TEST_F(Checkpoint, SurvivesADiskThatIsFull) {
  int mounted = 0;
  alone([&] {
    fs::create_directory(at("small"));
    mounted = mount("tmpfs", at("small").c_str(), "tmpfs", 0, "size=1m") == 0;
  });
  MPI_Bcast(&mounted, 1, MPI_INT, 0, world().comm());
  if (!mounted) GTEST_SKIP() << "a small tmpfs cannot be mounted here";
  {
    Grid<1> grid(world(), {1000}), large(world(), {400000});
    const auto u = filled<double>(grid, "u", 5);
    const auto big = filled<double>(large, "u");
    checkpoint(at("small/a.h5"), 1, u);
    const std::string error = refusal([&] { checkpoint(at("small/a.h5"), 2, big); });
    EXPECT_TRUE(says(error, "the disk of " + at("small/a.h5") + " is full: 6."));
    EXPECT_TRUE(says(error, "MiB needed"));
    expect_old_survives(at("small/a.h5"), grid);
    // With the disk free again it works.
    checkpoint(at("small/a.h5"), 2, u);
    EXPECT_EQ(restore(at("small/a.h5"), u).step, 2);
  }
  alone([&] { EXPECT_EQ(umount(at("small").c_str()), 0); });
}

// While it lives, this process cannot make a file longer.
class FileLimit {
public:
  explicit FileLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

private:
  rlimit before_{};
};

TEST_F(Checkpoint, SurvivesAFileSizeLimit) {
  Grid<1> grid(world(), {100000});
  const auto u = filled<double>(grid, "u", 5);
  checkpoint(at("a.h5"), 1, u);
  std::string error;
  {
    const FileLimit limit(300000);
    error = refusal([&] { checkpoint(at("a.h5"), 2, u); });
  }
  EXPECT_TRUE(says(error, "would be larger than this shell's file size limit"));
  expect_old_survives(at("a.h5"), grid);
}

TEST_F(Checkpoint, SurvivesAWriteThatFailsOnOneRank) {
  if (world().size() < 2) GTEST_SKIP() << "needs two ranks";
  Grid<1> grid(world(), {100000});
  const auto u = filled<double>(grid, "u", 5);
  checkpoint(at("a.h5"), 1, u);
  std::string error;
  if (world().rank() == world().size() - 1) {
    const FileLimit limit(300000);
    error = refusal([&] { checkpoint(at("a.h5"), 2, u); });
  } else {
    error = refusal([&] { checkpoint(at("a.h5"), 2, u); });
  }
  EXPECT_TRUE(says(error, "would be larger than this shell's file size limit"));
  expect_old_survives(at("a.h5"), grid);
}

TEST_F(Checkpoint, HasAnXdmfBesideASnapshot) {
  Grid<1> line(world(), {9});
  Grid<2> sheet(world(), {9, 4});
  Grid<3> body(world(), {9, 4, 5});
  snapshot(at("line.h5"), 1, Field<float>(line, "u"));
  snapshot(at("sheet.h5"), 1, Field<float>(sheet, "u"));
  snapshot(at("body.h5"), 1, Field<float>(body, "u"));
  checkpoint(at("state.h5"), 1, Field<float>(body, "u"));
  MPI_Barrier(world().comm());
  EXPECT_FALSE(fs::exists(at("line.xmf")));
  EXPECT_TRUE(says(bytes_of(at("sheet.xmf")), "sheet.h5:/fields/u"));
  EXPECT_TRUE(says(bytes_of(at("body.xmf")), "Dimensions=\"6 5 10\""));
  EXPECT_FALSE(fs::exists(at("state.xmf")));
}

} // namespace
} // namespace tasuki

#else

TEST(Checkpoint, SaysThatThisBuildHasNoHdf5) {
  tasuki::Grid<1> grid(tasuki::test::world(), {8});
  const tasuki::Field<float> u(grid, "u");
  const auto expect_refused = [](const auto& call) {
    try {
      call();
      FAIL() << "it did not throw";
    } catch (const tasuki::Error& fault) {
      EXPECT_NE(std::string(fault.what()).find("no HDF5"), std::string::npos);
    }
  };
  expect_refused([&] { tasuki::checkpoint("a.h5", 1, u); });
  expect_refused([&] { tasuki::snapshot("a.h5", 1, u); });
  expect_refused([&] { tasuki::restore("a.h5", u); });
  expect_refused([&] { tasuki::inspect("a.h5"); });
}

#endif
