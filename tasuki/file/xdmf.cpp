#include <tasuki/file/xdmf.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace tasuki {
namespace {

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += c;
    }
  }
  return safe;
}

// Extents in the order of XDMF, slowest axis first, with `more` added to each.
std::string sizes(const std::vector<long>& extents, long more) {
  std::string text;
  for (auto n = extents.rbegin(); n != extents.rend(); ++n)
    text += fmt::format("{}{}", text.empty() ? "" : " ", *n + more);
  return text;
}

std::string repeated(std::string_view word, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += fmt::format("{}{}", i ? " " : "", word);
  return text;
}

// The number type and precision of XDMF, or "" if it has none.
std::string number_of(ValueType type) {
  switch (type) {
    case ValueType::f32: return R"(NumberType="Float" Precision="4")";
    case ValueType::f64: return R"(NumberType="Float" Precision="8")";
    case ValueType::i16: return R"(NumberType="Int" Precision="2")";
    case ValueType::i32: return R"(NumberType="Int" Precision="4")";
    case ValueType::i64: return R"(NumberType="Int" Precision="8")";
    default: return "";
  }
}

} // namespace

std::string xdmf_path(const std::string& snapshot) {
  const bool named = snapshot.size() > 3 && snapshot.compare(snapshot.size() - 3, 3, ".h5") == 0;
  return (named ? snapshot.substr(0, snapshot.size() - 3) : snapshot) + ".xmf";
}

std::string xdmf_text(const std::string& snapshot, const Manifest& manifest) {
  const std::size_t dims = manifest.extents.size();
  if (dims != 2 && dims != 3) return "";
  // A 2-D grid is written as a 3-D layer of one cell, because ParaView places 2-D meshes in another plane, and shows no
  // values if the dimensions of the values and of the mesh differ.
  std::vector<long> extents = manifest.extents;
  extents.resize(3, 1);
  const std::string cells = sizes(extents, 0), stored = sizes(manifest.extents, 0);
  const std::string file = escaped(snapshot.substr(snapshot.rfind('/') + 1));

  std::string attributes;
  for (const StoredField& field : manifest.fields) {
    const std::string number = number_of(field.type);
    if (number.empty()) continue;
    const std::string place = fmt::format("{}:/fields/{}", file, escaped(field.name));
    for (int k = 0; k < field.components; ++k) {
      const std::string name = escaped(field.name) + (field.components > 1 ? fmt::format("_{}", k) : "");
      attributes +=
          fmt::format("      <Attribute Name=\"{}\" AttributeType=\"Scalar\" Center=\"Cell\">\n", name);
      if (field.components == 1) {
        attributes += fmt::format("        <DataItem Dimensions=\"{}\" {} Format=\"HDF\">{}</DataItem>\n",
                                  cells, number, place);
      } else {
        attributes += fmt::format(
            "        <DataItem ItemType=\"HyperSlab\" Dimensions=\"{}\">\n"
            "          <DataItem Dimensions=\"3 {}\" Format=\"XML\">{} {}  {}  1 {}</DataItem>\n"
            "          <DataItem Dimensions=\"{} {}\" {} Format=\"HDF\">{}</DataItem>\n"
            "        </DataItem>\n",
            cells, dims + 1, k, repeated("0", dims), repeated("1", dims + 1), stored, field.components,
            stored, number, place);
      }
      attributes += "      </Attribute>\n";
    }
  }
  if (attributes.empty()) return "";

  return fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<Xdmf Version=\"2.0\">\n"
      "  <Domain>\n"
      "    <Grid Name=\"tasuki\" GridType=\"Uniform\">\n"
      "      <Time Value=\"{}\"/>\n"
      "      <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"{}\"/>\n"
      "      <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n"
      "        <DataItem Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">-0.5 -0.5 "
      "-0.5</DataItem>\n"
      "        <DataItem Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">1 1 "
      "1</DataItem>\n"
      "      </Geometry>\n"
      "{}"
      "    </Grid>\n"
      "  </Domain>\n"
      "</Xdmf>\n",
      manifest.step, sizes(extents, 1), attributes);
}

} // namespace tasuki
