// Runs the tests of one program on every rank of one world. Fails where any rank does.
#include <tests/support.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <random>

namespace tasuki::test {
namespace {

World* the_world = nullptr;

// Ranks but the first print their failures alone, each with its rank.
class FailuresOnly : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& part) override {
    if (!part.failed()) return;
    std::fprintf(stderr, "rank %d: %s:%d: %s\n", world().rank(), part.file_name() ? part.file_name() : "?",
                 part.line_number(), part.message());
  }
};

} // namespace

World& world() { return *the_world; }

std::uint64_t seed() {
  static const std::uint64_t value = [] {
    const char* text = std::getenv("TASUKI_TEST_SEED");
    std::uint64_t s = text ? std::strtoull(text, nullptr, 10) : std::random_device{}();
    MPI_Bcast(&s, 1, MPI_UINT64_T, 0, world().comm());
    return s;
  }();
  return value;
}

} // namespace tasuki::test

int main(int argc, char** argv) {
  tasuki::World world(argc, argv);
  tasuki::test::the_world = &world;
  world.part<tasuki::Device>(); // one line, not a failure a test, where there is none of the kind asked for
  testing::InitGoogleTest(&argc, argv);
  if (world.rank() == 0)
    std::printf("%d ranks, TASUKI_TEST_SEED=%llu\n", world.size(),
                static_cast<unsigned long long>(tasuki::test::seed()));
  else
    tasuki::test::seed();
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (world.rank() != 0) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new tasuki::test::FailuresOnly);
  }
  int failed = RUN_ALL_TESTS(), any = 0;
  MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, world.comm());
  return any;
}
