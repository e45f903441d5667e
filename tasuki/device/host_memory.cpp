#include <tasuki/base/number.hpp>
#include <tasuki/base/variables.hpp>
#include <tasuki/device/host_memory.hpp>

#include <tasuki/device/memory.hpp>

#include <fcntl.h>
#include <omp.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <numeric>
#include <sstream>

namespace tasuki {
namespace {

constexpr std::size_t kAlign = 256;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kPage = std::size_t{64} << 10; // the largest page size of the kernels in use
constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

std::size_t round_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

// The number in a file of a control group; kNoLimit if there is no file or if it contains "max".
std::size_t number_in(const char* path) {
  std::ifstream file(path);
  std::size_t number = 0;
  return file >> number ? number : kNoLimit;
}

// The number after a key in a file of "key number" lines.
std::size_t number_after(const char* path, const std::string& key, std::size_t otherwise) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key)) {
      std::istringstream rest(line.substr(key.size())); // "  16384 kB"
      std::string number;
      rest >> number;
      return parse_number<unsigned long>(number, path);
    }
  return otherwise;
}

// The bytes left in a control group: its limit minus its usage, without page cache that the kernel can drop.
std::size_t left_in_group(const char* limit_file, const char* used_file, const char* stat_file) {
  const std::size_t limit = number_in(limit_file), used = number_in(used_file);
  if (limit == kNoLimit || used == kNoLimit) return kNoLimit;
  const std::size_t cache = number_after(stat_file, "inactive_file ", 0);
  const std::size_t held = used - std::min(used, cache);
  return limit - std::min(limit, held);
}

// The free bytes of the file system behind shared-memory windows; 0 if there is no such file system.
std::size_t window_room() {
  const char* chosen = std::getenv("OMPI_MCA_osc_sm_backing_directory");
  struct statvfs info = {};
  if (statvfs(chosen ? chosen : "/dev/shm", &info) != 0) return 0;
  return static_cast<std::size_t>(info.f_bavail) * info.f_frsize;
}

bool wants_window(std::size_t total, int ranks) {
  const std::string wish = variable_word("TASUKI_SHARED").value_or("auto");
  if (wish != "auto") return wish == "window";
  return total + static_cast<std::size_t>(ranks + 1) * kPage <=
         window_room(); // MPI rounds each piece up, and adds a page
}

void unmap(char* data, std::size_t bytes, bool stays_reserved) {
  if (stays_reserved)
    mmap(data, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  else
    munmap(data, bytes);
}

} // namespace

std::size_t free_host_memory() {
  const std::size_t kernel = number_after("/proc/meminfo", "MemAvailable:", kNoLimit >> 10) << 10; // in KiB
  const std::size_t group = left_in_group("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current",
                                          "/sys/fs/cgroup/memory.stat");
  const std::size_t group1 =
      left_in_group("/sys/fs/cgroup/memory/memory.limit_in_bytes",
                    "/sys/fs/cgroup/memory/memory.usage_in_bytes", "/sys/fs/cgroup/memory/memory.stat");
  return std::min({kernel, group, group1});
}

void zero_in_parallel(char* data, std::size_t bytes) {
  if (bytes == 0) return;
#pragma omp parallel if (bytes > kHugePage)
  {
    const auto threads = static_cast<std::size_t>(omp_get_num_threads());
    const std::size_t share = round_up((bytes + threads - 1) / threads, 4096);
    const std::size_t first = std::min(bytes, share * static_cast<std::size_t>(omp_get_thread_num()));
    std::memset(data + first, 0, std::min(share, bytes - first));
  }
}

char* allocate_host(std::size_t bytes) {
  const bool large = bytes >= 2 * kHugePage;
  // With overcommit, an allocation succeeds without free memory, and the process is killed when it uses the pages.
  if (large && bytes > free_host_memory()) return nullptr;
  const std::size_t align = large ? kHugePage : kAlign;
  const std::size_t whole = round_up(bytes, align);
  auto* data = static_cast<char*>(std::aligned_alloc(align, whole));
  if (!data) return nullptr;
  if (large) madvise(data, whole, MADV_HUGEPAGE); // a hint; a refusal has no consequence
  zero_in_parallel(data, bytes);
  return data;
}

void deallocate_host(char* data) noexcept { std::free(data); }

