// What a call costs on n devices that are used in turn: latency L and bandwidth B of copies, latency of a launch.
//
//   latency                          n = 1, 2, 4 .. all devices
//   latency --devices 1,2,4 --repeats 200 --json latency.json
//
// As the study of 2014 has it (Oikawa, Nomura, Yasuoka, Narumi, "Replica-exchange MD on 1,024 GPUs"): a call of S bytes takes
// T = S/B + L, fitted by least squares over S = 512 B .. 4 MiB; H: to the device, D: from it, K: a launch of a kernel that
// writes 4 bytes. Each is made on all devices in turn, many times. A copy to a device and a launch may return before they are done,
// so the time goes on until all devices have finished, less what it takes to ask them that have.
//
// Beside it, a round: a launch on each device, then a copy from each. Who sends what is asked for every time before it is
// asked makes that n copies in the time of little more than one: a round takes n LK + R + n (S/B + L), the round trip R once.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace {

struct Arguments { // as many bytes as the kernel of remd is given
  int* to;
  long rest[45];
};
__global__ void write_four(Arguments arguments) { *arguments.to = 1; }

void check(cudaError_t fault, const char* what) {
  if (fault == cudaSuccess) return;
  std::fprintf(stderr, "latency: %s: %s\n", what, cudaGetErrorString(fault));
  std::exit(1);
}

using Clock = std::chrono::steady_clock;

struct Fit {
  double latency = 0, per_unit = 0; // y = latency + per_unit x
  double bandwidth() const {
    return per_unit > 0 ? 1 / per_unit : 0;
  } // 0: bytes have cost nothing that is seen
};
// Least squares of y = a + b x, neither below 0; each point weighted by 1/y^2: the same share of error for the small as for
// the large.
Fit fit(const std::vector<double>& x, const std::vector<double>& y) {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double weight = 1 / (y[k] * y[k]);
    w += weight;
    wx += weight * x[k];
    wy += weight * y[k];
    wxx += weight * x[k] * x[k];
    wxy += weight * x[k] * y[k];
  }
  const double area = w * wxx - wx * wx;
  Fit made;
  made.per_unit = area > 0 ? (w * wxy - wx * wy) / area : 0;
  made.latency = (wy - made.per_unit * wx) / w;
  if (made.per_unit < 0) return {wy / w, 0};
  if (made.latency < 0) return {0, wxy / wxx};
  return made;
}

struct Machine {
  std::vector<int*> words;
  std::vector<char*> memory;
  std::vector<char> host;
};

// Mean seconds that `turn`, made once for all devices, takes; the devices have finished by then.
double mean(int devices, int repeats, const std::function<void()>& turn) {
  for (int k = 0; k < 4; ++k) turn(); // kernels are loaded, and the order of calls is known by now
  const auto settle = [&] {
    for (int d = 0; d < devices; ++d) {
      check(cudaSetDevice(d), "cudaSetDevice");
      check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    }
  };
  const auto seconds_of = [](const auto& work) {
    const auto begun = Clock::now();
    work();
    return std::chrono::duration<double>(Clock::now() - begun).count();
  };
  settle();
  const double idle = std::min(seconds_of(settle), seconds_of(settle)); // on a long way it is long by itself
  for (int k = 0; k < 4; ++k) turn();
  const double all = seconds_of([&] {
    for (int k = 0; k < repeats; ++k) turn();
    settle();
  });
  return std::max(all - idle, 1e-8) / repeats;
}

struct Costs {
  int devices = 0;
  double lh = 0, bh = 0, ld = 0, bd = 0, lk = 0;
  std::vector<double> rounds; // seconds of one, by size
};

constexpr std::size_t least = 512, most = 4u << 20;

std::vector<std::size_t> sizes(std::size_t limit) {
  std::vector<std::size_t> all;
  for (std::size_t s = least; s <= limit; s *= 2) all.push_back(s);
  return all;
}
constexpr std::size_t round_most = 64u << 10; // of a copy in a round

