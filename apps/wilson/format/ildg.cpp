#include <apps/wilson/format/ildg.hpp>

#include <apps/wilson/format/lime.hpp>
#include <apps/wilson/format/links.hpp>
#include <apps/wilson/format/numbers.hpp>
#include <apps/wilson/format/scidac.hpp>
#include <apps/wilson/format/text.hpp>
#include <apps/wilson/format/writing.hpp>

#include <fmt/format.h>

namespace tasuki::wilson {
namespace {

constexpr long kMatrixNumbers = 18;

std::string text_of(const std::string& path, const std::vector<LimeRecord>& records, const std::string& type,
                    std::size_t from = 0) {
  const LimeRecord* record = find_record(records, type, from);
  return record ? lime_text(path, *record) : "";
}

// The record with the links, and the start of its message.
struct Found {
  const LimeRecord* data = nullptr;
  std::string record_xml; // of the same message, or ""
};

Found find_links(const std::string& path, const std::vector<LimeRecord>& records) {
  Found found;
  for (const LimeRecord& record : records) {
    if (record.type == "scidac-private-record-xml") found.record_xml = lime_text(path, record);
    const bool links = record.type == "ildg-binary-data" ||
                       (record.type == "scidac-binary-data" && !found.record_xml.empty() &&
                        parse_record(found.record_xml, path).count == 4);
    if (!links) continue;
    found.data = &record;
    return found;
  }
  throw Error(path + " holds no gauge configuration",
              "give a file with ildg-binary-data, or SciDAC's of four matrices a site");
}

void read_format(const std::string& xml, const std::string& path, GaugeInfo& info) {
  const std::string field = xml_text(xml, "field"), precision = xml_text(xml, "precision");
  if (!field.empty() && field != "su3gauge")
    throw Error(fmt::format("{} holds {}", path, shown(field)), "give one of su3gauge");
  if (precision != "32" && precision != "64")
    throw Error(fmt::format("{} has numbers of {} bits", path, shown(precision)), "32 and 64 can be read");
  info.number_bytes = precision == "32" ? 4 : 8;
  const char* tags[] = {"lx", "ly", "lz", "lt"};
  for (std::size_t a = 0; a < 4; ++a) info.extents[a] = parse_extent(xml_text(xml, tags[a]), path);
}

void read_scidac(const std::string& file, const std::string& xml, const std::string& path, GaugeInfo& info) {
  const ScidacRecord record = parse_record(xml, path);
  if (record.number_bytes == 0 || record.count != 4 ||
      record.type_bytes != kMatrixNumbers * record.number_bytes)
    throw Error(fmt::format("{} holds {} things of {} bytes a site", path, record.count, record.type_bytes),
                "give a file of four SU(3) matrices a site");
  if (info.knows_extents() && info.number_bytes != record.number_bytes)
    throw Error(path + " has numbers of two widths, by what its ILDG and SciDAC headers say",
                "write it anew");
  info.number_bytes = record.number_bytes;
  if (!file.empty() && !info.knows_extents()) info.extents = parse_file_xml(file, path);
}

} // namespace

GaugeInfo inspect_ildg(const std::string& path) {
  const std::vector<LimeRecord> records = lime_records(path);
  const Found found = find_links(path, records);
  GaugeInfo info{.format = Format::ildg, .number_bytes = 0, .swapped = kLittleHere};
  info.offset = found.data->offset;
  info.bytes = found.data->bytes;
  const std::string format = text_of(path, records, "ildg-format");
  const std::string file = text_of(path, records, "scidac-private-file-xml");
  if (!format.empty()) read_format(format, path, info);
  if (!found.record_xml.empty()) read_scidac(file, found.record_xml, path, info);
  const auto behind = static_cast<std::size_t>(found.data - records.data());
  info.checksum = parse_checksum(text_of(path, records, "scidac-checksum", behind), path);
  // Written by tasuki-wilson.
  const std::string own = xml_text(text_of(path, records, "scidac-record-xml"), "tasukiGauge");
  for (const auto& [tag, value] :
       {std::pair{"plaquette", &info.plaquette}, {"linkTrace", &info.link_trace}}) {
    const std::string text = xml_text(own, tag);
    if (text.empty()) continue;
    *value = parse_number(text, path, tag);
    info.header_accuracy = std::max(info.header_accuracy, last_place(text));
  }
  return info;
}

Writing plan_ildg(const Lattice& lattice, const std::string& label, const WriteOptions& options,
                  double link_trace) {
  if (options.rows != 3)
    throw Error("an ILDG file has all three rows of a link", "write NERSC where two are enough");
  Writing writing{.sum = SumKind::scidac};
  GaugeInfo& info = writing.info;
  info = {.format = Format::ildg,
          .extents = lattice.extents(),
          .number_bytes = options.number_bytes,
          .swapped = kLittleHere};
  info.bytes = static_cast<std::uint64_t>(lattice.sites()) * link_bytes(info);
  const bool wide = info.number_bytes == 8;
  const std::array<long, 4>& n = info.extents;
  LimeLayout lime;
  lime.add("scidac-private-file-xml", file_xml(n), LimeLayout::first);
  lime.add("scidac-file-xml", R"(<?xml version="1.0"?><gauge></gauge>)", LimeLayout::last);
  lime.add("scidac-private-record-xml",
           record_xml({.type = wide ? "QDP_D3_ColorMatrix" : "QDP_F3_ColorMatrix",
                       .number_bytes = info.number_bytes,
                       .type_bytes = kMatrixNumbers * info.number_bytes,
                       .count = 4}),
           LimeLayout::first);
  std::string own = xml_element("linkTrace", fmt::format("{:.12f}", link_trace));
  if (options.plaquette) own += xml_element("plaquette", fmt::format("{:.12f}", *options.plaquette));
  lime.add("scidac-record-xml", R"(<?xml version="1.0"?>)" + xml_element("tasukiGauge", own),
           LimeLayout::inside);
  lime.add(
      "ildg-format",
      fmt::format(R"(<?xml version="1.0" encoding="UTF-8"?><ildgFormat xmlns="http://www.lqcd.org/ildg" )"
                  R"(xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" )"
                  R"(xsi:schemaLocation="http://www.lqcd.org/ildg/filefmt.xsd"><version>1.0</version>)"
                  "<field>su3gauge</field><precision>{}</precision><lx>{}</lx><ly>{}</ly><lz>{}</lz>"
                  "<lt>{}</lt></ildgFormat>",
                  8 * info.number_bytes, n[0], n[1], n[2], n[3]),
      LimeLayout::inside);
  const bool named = label.find("://") != std::string::npos; // otherwise it is a local name
  lime.add("ildg-data-lfn", named ? label : "lfn://local/" + label, LimeLayout::inside);
  info.offset = lime.reserve("ildg-binary-data", info.bytes, LimeLayout::inside);
  const std::uint64_t sum_at = lime.reserve("scidac-checksum", checksum_xml({}).size(), LimeLayout::last);
  writing.file_bytes = lime.bytes();
  writing.finish = [lime, sum_at](const std::string& name, const std::string& path, const Sum& sum) {
    lime.write(name, path);
    write_bytes(name, path, checksum_xml(sum), sum_at);
  };
  return writing;
}

} // namespace tasuki::wilson
