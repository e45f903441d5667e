#include <remote/server/visit/listing.hpp>

#include <nlohmann/json.hpp>

namespace tasuki::remote {

std::string write_devices(const std::vector<ServedDevice>& devices) {
  nlohmann::json rows = nlohmann::json::array();
  for (const ServedDevice& device : devices) {
    const Properties& about = device.properties;
    rows.push_back({{"gpu", device.gpu},
                    {"kind", device.kind},
                    {"name", about.name},
                    {"uuid", about.uuid},
                    {"memory", about.memory},
                    {"attributes", about.attributes}});
  }
  return rows.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<ServedDevice> read_devices(const std::string& text) {
  std::vector<ServedDevice> devices;
  try {
    for (const nlohmann::json& row : nlohmann::json::parse(text)) {
      ServedDevice device;
      row.at("gpu").get_to(device.gpu);
      row.at("kind").get_to(device.kind);
      row.at("name").get_to(device.properties.name);
      row.at("uuid").get_to(device.properties.uuid);
      row.at("memory").get_to(device.properties.memory);
      row.at("attributes").get_to(device.properties.attributes);
      devices.push_back(std::move(device));
    }
  } catch (const nlohmann::json::exception&) {
    throw Error("a host's list of devices cannot be read", "install the same Tasuki on both hosts");
  }
  return devices;
}

} // namespace tasuki::remote