Costs measure(Machine& m, int n, int repeats, std::size_t limit) {
  Costs c;
  c.devices = n;
  const auto each = [n](const auto& call) {
    for (int d = 0; d < n; ++d) {
      check(cudaSetDevice(d), "cudaSetDevice");
      call(static_cast<std::size_t>(d));
    }
  };
  const auto launch = [&](std::size_t d) {
    write_four<<<1, 1>>>(Arguments{m.words[d], {}});
    check(cudaGetLastError(), "a launch");
  };
  const auto out = [&](std::size_t d, std::size_t bytes) {
    check(cudaMemcpy(m.host.data(), m.memory[d], bytes, cudaMemcpyDeviceToHost), "cudaMemcpy from a device");
  };
  std::vector<double> size, in_seconds, out_seconds;
  for (const std::size_t s : sizes(limit)) {
    const int times =
        static_cast<int>(std::fmax(4, repeats / std::fmax(1.0, static_cast<double>(s) / 32768)));
    size.push_back(static_cast<double>(s));
    in_seconds.push_back(mean(n, times,
                              [&] {
                                each([&](std::size_t d) {
                                  check(cudaMemcpy(m.memory[d], m.host.data(), s, cudaMemcpyHostToDevice),
                                        "cudaMemcpy to a device");
                                });
                              }) /
                         n);
    out_seconds.push_back(mean(n, times, [&] { each([&](std::size_t d) { out(d, s); }); }) / n);
  }
  const Fit in_fit = fit(size, in_seconds), out_fit = fit(size, out_seconds);
  c.lh = in_fit.latency, c.bh = in_fit.bandwidth();
  c.ld = out_fit.latency, c.bd = out_fit.bandwidth();
  c.lk = mean(n, repeats, [&] { each(launch); }) / n;
  for (const std::size_t s : sizes(std::min(limit, round_most)))
    c.rounds.push_back(mean(n, std::max(8, repeats / 4), [&] {
      each(launch);
      each([&](std::size_t d) { out(d, s); });
    }));
  return c;
}

// R, L and B of rounds on n devices, from all of them: a round takes n LK + R + n L + n S/B.
struct Rounds {
  double trip = 0, latency = 0, bandwidth = 0;
};
Rounds fit_rounds(const std::vector<Costs>& costs, std::size_t limit) {
  const std::vector<std::size_t> all = sizes(std::min(limit, round_most));
  std::vector<double> devices, left;
  double per_byte = 0;
  for (const Costs& c : costs) {
    std::vector<double> x, y;
    for (std::size_t k = 0; k < all.size(); ++k) {
      x.push_back(static_cast<double>(c.devices) * static_cast<double>(all[k]));
      y.push_back(c.rounds[k]);
    }
    const Fit f = fit(x, y);
    per_byte += f.per_unit / static_cast<double>(costs.size());
    devices.push_back(c.devices);
    left.push_back(std::fmax(f.latency - c.devices * c.lk, 1e-9));
  }
  Rounds made;
  made.bandwidth = per_byte > 0 ? 1 / per_byte : 0;
  if (costs.size() == 1) {
    made.trip = left[0];
    return made;
  }
  const Fit f = fit(devices, left);
  made.trip = f.latency;
  made.latency = f.per_unit;
  return made;
}

void write(const std::string& path, const std::vector<Costs>& costs, const Rounds& rounds) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file) {
    std::fprintf(stderr, "latency: %s cannot be written\n", path.c_str());
    std::exit(1);
  }
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  std::fprintf(file, "{\n  \"program\": \"latency\",\n  \"device\": \"%s\",\n  \"costs\": [\n",
               properties.name);
  for (std::size_t k = 0; k < costs.size(); ++k) {
    const Costs& c = costs[k];
    std::fprintf(
        file,
        "    {\"devices\": %d, \"LH\": %.6g, \"BH\": %.6g, \"LD\": %.6g, \"BD\": %.6g, \"LK\": %.6g}%s\n",
        c.devices, c.lh, c.bh, c.ld, c.bd, c.lk, k + 1 < costs.size() ? "," : "");
  }
  std::fprintf(file, "  ],\n  \"rounds\": {\"R\": %.6g, \"L\": %.6g, \"B\": %.6g}\n}\n", rounds.trip,
               rounds.latency, rounds.bandwidth);
  std::fclose(file);
}

