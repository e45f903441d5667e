// tasuki-gpus-serve: serves the GPUs of this host, or its cores in their place, to programs of others.
//
//   tasuki-gpus-serve                         all GPUs, to this user's programs of this host
//   tasuki-gpus-serve --listen 0.0.0.0        to who has the key, on every host
//   tasuki-gpus-serve --device host           a machine without a GPU
#include <remote/device/driver.hpp>
#include <remote/device/host.hpp>
#include <remote/link/ucx/ucx_link.hpp>
#include <remote/link/unix.hpp>
#include <remote/server/gate/gate.hpp>
#include <remote/server/gate/keep.hpp>
#include <remote/server/gate/probe.hpp>
#include <remote/server/worker.hpp>

#include <CLI/CLI.hpp>

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <map>
#include <string>

namespace {

using namespace tasuki::remote;
using tasuki::Error;

struct Words {
  std::string device = "auto", listen = "127.0.0.1", key, socket, user;
  int per_gpu = 1, clients = 1;
  std::uint64_t memory = 0, images = 0;
  double keep_alive = 0; // microseconds
  std::uint16_t port = kDefaultPort;
  bool allow_root = false, checked = false, ucx = false;
};

std::vector<ServedDevice> look_for(const std::string& kind) {
  std::vector<ServedDevice> devices;
  if (kind != "host")
    for (int gpu = 0; gpu < driver_gpus(); ++gpu)
      devices.push_back({gpu, "cuda", open_driver(gpu)->properties()});
  if (kind == "host") devices.push_back({0, "host", open_host({})->properties()});
  if (devices.empty())
    throw Error("there is no GPU here",
                "look at nvidia-smi, or serve this machine's cores with --device host");
  return devices;
}

// Whoever may call may run any code on the GPU, so it does not run as root unless that is said.
void drop_root(const Words& words) {
  if (geteuid() != 0) {
    if (!words.user.empty())
      throw Error("only root can become --user " + words.user, "start it as that user");
    return;
  }
  if (words.user.empty()) {
    if (words.allow_root) return;
    throw Error("this is root, whose workers would be root's too", "give --user NAME, or --allow-root");
  }
  const passwd* user = getpwnam(words.user.c_str());
  if (!user || user->pw_uid == 0)
    throw Error("--user " + words.user + " is no user that is not root", "name another");
  if (initgroups(user->pw_name, user->pw_gid) != 0 || setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0)
    throw Error("cannot become " + words.user, "look at what the system allows");
  setenv("HOME", user->pw_dir, 1);
  unsetenv("XDG_RUNTIME_DIR"); // root's
}

int serve(const Words& words) {
  if (words.ucx && !has_ucx())
    throw Error("--ucx: this Tasuki was built without UCX",
                "install its headers (libucx-dev) and build it again, or leave it out");
  if (words.checked && words.device != "host")
    throw Error("--checked is for --device host, which sees each access of a kernel",
                "leave it out, or add --device host");
  drop_root(words);
  GateOptions options;
  options.clients = words.clients;
  options.memory = words.memory;
  options.images = words.images;
  options.ucx = words.ucx;
  options.listen = words.listen;
  options.port = words.port;
  const std::string key = words.key.empty() ? default_key_path() : words.key;
  if (!words.key.empty() || access(key.c_str(), F_OK) == 0) options.key = read_key(key);
  options.socket = words.socket.empty() ? gate_socket(words.port) : words.socket;
  options.devices = split(probe([&] { return look_for(words.device); }), words.per_gpu);
  if (options.memory == 0 && words.per_gpu > 1) options.memory = options.devices.front().properties.memory;
  const std::vector<ServedDevice> devices = options.devices;
  Gate gate(std::move(options), [devices, words](Link& link, Grant grant) -> int {
    if (grant.device < 0) return keep(link, grant.memory);
    grant.keep_alive = std::chrono::microseconds(static_cast<long>(words.keep_alive));
    const bool host = devices[static_cast<std::size_t>(grant.device)].kind == "host";
    HostOptions options;
    options.checked = words.checked;
    const std::unique_ptr<Device> device = host ? open_host(options) : open_driver(grant.gpu);
    const int status = serve_worker(link, *device, grant, Prints::at_the_client);
    std::fflush(nullptr);
    _exit(status); // what the client left running is not waited for
  });
  std::string where = "at " + (words.socket.empty() ? gate_socket(words.port) : words.socket);
  if (gate.port()) where += " and " + words.listen + ", port " + std::to_string(gate.port());
  std::printf("serving %zu device%s (%s) %s\n", devices.size(), devices.size() == 1 ? "" : "s",
              devices.front().properties.name.c_str(), where.c_str());
  if (!gate.port())
    std::printf("there is no key: other users and hosts are not served (`tasuki gpus key` makes one)\n");
  std::fflush(stdout);
  return gate.run();
}

} // namespace

int main(int argc, char** argv) {
  Words words;
  CLI::App app("Serves the GPUs of this host to CUDA programs of others", "tasuki-gpus-serve");
  app.add_option("--device", words.device, "cuda, host (this machine's cores run the kernels), auto (cuda)")
      ->check(CLI::IsMember({"auto", "cuda", "host"}))
      ->capture_default_str();
  app.add_flag("--checked", words.checked,
               "with --device host: a race of warps on shared memory ends its kernel as a fault");
  app.add_option("--per-gpu", words.per_gpu, "virtual devices of each GPU")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--clients", words.clients, "of a device at a time")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--memory", words.memory, "that a client may have: 8GiB [all]")
      ->transform(CLI::AsSizeValue(false));
  app.add_option("--images", words.images,
                 "of devices elsewhere, that a client may keep on this host's disk: 64GiB [none]")
      ->transform(CLI::AsSizeValue(false));
  app.add_flag(
      "--ucx", words.ucx,
      "for clients of other hosts that ask for it, by InfiniBand where there is: nothing is encrypted");
  app.add_option("--keep-alive", words.keep_alive,
                 "of idleness, after which a small copy keeps a GPU awake: 2ms [none]")
      ->transform(CLI::AsNumberWithUnit(std::map<std::string, double>{{"us", 1}, {"ms", 1e3}, {"s", 1e6}},
                                        CLI::AsNumberWithUnit::UNIT_REQUIRED))
      ->check(CLI::Range(100.0, 1e9));
  app.add_option("--listen", words.listen, "address of this host; 0.0.0.0: all")->capture_default_str();
  app.add_option("--port", words.port, "of TCP, and in the socket's name")
      ->check(CLI::Range(1, 65535))
      ->capture_default_str();
  app.add_option("--key", words.key, "its file [~/.config/tasuki/gpus.key, where it is there]");
  app.add_option("--socket", words.socket,
                 "for this user's own programs [$XDG_RUNTIME_DIR/tasuki-gpus-PORT.sock]");
  app.add_option("--user", words.user, "to become, where it is started by root");
  app.add_flag("--allow-root", words.allow_root, "workers may be root's");
  CLI11_PARSE(app, argc, argv);
  try {
    return serve(words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tasuki: %s\n", error.what());
    return 2;
  }
}
