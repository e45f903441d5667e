// The XML of SciDAC's and ILDG's records (QIO of the USQCD collaboration; ILDG Binary File Format 1.2).
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
  long type_bytes = 0; // of one object
  long count = 1;      // objects per site
  bool field = true;   // objects at each site, rather than one for all sites
  long site_bytes() const { return type_bytes * count; }
};

ScidacRecord parse_record(const std::string& xml, const std::string& path); // throws Error
std::string record_xml(const ScidacRecord& record);

// scidac-private-file-xml: the lattice. Throws Error unless it has four axes and is stored in a single file.
std::array<long, 4> parse_file_xml(const std::string& xml, const std::string& path);
std::string file_xml(const std::array<long, 4>& extents);

// scidac-checksum. Nothing if the text has none.
std::optional<Sum> parse_checksum(const std::string& xml, const std::string& path);
std::string checksum_xml(const Sum& sum); // its length is constant

} // namespace tasuki::wilson