int whole(const char* text, const char* name) {
  int value = 0;
  const char* const last = text + std::strlen(text);
  const auto [end, fault] = std::from_chars(text, last, value);
  if (fault == std::errc() && end == last && value > 0 && value <= 1 << 22) return value;
  std::fprintf(stderr, "latency: %s %s is no whole number above 0\n", name, text);
  std::exit(2);
}

} // namespace

int main(int argc, char** argv) {
  int there = 0, repeats = 500;
  std::size_t limit = most;
  std::vector<int> devices;
  std::string json;
  check(cudaGetDeviceCount(&there), "cudaGetDeviceCount");
  for (int k = 1; k < argc; k += 2) {
    const std::string name = argv[k];
    if (k + 1 == argc ||
        (name != "--devices" && name != "--repeats" && name != "--most" && name != "--json")) {
      std::fprintf(stderr, "latency: give --devices 1,2,4, --repeats N, --most BYTES, --json FILE\n");
      return 2;
    }
    if (name == "--repeats") repeats = whole(argv[k + 1], "--repeats");
    if (name == "--most")
      limit = std::max<std::size_t>(least, static_cast<std::size_t>(whole(argv[k + 1], "--most")));
    if (name == "--json") json = argv[k + 1];
    if (name == "--devices") {
      const std::string list = argv[k + 1];
      for (std::size_t at = 0; at <= list.size();) {
        const std::size_t end = std::min(list.find(',', at), list.size());
        devices.push_back(whole(list.substr(at, end - at).c_str(), "--devices"));
        at = end + 1;
      }
    }
  }
  if (devices.empty())
    for (int n = 1; n <= there; n *= 2) devices.push_back(n);
  Machine machine;
  machine.host.resize(most);
  int last = 0;
  for (const int n : devices) last = std::max(last, n);
  if (last > there) {
    std::fprintf(stderr, "latency: %d devices are asked for, and %d are there\n", last, there);
    return 2;
  }
  for (int d = 0; d < last; ++d) {
    check(cudaSetDevice(d), "cudaSetDevice");
    void *word = nullptr, *memory = nullptr;
    check(cudaMalloc(&word, 4), "cudaMalloc");
    check(cudaMalloc(&memory, most), "cudaMalloc");
    check(cudaMemset(memory, 0, most), "cudaMemset");
    machine.words.push_back(static_cast<int*>(word));
    machine.memory.push_back(static_cast<char*>(memory));
  }
  std::printf("%8s %10s %10s %10s %10s %10s\n", "devices", "LH us", "LD us", "LK us", "BH MB/s", "BD MB/s");
  std::vector<Costs> costs;
  for (const int n : devices) {
    const Costs c = measure(machine, n, repeats, limit);
    std::printf("%8d %10.2f %10.2f %10.2f %10.0f %10.0f\n", n, 1e6 * c.lh, 1e6 * c.ld, 1e6 * c.lk,
                1e-6 * c.bh, 1e-6 * c.bd);
    std::fflush(stdout);
    costs.push_back(c);
  }
  const Rounds rounds = fit_rounds(costs, limit);
  std::printf("rounds: R %.2f us, L %.2f us, B %.0f MB/s\n", 1e6 * rounds.trip, 1e6 * rounds.latency,
              1e-6 * rounds.bandwidth);
  if (!json.empty()) write(json, costs, rounds);
}
