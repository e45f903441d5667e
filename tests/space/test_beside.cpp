// What a program does beside touches: children of fork(), handlers of its own for SIGSEGV, MPI, stdio, exceptions.
#include <tests/space/spaces.hpp>

#include <mpi.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace tasuki::test {
namespace {

constexpr std::size_t kSystemPage = 4096;

// Pages of each rank, on which it has written its number, as digits.
struct Digits {
  explicit Digits(Space& in, long pages = 8)
      : space(in),
        part(static_cast<std::size_t>(pages) * kSystemPage),
        bytes(in.array<char>({in.world().size() * static_cast<long>(part)},
                             in.bands({in.world().size() * static_cast<long>(part)}, 1), "digits")) {
    for (std::size_t k = 0; k < part; ++k) (*this)[in.world().rank()][k] = digit(in.world().rank(), k);
    in.sync();
  }
  static char digit(int rank, std::size_t k) {
    return k % kSystemPage == kSystemPage - 1 ? '\0' : static_cast<char>('0' + rank); // a page is a text
  }
  static std::string text(int rank) { return std::string(kSystemPage - 1, digit(rank, 0)); }
  char* operator[](int rank) const { return bytes.data() + static_cast<std::size_t>(rank) * part; }
  int next() const { return (space.world().rank() + 1) % space.world().size(); }

  Space& space;
  std::size_t part;
  Global<char> bytes;
};

struct Child {
  int status = -1; // of its exit; 128 more than the signal that ended it
  std::string says;
};

// Does it in a child of fork(). One that does not come to its end in 20 s is ended, and its status is -1.
template <class Act>
Child in_child(const Act& act) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    [&]() noexcept { _exit(act()); }(); // an error ends it as it ends a program
  }
  close(ends[1]);
  Child result;
  std::array<char, 512> some{};
  pollfd end{ends[0], POLLIN, 0};
  bool comes = true;
  while ((comes = poll(&end, 1, 20000) == 1)) {
    const ssize_t got = read(ends[0], some.data(), some.size());
    if (got <= 0) break;
    result.says.append(some.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  if (!comes) kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  if (comes) result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

void expect_told(const Child& child, const std::string& what) {
  EXPECT_EQ(child.status, 1) << what;
  const std::size_t at = child.says.find("a forked child is no rank");
  EXPECT_NE(at, std::string::npos) << what << ": " << child.says;
  EXPECT_EQ(child.says.find("a forked child is no rank", at + 1), std::string::npos)
      << what << ": " << child.says;
}

TEST(Fork, AChildIsToldThatItHasNoArrays) {
  each_space([](Space& space, const std::string&) {
    const Digits digits(space);
    const int me = space.world().rank(), next = digits.next();
    const char seen = digits[next][0];
    const auto touch = [&](int rank, std::size_t k, bool write) {
      return in_child([&] {
        volatile char* const at = digits[rank] + k;
        if (write) *at = 'x';
        return *at == 0 ? 3 : 0;
      });
    };
    expect_told(touch(me, 0, false), "own");
    expect_told(touch(me, 0, true), "own, written");
    expect_told(touch(next, 0, false), "seen before");
    expect_told(touch(next, 2 * kSystemPage, false), "not seen before");
    expect_told(touch(next, 3 * kSystemPage, true), "not seen before, written");
    expect_told(in_child([&] {
                  space.sync();
                  return 3;
                }),
                "a synchronisation");
    EXPECT_EQ(in_child([&] { return seen == Digits::digit(next, 0) ? 7 : 3; }).status, 7);
    // Its parent goes on as if nothing had been.
    EXPECT_EQ(std::string(digits[next] + 2 * kSystemPage), Digits::text(next));
    digits[next][4 * kSystemPage + static_cast<std::size_t>(me)] = 'w';
    space.sync();
    EXPECT_EQ(digits[me][4 * kSystemPage +
                         static_cast<std::size_t>((me + space.world().size() - 1) % space.world().size())],
              'w');
    space.sync();
  });
}

sigjmp_buf back;
const volatile char* mine = nullptr; // the page whose faults are this program's
struct sigaction others;
int calls = 0;

void handle_mine(int, siginfo_t* info, void*) {
  if (info->si_addr != const_cast<const char*>(mine)) _exit(9);
  ++calls;
  siglongjmp(back, 1);
}
void handle_or_pass_on(int signal, siginfo_t* info, void* context) {
  if (info->si_addr == const_cast<const char*>(mine)) {
    ++calls;
    siglongjmp(back, 1);
  }
  others.sa_sigaction(signal, info, context);
}
struct sigaction install(void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action = {}, before = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, &before);
  return before;
}
// Touches the page that nobody may.
bool caught() {
  const int before = calls;
  if (sigsetjmp(back, 1) == 0) static_cast<void>(*mine);
  return calls == before + 1;
}

// A handler that was there before the space gets what is not the space's; one that comes later has to pass on what is not its
// own, and then both go on.
TEST(Handlers, OfTheProgramAndOfTheSpaceServeEachTheirOwn) {
  void* const page = mmap(nullptr, kSystemPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  mine = static_cast<const char*>(page);
  const struct sigaction found = install(handle_mine);
  each_space([](Space& space, const std::string&) {
    const Digits digits(space);
    const int next = digits.next();
    EXPECT_TRUE(caught());
    EXPECT_EQ(std::string(digits[next]), Digits::text(next));
    EXPECT_TRUE(caught());
    others = install(handle_or_pass_on);
    EXPECT_EQ(std::string(digits[next] + 2 * kSystemPage), Digits::text(next));
    EXPECT_TRUE(caught());
    EXPECT_EQ(std::string(digits[next] + 4 * kSystemPage), Digits::text(next));
    sigaction(SIGSEGV, &others, nullptr);
    space.sync();
  });
  EXPECT_TRUE(caught());
  sigaction(SIGSEGV, &found, nullptr);
  munmap(page, kSystemPage);
}

// One that somebody sends has no address, and does not happen again by itself.
TEST(Handlers, ASentSignalDoesWhatItDidBefore) {
  const auto send = [] {
    return in_child([] {
      kill(getpid(), SIGSEGV);
      return 5;
    });
  };
  struct sigaction action = {}, found = {};
  for (const bool ignored : {false, true}) {
    action.sa_handler = ignored ? SIG_IGN : SIG_DFL;
    sigaction(SIGSEGV, &action, &found);
    each_space([&](Space&, const std::string&) { EXPECT_EQ(send().status, ignored ? 5 : 128 + SIGSEGV); });
    sigaction(SIGSEGV, &found, nullptr);
  }
}

// A thread touches what others have while another is within MPI, on the program's own ranks.
TEST(Beside, MpiGoesOnWhileThreadsTouch) {
  MPI_Comm ranks = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &ranks);
  each_space([&](Space& space, const std::string&) {
    const Digits digits(space, 64);
    const int size = space.world().size();
    for (int round = 0; round < 3; ++round) {
      long wrong = 0;
      std::thread reader([&] {
        for (int rank = 0; rank < size; ++rank)
          for (std::size_t k = 0; k < digits.part; k += 97)
            wrong += digits[rank][k] != Digits::digit(rank, k);
      });
      for (int turn = 0; turn < 50; ++turn) {
        int number = turn * (space.world().rank() + 1), sum = 0;
        MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, ranks);
        EXPECT_EQ(sum, turn * size * (size + 1) / 2);
      }
      reader.join();
      EXPECT_EQ(wrong, 0);
      space.sync(true);
    }
  });
  MPI_Comm_free(&ranks);
}