NodeMemory::NodeMemory(const Ranks& ranks, std::size_t bytes, bool zeroed, char* at) : at_(at) {
  const auto count = static_cast<std::size_t>(ranks.size());
  bytes_.resize(count);
  data_.assign(count, nullptr);
  MPI_Allgather(&bytes, sizeof bytes, MPI_BYTE, bytes_.data(), sizeof bytes, MPI_BYTE, ranks.comm());
  const std::size_t total = std::accumulate(bytes_.begin(), bytes_.end(), std::size_t{0});
  // One rank measures before any of them allocates, so that all ranks choose alike.
  struct {
    std::size_t free;
    int window;
  } plan{};
  if (ranks.place() == 0) plan = {free_host_memory(), wants_window(total, ranks.size())};
  MPI_Bcast(&plan, sizeof plan, MPI_BYTE, 0, ranks.comm());
  if (total > plan.free)
    throw Error("field memory of " + bytes_text(total) + " does not fit: " + bytes_text(plan.free) +
                    " free on this node",
                "use a smaller grid or more nodes");
  if (count == 1 && !at) {
    data_[0] = bytes ? allocate_host(bytes) : nullptr;
    if (bytes && !data_[0])
      throw Error("field memory of " + bytes_text(bytes) + " does not fit",
                  "use a smaller grid or more nodes");
    return;
  }
  if (plan.window && !at)
    make_window(ranks);
  else
    make_files(ranks);
  const auto me = static_cast<std::size_t>(ranks.place());
  if (zeroed) zero_in_parallel(data_[me], bytes);
  MPI_Barrier(ranks.comm()); // no rank stores into a neighbour's memory before it is zeroed
}

void NodeMemory::make_window(const Ranks& ranks) {
  const auto me = static_cast<std::size_t>(ranks.place());
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "alloc_shared_noncontig", "true"); // each piece on separate pages, local to its rank
  char* mine = nullptr;
  const std::size_t size = bytes_[me] ? bytes_[me] + kAlign : 0; // space to align it
  MPI_Win_allocate_shared(static_cast<MPI_Aint>(size), 1, info, ranks.comm(), static_cast<void*>(&mine),
                          &window_);
  MPI_Info_free(&info);
  const auto address = reinterpret_cast<std::size_t>(mine);
  const std::size_t offset = round_up(address, kAlign) - address;
  std::vector<std::size_t> offsets(bytes_.size());
  MPI_Allgather(&offset, sizeof offset, MPI_BYTE, offsets.data(), sizeof offset, MPI_BYTE, ranks.comm());
  for (std::size_t r = 0; r < bytes_.size(); ++r) {
    MPI_Aint length = 0;
    int unit = 0;
    char* base = nullptr;
    MPI_Win_shared_query(window_, static_cast<int>(r), &length, &unit, static_cast<void*>(&base));
    if (bytes_[r]) data_[r] = base + offsets[r];
  }
}

void NodeMemory::make_files(const Ranks& ranks) {
  files_ = true;
  struct Place {
    int process, file;
  } mine{static_cast<int>(getpid()), -1};
  const auto me = static_cast<std::size_t>(ranks.place());
  int fault = 0;
  if (bytes_[me]) {
    mine.file = memfd_create("tasuki", MFD_CLOEXEC);
    if (mine.file < 0 || ftruncate(mine.file, static_cast<off_t>(bytes_[me])) != 0) fault = errno;
  }
  std::vector<Place> places(bytes_.size());
  char* next = at_;
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, places.data(), sizeof mine, MPI_BYTE, ranks.comm());
  for (std::size_t r = 0; r < bytes_.size() && !fault; ++r) {
    if (!bytes_[r] || places[r].file < 0) continue;
    const std::string path =
        "/proc/" + std::to_string(places[r].process) + "/fd/" + std::to_string(places[r].file);
    const int file = r == me ? mine.file : open(path.c_str(), O_RDWR | O_CLOEXEC);
    const int flags = MAP_SHARED | (next ? MAP_FIXED : 0);
    void* at = file < 0 ? MAP_FAILED : mmap(next, bytes_[r], PROT_READ | PROT_WRITE, flags, file, 0);
    if (next) next += round_up(bytes_[r], kPage);
    if (at == MAP_FAILED)
      fault = errno;
    else
      data_[r] = static_cast<char*>(at);
    if (file >= 0 && r != me) close(file);
  }
  int worst = 0;
  MPI_Allreduce(&fault, &worst, 1, MPI_INT, MPI_MAX, ranks.comm()); // all have opened before any closes
  if (mine.file >= 0) close(mine.file);
  if (worst)
    throw Error("the ranks of this node cannot share memory: " + std::string(std::strerror(worst)),
                "enlarge /dev/shm (docker run --shm-size=2g), or start one rank a node");
}

NodeMemory::~NodeMemory() {
  if (unwinding()) return; // other ranks may not call the destructor
  if (window_ != MPI_WIN_NULL) {
    MPI_Win_free(&window_);
  } else if (files_) {
    for (std::size_t r = 0; r < data_.size(); ++r)
      if (data_[r]) unmap(data_[r], bytes_[r], at_ != nullptr);
  } else if (data_[0]) {
    deallocate_host(data_[0]);
  }
}

} // namespace tasuki
