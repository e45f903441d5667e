#include <tasuki/file/manifest.hpp>

#include <tasuki/base/json_number.hpp>

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace tasuki {
namespace {

constexpr std::array<std::pair<ValueType, const char*>, 8> kTypes{{{ValueType::f32, "f32"},
                                                                   {ValueType::f64, "f64"},
                                                                   {ValueType::c64, "c64"},
                                                                   {ValueType::c128, "c128"},
                                                                   {ValueType::i16, "i16"},
                                                                   {ValueType::i32, "i32"},
                                                                   {ValueType::i64, "i64"},
                                                                   {ValueType::bytes, "bytes"}}};

const char* name_of(ValueType type) {
  for (const auto& [value, name] : kTypes)
    if (value == type) return name;
  return "bytes";
}

} // namespace

std::uint64_t Manifest::cells() const {
  std::uint64_t n = 1;
  for (const long extent : extents) n *= static_cast<std::uint64_t>(extent);
  return n;
}

const StoredField* Manifest::find(const std::string& name) const {
  for (const StoredField& field : fields)
    if (field.name == name) return &field;
  return nullptr;
}

std::string to_text(const Manifest& manifest) {
  nlohmann::ordered_json json;
  json["step"] = manifest.step;
  json["extents"] = manifest.extents;
  // Hexadecimal text is exact, and JSON has no infinity.
  json["values"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : manifest.values) json["values"][name] = fmt::format("{:a}", value);
  json["fields"] = nlohmann::ordered_json::array();
  for (const StoredField& field : manifest.fields)
    json["fields"].push_back({{"name", field.name},
                              {"type", name_of(field.type)},
                              {"element_bytes", field.element_bytes},
                              {"components", field.components},
                              {"offset", field.offset},
                              {"checksum", field.checksum}});
  return json.dump() + "\n";
}

namespace {

// A value in the form of to_text(), "0x1.8p+3". Throws Error for other text.
double hexadecimal(const std::string& text) {
  const bool negative = text.starts_with('-');
  std::string_view digits = std::string_view(text).substr(negative ? 1 : 0);
  const bool finite = digits.starts_with("0x");
  if (finite) digits.remove_prefix(2);
  double value = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value,
                                            finite ? std::chars_format::hex : std::chars_format::general);
  if (fault != std::errc{} || end != digits.data() + digits.size() || (!finite && std::isfinite(value)))
    throw Error(text + " is no hexadecimal number", "use another checkpoint");
  return negative ? -value : value;
}

} // namespace

Manifest parse_manifest(const std::string& path, const std::string& text) {
  try {
    const auto json = nlohmann::json::parse(text);
    Manifest manifest;
    manifest.step = json_number<long>(json.at("step"), path);
    for (const auto& n : json.at("extents")) manifest.extents.push_back(json_number<long>(n, path));
    for (const auto& [name, value] : json.at("values").items())
      manifest.values[name] = hexadecimal(value.get<std::string>());
    for (const auto& from : json.at("fields")) {
      StoredField field;
      from.at("name").get_to(field.name);
      for (const auto& [type, name] : kTypes)
        if (from.at("type") == name) field.type = type;
      field.element_bytes = json_number<unsigned long>(from.at("element_bytes"), path);
      field.components = json_number<int>(from.at("components"), path, {1, 1 << 20});
      field.offset = json_number<unsigned long>(from.at("offset"), path);
      field.checksum = json_number<unsigned long>(from.at("checksum"), path);
      manifest.fields.push_back(std::move(field));
    }
    return manifest;
  } catch (const std::exception&) { // not JSON, or an invalid number
    throw Error(path + " was altered since it was written: its list of fields is damaged",
                "use another checkpoint");
  }
}

std::string value_text(ValueType type, std::size_t element_bytes, int components) {
  std::string text;
  switch (type) {
    case ValueType::f32: text = "float"; break;
    case ValueType::f64: text = "double"; break;
    case ValueType::c64: text = "complex of float"; break;
    case ValueType::c128: text = "complex of double"; break;
    case ValueType::i16: text = "16-bit integer"; break;
    case ValueType::i32: text = "32-bit integer"; break;
    case ValueType::i64: text = "64-bit integer"; break;
    case ValueType::bytes: text = fmt::format("{}-byte value", element_bytes); break;
  }
  return components == 1 ? text : fmt::format("{}[{}]", text, components);
}

} // namespace tasuki
