#include <remote/client/ledger.hpp>

#include <tasuki/base/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <vector>

namespace tasuki::remote {

namespace {

const char* name_of(std::size_t call) { return row_of(static_cast<std::uint16_t>(call))->name; }

std::string size(double bytes) {
  const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  int unit = 0;
  for (; bytes >= 999.5 && unit < 4; ++unit) bytes /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, unit && bytes < 9.95 ? "%.1f %s" : "%.0f %s", bytes, units[unit]);
  return text;
}

std::string time_of(u64 ns) {
  char text[32];
  if (ns < 1'000'000)
    std::snprintf(text, sizeof text, "%.0f us", static_cast<double>(ns) / 1e3);
  else if (ns < 1'000'000'000)
    std::snprintf(text, sizeof text, "%.0f ms", static_cast<double>(ns) / 1e6);
  else
    std::snprintf(text, sizeof text, "%.1f s", static_cast<double>(ns) / 1e9);
  return text;
}

// A text of others within a line of JSON.
std::string plain(const std::string& text) {
  std::string safe;
  for (const char c : text) safe += c < ' ' || c == '"' || c == '\\' || c == '\x7f' ? '?' : c;
  return safe;
}

} // namespace

Ledger::~Ledger() {
  if (file_) std::fclose(file_);
}

u64 Ledger::now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<u64>(t.tv_sec) * 1'000'000'000 + static_cast<u64>(t.tv_nsec);
}

void Ledger::trace_into(const std::string& path) {
  std::string name = path;
  int file = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0 && errno == EEXIST) {
    name += "." + std::to_string(getpid());
    file = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  }
  if (file < 0)
    throw Error("the trace " + name + " cannot be written (" + std::strerror(errno) + ")",
                "name another file: run --trace FILE");
  file_ = fdopen(file, "w");
  start_ = now();
  std::fputs("[", file_);
}

// A line of the file; the first has no comma before it.
template <class... Values>
void Ledger::event(const char* format, Values... values) {
  std::lock_guard hold(writing_);
  if (++events_ > most_events) return;
  std::fputs(events_ == 1 ? "\n" : ",\n", file_);
  std::fprintf(file_, format, values...);
}

void Ledger::name(int device, const std::string& name) {
  if (file_)
    event(R"({"ph":"M","name":"process_name","pid":%d,"args":{"name":"device %d, %s"}})", device, device,
          plain(name).c_str());
}

void Ledger::made(int device, Call call, u64 number, std::size_t bytes) {
  const auto k = static_cast<std::size_t>(call);
  accounts_[k].calls.fetch_add(1, std::memory_order_relaxed);
  accounts_[k].out.fetch_add(bytes, std::memory_order_relaxed);
  if (!file_) return;
  const double at = static_cast<double>(now() - start_) / 1e3;
  if (row_of(static_cast<std::uint16_t>(call))->answered)
    event(
        R"({"ph":"b","cat":"call","id":"%d.%llu","name":"%s","pid":%d,"tid":%d,"ts":%.3f,"args":{"out":%zu}})",
        device, static_cast<unsigned long long>(number), name_of(k), device, gettid(), at, bytes);
  else
    event(R"({"ph":"i","s":"t","name":"%s","pid":%d,"tid":%d,"ts":%.3f,"args":{"number":%llu,"out":%zu}})",
          name_of(k), device, gettid(), at, static_cast<unsigned long long>(number), bytes);
}

void Ledger::answered(int device, Call call, u64 number, std::size_t bytes) {
  const auto k = static_cast<std::size_t>(call);
  accounts_[k].in.fetch_add(bytes, std::memory_order_relaxed);
  if (file_ && row_of(static_cast<std::uint16_t>(call))->answered)
    event(
        R"({"ph":"e","cat":"call","id":"%d.%llu","name":"%s","pid":%d,"tid":%d,"ts":%.3f,"args":{"in":%zu}})",
        device, static_cast<unsigned long long>(number), name_of(k), device, gettid(),
        static_cast<double>(now() - start_) / 1e3, bytes);
}

void Ledger::waited(int device, Call call, u64 began) {
  const auto k = static_cast<std::size_t>(call);
  const u64 end = now();
  accounts_[k].waited.fetch_add(end - began, std::memory_order_relaxed);
  if (file_)
    event(R"({"ph":"X","name":"wait for %s","pid":%d,"tid":%d,"ts":%.3f,"dur":%.3f})", name_of(k), device,
          gettid(), static_cast<double>(began - start_) / 1e3, static_cast<double>(end - began) / 1e3);
}

std::string Ledger::summary(double seconds, int devices, const std::string& more) const {
  u64 calls = 0, out = 0, in = 0, waited = 0;
  std::vector<std::size_t> seen;
  for (std::size_t k = 0; k < static_cast<std::size_t>(Call::count); ++k) {
    if (accounts_[k].calls == 0) continue;
    seen.push_back(k);
    calls += accounts_[k].calls;
    out += accounts_[k].out;
    in += accounts_[k].in;
    waited += accounts_[k].waited;
  }
  std::string text = "tasuki: " + std::to_string(calls) + " calls of " + std::to_string(devices) +
                     (devices == 1 ? " device in " : " devices in ") +
                     time_of(static_cast<u64>(seconds * 1e9)) + ": " + size(static_cast<double>(out)) +
                     " out, " + size(static_cast<double>(in)) + " in, waited " + time_of(waited) + "\n";
  std::sort(seen.begin(), seen.end(), [&](std::size_t a, std::size_t b) {
    const Account &x = accounts_[a], &y = accounts_[b];
    if (x.waited != y.waited) return x.waited > y.waited;
    return x.calls != y.calls ? x.calls > y.calls : a < b;
  });
  if (seen.size() > 8) seen.resize(8);
  text += "tasuki: by call:";
  for (std::size_t n = 0; n < seen.size(); ++n) {
    const Account& account = accounts_[seen[n]];
    text += std::string(n ? ", " : " ") + name_of(seen[n]) + " " + std::to_string(account.calls);
    if (account.waited) text += " (" + time_of(account.waited) + ")";
  }
  text += more + "\n";
  if (events_ > most_events)
    text += "tasuki: the trace holds the first " + std::to_string(most_events) + " of " +
            std::to_string(events_) + " events\n";
  return text;
}

} // namespace tasuki::remote
