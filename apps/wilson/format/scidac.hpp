// What SciDAC's and ILDG's records say in XML (QIO of the USQCD collaboration; ILDG Binary File Format 1.2).
#pragma once

#include <apps/wilson/format/lime.hpp>
#include <apps/wilson/format/sums.hpp>

#include <array>
#include <optional>
#include <string>

namespace tasuki::wilson {

// scidac-private-record-xml
struct ScidacRecord {
  std::string type;     // "QDP_D3_ColorMatrix"
  int number_bytes = 8; // precision D or F
  int spins = 1;
  long type_bytes = 0; // of one thing a site
  long count = 1;      // things a site
  bool field = true;   // a thing a site, and not one for all
  long site_bytes() const { return type_bytes * count; }
};

ScidacRecord parse_record(const std::string& xml, const std::string& path); // throws Error
std::string record_xml(const ScidacRecord& record);

// scidac-private-file-xml: the lattice. Throws Error where it is none of four axes, or kept in several files.
std::array<long, 4> parse_file_xml(const std::string& xml, const std::string& path);
std::string file_xml(const std::array<long, 4>& extents);

// scidac-checksum. None where the text has none.
std::optional<Sum> parse_checksum(const std::string& xml, const std::string& path);
std::string checksum_xml(const Sum& sum); // of one length

} // namespace tasuki::wilson
