#include <apps/wilson/format/nersc.hpp>

#include <apps/wilson/format/links.hpp>
#include <apps/wilson/format/numbers.hpp>
#include <apps/wilson/format/text.hpp>
#include <apps/wilson/format/writing.hpp>
#include <tasuki/file/site_file.hpp>

#include <fmt/format.h>

#include <map>

namespace tasuki::wilson {
namespace {

constexpr std::size_t kLongestHeader = 1 << 16;
const std::string kBegin = "BEGIN_HEADER\n", kEnd = "END_HEADER\n";

using Fields = std::map<std::string, std::string>;

Fields fields_of(const std::string& header) {
  Fields fields;
  for (const std::string& line : lines_of(header)) {
    const std::size_t equal = line.find('=');
    if (equal != std::string::npos) fields[trimmed(line.substr(0, equal))] = trimmed(line.substr(equal + 1));
  }
  return fields;
}

const std::string& field(const Fields& fields, const std::string& path, const std::string& name) {
  const auto found = fields.find(name);
  if (found == fields.end())
    throw Error(fmt::format("the header of {} has no {}", path, name), "take a file of NERSC's format");
  return found->second;
}

// "IEEE64BIG"; if the byte order is missing ("IEEE32") it is big-endian, as on the machines of that time.
void read_numbers(const std::string& text, const std::string& path, GaugeInfo& info) {
  const std::string kind = text.substr(0, 6), order = text.size() > 6 ? text.substr(6) : "BIG";
  if ((kind != "IEEE32" && kind != "IEEE64") || (order != "BIG" && order != "LITTLE"))
    throw Error(fmt::format("{} has numbers of kind {}", path, shown(text)),
                "IEEE32BIG, IEEE32LITTLE, IEEE64BIG and IEEE64LITTLE can be read");
  info.number_bytes = kind == "IEEE32" ? 4 : 8;
  info.swapped = (order == "LITTLE") != kLittleHere;
}

// The whole header; its length does not depend on the checksum.
std::string header_of(const GaugeInfo& info, const Sum& sum, const std::string& label) {
  std::string text = kBegin;
  const auto line = [&](const std::string& key, const std::string& value) {
    text += key + " = " + value + "\n";
  };
  line("HDR_VERSION", "1.0");
  line("DATATYPE", info.rows == 2 ? "4D_SU3_GAUGE" : "4D_SU3_GAUGE_3x3");
  line("STORAGE_FORMAT", "1.0");
  for (int a = 0; a < kAxes; ++a) line(fmt::format("DIMENSION_{}", a + 1), std::to_string(info.extents[a]));
  line("LINK_TRACE", fmt::format("{: .12f}", info.link_trace.value_or(0)));
  line("PLAQUETTE", fmt::format("{: .12f}", info.plaquette.value_or(0)));
  for (int a = 0; a < kAxes; ++a) line(fmt::format("BOUNDARY_{}", a + 1), "PERIODIC");
  line("CHECKSUM", fmt::format("{:08x}", sum[0]));
  line("ENSEMBLE_ID", "tasuki");
  line("ENSEMBLE_LABEL", shown(label));
  line("SEQUENCE_NUMBER", "1");
  line("CREATOR", "tasuki-wilson");
  const std::string order = info.swapped == kLittleHere ? "BIG" : "LITTLE";
  line("FLOATING_POINT", fmt::format("IEEE{}{}", 8 * info.number_bytes, order));
  return text + kEnd;
}

} // namespace

bool is_nersc(const std::string& head) { return head.rfind("BEGIN_HEADER", 0) == 0; }

GaugeInfo inspect_nersc(const std::string& path) {
  const std::string head = read_bytes(path, 0, kLongestHeader);
  const std::size_t end = head.find(kEnd);
  if (end == std::string::npos)
    throw Error(path + " is cut short: its header has no end", "copy it again from where it is whole");
  const Fields fields = fields_of(head.substr(0, end));
  const auto number = [&](const std::string& name) {
    return parse_number(field(fields, path, name), path, name);
  };

  GaugeInfo info{.format = Format::nersc};
  const std::string type = field(fields, path, "DATATYPE");
  if (type == "4D_SU3_GAUGE")
    info.rows = 2;
  else if (type != "4D_SU3_GAUGE_3x3" && type != "4D_SU3_GAUGE_3X3")
    throw Error(fmt::format("{} holds {}", path, shown(type)),
                "4D_SU3_GAUGE and 4D_SU3_GAUGE_3x3 can be read");
  read_numbers(field(fields, path, "FLOATING_POINT"), path, info);
  for (int a = 0; a < kAxes; ++a)
    info.extents[a] = parse_extent(field(fields, path, fmt::format("DIMENSION_{}", a + 1)), path);
  info.offset = end + kEnd.size();
  if (fields.count("CHECKSUM")) info.checksum = Sum{parse_hex(fields.at("CHECKSUM"), path), 0};
  for (const auto& [name, value] :
       {std::pair{"PLAQUETTE", &info.plaquette}, {"LINK_TRACE", &info.link_trace}})
    if (fields.count(name)) {
      *value = number(name);
      info.header_accuracy = std::max(info.header_accuracy, last_place(fields.at(name)));
    }
  return info;
}

Writing plan_nersc(const Lattice& lattice, const std::string& label, const WriteOptions& options,
                   double link_trace) {
  if (!options.plaquette)
    throw Error("a NERSC file has to have the plaquette in its header", "measure it first");
  Writing writing{.sum = SumKind::words};
  GaugeInfo& info = writing.info;
  info = {.format = Format::nersc,
          .extents = lattice.extents(),
          .number_bytes = options.number_bytes,
          .rows = options.rows,
          .swapped = kLittleHere};
  info.plaquette = options.plaquette;
  info.link_trace = link_trace;
  info.offset = header_of(info, {}, label).size();
  info.bytes = static_cast<std::uint64_t>(lattice.sites()) * link_bytes(info);
  writing.file_bytes = info.offset + info.bytes;
  writing.finish = [info, label](const std::string& name, const std::string& path, const Sum& sum) {
    write_bytes(name, path, header_of(info, sum, label), 0);
  };
  return writing;
}

} // namespace tasuki::wilson
