// tasuki-gpus-ask: what `tasuki gpus` asks gates for, as JSON.
//
//   tasuki-gpus-ask list --hosts a,b[0,3]     {"hosts": [{"host", "version", "chosen", "devices": [..]}]}
//   tasuki-gpus-ask status --hosts a,b        the same with each gate's status; of a gate that does not answer, its error
//   tasuki-gpus-ask drain --hosts a           the gate takes no new client and ends with its last
#include <remote/server/visit.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <future>
#include <string>
#include <vector>

namespace {

using namespace tasuki::remote;
using nlohmann::json;

json list(const Host& host, const Key& key) {
  const Greeting there = greet(host, key);
  json devices = json::array();
  for (const ServedDevice& device : there.devices)
    devices.push_back({{"gpu", device.gpu},
                       {"kind", device.kind},
                       {"name", device.properties.name},
                       {"memory", device.properties.memory}});
  return {{"host", host.shown()},
          {"version", there.version},
          {"chosen", chosen_devices(host, there.devices.size())},
          {"devices", devices}};
}

json status(const Host& host, const Key& key) {
  try {
    json answer = json::parse(ask_status(host, key, std::chrono::seconds(3)));
    answer["host"] = host.shown();
    return answer;
  } catch (const std::exception& error) { // the others are still worth seeing
    return {{"host", host.shown()}, {"error", error.what()}};
  }
}

json drain(const Host& host, const Key& key) {
  ask_drain(host, key);
  return {{"host", host.shown()}};
}

// A key is needed where a host is not reached by this user's own socket; dialling says so where it is missed.
Key key_of(const std::string& path) {
  if (!path.empty()) return read_key(path);
  const std::string usual = default_key_path();
  std::FILE* file = std::fopen(usual.c_str(), "r");
  if (!file && errno == ENOENT) return Key();
  if (file) std::fclose(file);
  return read_key(usual);
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app("Asks the gates of hosts what GPUs they serve", "tasuki-gpus-ask");
  std::string what, hosts, key_path;
  app.add_option("what", what, "list, status or drain")
      ->required()
      ->check(CLI::IsMember({"list", "status", "drain"}));
  app.add_option("--hosts", hosts, "a,b:2,c[0,3],d@7500, or @FILE")->required();
  app.add_option("--key", key_path, "file of the key");
  CLI11_PARSE(app, argc, argv);
  try {
    const Key key = key_of(key_path);
    const auto question = what == "list" ? list : what == "status" ? status : drain;
    std::vector<std::future<json>> coming; // all at once: one that is slow holds up no other
    for (const Host& host : parse_hosts(hosts))
      coming.push_back(std::async(std::launch::async, question, host, key));
    json answers = json::array();
    for (auto& answer : coming) answers.push_back(answer.get());
    std::printf("%s\n",
                json{{"hosts", answers}}.dump(-1, ' ', false, json::error_handler_t::replace).c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tasuki: %s\n", error.what());
    return 2;
  }
}
