#include <remote/server/gate/probe.hpp>

#include <sys/wait.h>
#include <unistd.h>
#include <remote/link/descriptor.hpp>
#include <remote/server/visit/listing.hpp>

#include <cerrno>
#include <cstdio>
#include <string>

namespace tasuki::remote {

namespace {

void write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t now = write(file, text.data() + done, text.size() - done);
    if (now < 0 && errno != EINTR) return;
    done += now < 0 ? 0 : static_cast<std::size_t>(now);
  }
}

std::string read_all(int file) {
  std::string text;
  char bytes[4096];
  for (ssize_t n; (n = read(file, bytes, sizeof bytes)) != 0;) {
    if (n > 0) text.append(bytes, static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR) break;
  }
  return text;
}

} // namespace

std::vector<ServedDevice> probe(const std::function<std::vector<ServedDevice>()>& look) {
  int both[2];
  if (pipe(both) != 0) throw Error("no pipe for a process that looks for GPUs", "free some descriptors");
  Descriptor in(both[0]), out(both[1]);
  std::fflush(nullptr);
  const pid_t process = fork();
  if (process < 0) throw Error("no process that looks for GPUs", "end some others");
  if (process == 0) {
    try {
      write_all(out.number(), "+" + write_devices(look()));
    } catch (const std::exception& error) {
      write_all(out.number(), "-" + std::string(error.what()));
    }
    _exit(0);
  }
  ::close(out.release());
  const std::string text = read_all(in.number());
  while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) continue;
  const std::size_t semicolon = text.find("; ");
  if (text.empty())
    throw Error("the process that looks for GPUs has crashed",
                "look at what the driver says in the system's log");
  if (text[0] == '-')
    throw Error(text.substr(1, semicolon - 1),
                semicolon == std::string::npos ? "look at the driver" : text.substr(semicolon + 2));
  return read_devices(text.substr(1));
}

std::vector<ServedDevice> split(const std::vector<ServedDevice>& devices, int each) {
  std::vector<ServedDevice> all;
  for (const ServedDevice& device : devices)
    for (int i = 0; i < each; ++i) {
      all.push_back(device);
      all.back().properties.memory /= static_cast<std::uint64_t>(each);
    }
  return all;
}

} // namespace tasuki::remote
