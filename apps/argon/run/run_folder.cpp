#include <apps/argon/run/run_folder.hpp>

#include <tasuki/base/json_number.hpp>
#include <tasuki/base/on_all.hpp>
#include <tasuki/file/checkpoint.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

namespace tasuki::argon {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string standing_name(long step) { return fmt::format("exchange-{}.json", step); }

} // namespace

std::string to_json(const Standing& standing) {
  Json json = {{"format", "tasuki-argon-standing"}, {"version", 1}, {"interval", standing.interval}};
  const ExchangeState& e = standing.exchange;
  json["state"] = e.state;
  json["held"] = standing.held;
  Json lost = Json::array(), attempted = Json::array(), accepted = Json::array(), probability = Json::array();
  for (std::size_t r = 0; r < e.lost.size(); ++r)
    if (e.lost[r]) lost.push_back(r);
  for (const Tally& tally : e.tallies) {
    attempted.push_back(tally.attempted);
    accepted.push_back(tally.accepted);
    probability.push_back(tally.probability);
  }
  json["lost"] = lost;
  json["trials"] = e.trials;
  json["trials_accepted"] = e.accepted;
  json["attempted"] = attempted;
  json["accepted"] = accepted;
  json["probability"] = probability;
  return json.dump() + "\n";
}

Standing parse_standing(const std::string& text, const std::string& path) {
  try {
    const Json json = Json::parse(text);
    Standing standing;
    const auto whole = [&](const char* name) { return json_number<long>(json.at(name), name); };
    const auto list = [&](const char* name) {
      std::vector<int> numbers;
      for (const Json& one : json.at(name)) numbers.push_back(json_number<int>(one, name));
      return numbers;
    };
    standing.interval = whole("interval");
    standing.held = list("held");
    ExchangeState& e = standing.exchange;
    e.state = list("state");
    e.lost.resize(e.state.size(), 0);
    for (const int r : list("lost")) e.lost.at(static_cast<std::size_t>(r)) = 1;
    e.trials = whole("trials");
    e.accepted = whole("trials_accepted");
    const Json &attempted = json.at("attempted"), &accepted = json.at("accepted");
    for (std::size_t k = 0; k < attempted.size(); ++k)
      e.tallies.push_back({attempted.at(k), accepted.at(k), json.at("probability").at(k)});
    return standing;
  } catch (const std::exception&) {
    throw Error(path + " is damaged", "begin another run in another folder");
  }
}

void RunFolder::save(const Replicas& replicas, const Standing& standing, long step, double fingerprint) {
  write(standing_name(step), to_json(standing));
  tasuki::save(checkpoint(), "checkpoint", replicas.fields(), step, {{"run", fingerprint}});
  // Files of earlier checkpoints, and of later ones after a run was reset, do not belong to any checkpoint now.
  on_root(world_, [&] {
    for (const fs::directory_entry& entry : fs::directory_iterator(path_)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("exchange-") && name != standing_name(step)) fs::remove(entry.path());
    }
  });
}

Standing RunFolder::load(Replicas& replicas, double fingerprint) {
  FileInfo info;
  on_all(world_, [&] {
    info = inspect(checkpoint());
    const auto run = info.values.find("run");
    if (run == info.values.end() || run->second != fingerprint)
      throw Error(checkpoint() + " is of another run than " + job(), "put the checkpoint of this run there");
  });
  info = tasuki::load(checkpoint(), replicas.fields());
  const std::string name = standing_name(info.step);
  return parse_standing(read(name), at(name));
}

} // namespace tasuki::argon
