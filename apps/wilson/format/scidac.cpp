#include <apps/wilson/format/scidac.hpp>

#include <apps/wilson/format/text.hpp>
#include <tasuki/base/error.hpp>

#include <fmt/format.h>

#include <ctime>
#include <sstream>

namespace tasuki::wilson {
namespace {

const std::string kXml = R"(<?xml version="1.0" encoding="UTF-8"?>)";

constexpr int kMost = 1 << 20; // the largest accepted numbers of objects per site, and of their bytes

int number_in(const std::string& xml, const std::string& tag, const std::string& path) {
  return static_cast<int>(parse_count(xml_text(xml, tag), path, tag, kMost));
}

} // namespace

ScidacRecord parse_record(const std::string& xml, const std::string& path) {
  ScidacRecord record;
  record.type = xml_text(xml, "datatype");
  const std::string precision = xml_text(xml, "precision"), kind = xml_text(xml, "recordtype");
  // Integers and texts have other letters; they are not needed here.
  record.number_bytes = precision == "D" ? 8 : precision == "F" || precision == "S" ? 4 : 0;
  record.spins = xml_text(xml, "spins").empty() ? 1 : number_in(xml, "spins", path);
  record.type_bytes = number_in(xml, "typesize", path);
  record.count = number_in(xml, "datacount", path);
  record.field = kind.empty() || kind == "0";
  return record;
}

std::string record_xml(const ScidacRecord& record) {
  char date[64];
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  std::strftime(date, sizeof date, "%a %b %d %H:%M:%S %Y UTC", &parts);
  return kXml +
         xml_element("scidacRecord",
                     xml_element("version", "1.1") + xml_element("date", date) +
                         xml_element("recordtype", "0") + xml_element("datatype", record.type) +
                         xml_element("precision", record.number_bytes == 8 ? "D" : "F") +
                         xml_element("colors", "3") + xml_element("spins", std::to_string(record.spins)) +
                         xml_element("typesize", std::to_string(record.type_bytes)) +
                         xml_element("datacount", std::to_string(record.count)));
}

std::array<long, 4> parse_file_xml(const std::string& xml, const std::string& path) {
  const std::string volume = xml_text(xml, "volfmt");
  if (!volume.empty() && volume != "0")
    throw Error(path + " is one of several files of a lattice", "write it as a single file (SINGLEFILE)");
  std::istringstream words(xml_text(xml, "dims"));
  std::array<long, 4> extents{};
  std::size_t axes = 0;
  for (std::string word; words >> word; ++axes)
    if (axes < 4) extents[axes] = parse_extent(word, path);
  if (axes != 4)
    throw Error(fmt::format("{} holds a lattice of {} axes", path, axes), "give a file of one of four");
  return extents;
}

std::string file_xml(const std::array<long, 4>& extents) {
  return kXml +
         xml_element("scidacFile", xml_element("version", "1.1") + xml_element("spacetime", "4") +
                                       xml_element("dims", fmt::format("{} {} {} {} ", extents[0], extents[1],
                                                                       extents[2], extents[3])) +
                                       xml_element("volfmt", "0"));
}

std::optional<Sum> parse_checksum(const std::string& xml, const std::string& path) {
  const std::string a = xml_text(xml, "suma"), b = xml_text(xml, "sumb");
  if (a.empty() || b.empty()) return {};
  return Sum{parse_hex(a, path), parse_hex(b, path)};
}

std::string checksum_xml(const Sum& sum) {
  return kXml + xml_element("scidacChecksum", xml_element("version", "1.0") +
                                                  xml_element("suma", fmt::format("{:08x}", sum[0])) +
                                                  xml_element("sumb", fmt::format("{:08x}", sum[1])));
}

} // namespace tasuki::wilson
