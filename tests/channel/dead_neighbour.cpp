// A rank dies and the other one's program looks at nothing: its communication thread ends the run, and says why. It is
// expected to fail, with a line that names the dead rank.
#include <tasuki/channel/mpi.hpp>

#include <signal.h>
#include <unistd.h>

using namespace tasuki;

int main(int argc, char** argv) {
  Settings settings;
  settings.device = "host";
  settings.progress_cores = "any";
  World world(argc, argv, settings);
  Device& device = world.part<Device>();
  if (!Courier::of(device)) return 77;
  constexpr long kBytes = 1 << 20;
  Buffer here(device, kBytes), there(device, kBytes);
  const auto message = [&](char* base) {
    Strided all;
    all.base = base;
    all.run = kBytes;
    return std::vector<Message>{{1 - world.rank(), {{all}}}};
  };
  MpiChannel channel(device, {.outgoing = message(here.data()), .incoming = message(there.data())});
  if (world.rank() == 1) raise(SIGKILL);
  channel.start(device.stream());
  sleep(60);
}
