#include <remote/server/gate/status.hpp>
#include <remote/wire/names.hpp>

#include <nlohmann/json.hpp>

namespace tasuki::remote {

namespace {

// As the client says, by its heartbeat: its numbers, and no text of its own.
nlohmann::json told_by(const Tally& tally) {
  if (!tally.told.there()) return nullptr;
  const auto seconds = [](std::uint64_t ms) { return static_cast<double>(ms) / 1000; };
  const Report report = tally.told.get();
  nlohmann::json told = {{"waits_for", nullptr}, {"log", nullptr}, {"image", nullptr}, {"replicas", nullptr}};
  if (const char* call = name_of_call(report.waits_for))
    told["waits_for"] = {{"call", call}, {"seconds", seconds(report.waited)}};
  if (report.log != Report::none) told["log"] = report.log;
  if (report.image != Report::none)
    told["image"] = {{"bytes", report.image}, {"seconds", seconds(report.image_age)}};
  if (report.replicas)
    told["replicas"] = {{"count", report.replicas}, {"agreed", report.agreed}, {"differed", report.differed}};
  told["faults"] = report.faults;
  return told;
}

nlohmann::json row_of(const Child& child) {
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - child.since;
  const Tally& tally = *child.tally;
  return {{"process", child.process},
          {"program", text_of(child.request.program)},
          {"peer", child.peer},
          {"seconds", time.count()},
          {"calls", tally.calls.load()},
          {"bytes_in", tally.bytes_in.load()},
          {"bytes_out", tally.bytes_out.load()},
          {"memory", tally.memory.load()},
          {"told", told_by(tally)}};
}

} // namespace

std::string write_status(const std::vector<ServedDevice>& devices, const Ledger& ledger,
                         const std::map<int, Child>& children, bool leaving) {
  nlohmann::json rows = nlohmann::json::array();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    nlohmann::json clients = nlohmann::json::array();
    for (const int id : ledger.holders(static_cast<int>(i))) clients.push_back(row_of(children.at(id)));
    rows.push_back({{"device", i},
                    {"gpu", devices[i].gpu},
                    {"kind", devices[i].kind},
                    {"name", devices[i].properties.name},
                    {"memory", devices[i].properties.memory},
                    {"waiting", ledger.waiting(static_cast<int>(i))},
                    {"clients", clients}});
  }
  const nlohmann::json status = {{"version", TASUKI_VERSION}, {"leaving", leaving}, {"devices", rows}};
  return status.dump(-1, ' ', false,
                     nlohmann::json::error_handler_t::replace); // a program's name may be no UTF-8
}

} // namespace tasuki::remote