// First touched by the C library, which has the stream's lock meanwhile.
TEST(Beside, StdioTouchesFirst) {
  each_space([](Space& space, const std::string&) {
    const Digits digits(space, 64);
    const int next = digits.next();
    char* text = nullptr;
    std::size_t bytes = 0;
    std::FILE* const stream = open_memstream(&text, &bytes);
    EXPECT_EQ(std::fprintf(stream, "%c|%s", digits[next][0], digits[next] + 2 * kSystemPage),
              static_cast<int>(kSystemPage) + 1);
    std::fclose(stream);
    EXPECT_EQ(std::string(text, bytes), std::string(1, Digits::digit(next, 0)) + "|" + Digits::text(next));
    std::free(text);
    // What the system is handed has to be there.
    space.hold(digits[next] + 16 * kSystemPage, 16 * kSystemPage);
    std::FILE* const file = std::tmpfile();
    ASSERT_TRUE(file);
    EXPECT_EQ(std::fwrite(digits[next] + 16 * kSystemPage, kSystemPage, 16, file), 16u);
    std::rewind(file);
    std::vector<char> all(16 * kSystemPage);
    EXPECT_EQ(std::fread(all.data(), kSystemPage, 16, file), 16u);
    std::fclose(file);
    for (std::size_t k = 0; k < all.size(); ++k) ASSERT_EQ(all[k], Digits::digit(next, k));
  });
}

// An exception passes frames that touch what is not there: where it is made, while the stack unwinds, where it is caught.
TEST(Beside, ExceptionsPassTouches) {
  each_space([](Space& space, const std::string&) {
    const Digits digits(space, 64);
    const int next = digits.next();
    std::vector<char> seen;
    struct Leave {
      const char* at;
      std::vector<char>& seen;
      ~Leave() { seen.push_back(*at); }
    };
    std::size_t page = 0;
    const auto fresh = [&] { return digits[next] + kSystemPage * (page += 2); };
    const auto down = [&](const auto& self, int depth) -> void {
      const Leave leave{fresh(), seen};
      if (depth == 0) throw std::runtime_error(fresh());
      self(self, depth - 1);
    };
    std::string what;
    try {
      down(down, 5);
    } catch (const std::exception& fault) {
      seen.push_back(*fresh());
      what = fault.what();
    }
    EXPECT_EQ(what, Digits::text(next));
    EXPECT_EQ(seen, std::vector<char>(7, Digits::digit(next, 0)));
  });
}

} // namespace
} // namespace tasuki::test
