// LIME, the container format of ILDG and SciDAC files: typed records of bytes, grouped into messages.
//
// A record: big-endian 0x456789ab, 16-bit version 1, 16 bits of flags (0x8000: a message begins, 0x4000: it
// ends), 64-bit length, 128 bytes of type, the data, zeros up to a multiple of 8. (C-LIME of the USQCD
// collaboration, lime_defs.h.)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tasuki::wilson {

struct LimeRecord {
  std::string type;
  std::uint64_t offset = 0, bytes = 0; // of its data
};

bool is_lime(const std::string& head); // by the first bytes of a file

// The records of a file, in order. Throws Error if it is truncated (with the record) or not LIME. Local.
std::vector<LimeRecord> lime_records(const std::string& path);

// The first record of the type from index `from` on; null if there is none.
const LimeRecord* find_record(const std::vector<LimeRecord>& records, const std::string& type,
                              std::size_t from = 0);

// The text of a record, without zeros at its end. Throws Error. Local.
std::string lime_text(const std::string& path, const LimeRecord& record);

// The layout of a file before it is written: all content except the data of its large records.
class LimeLayout {
public:
  enum Part { inside = 0, first = 0x8000, last = 0x4000, only = 0xc000 }; // of a message

  void add(const std::string& type, const std::string& text, Part part);
  // Adds a record without its data; returns the offset of the data.
  std::uint64_t reserve(const std::string& type, std::uint64_t bytes, Part part);

  std::uint64_t bytes() const { return bytes_; } // of the whole file

  // Writes headers, texts and padding to the file `name`; errors contain `path`. Throws Error. Local.
  void write(const std::string& name, const std::string& path) const;

private:
  struct Piece {
    std::uint64_t offset;
    std::string bytes;
  };
  std::vector<Piece> pieces_;
  std::uint64_t bytes_ = 0;
};

// The text between the first <tag> and its </tag>, without surrounding blanks; "" if there is none.
std::string xml_text(const std::string& xml, const std::string& tag);
std::string xml_element(const std::string& tag, const std::string& text); // <tag>text</tag>
std::string xml_escaped(const std::string& text);                         // & < > escaped for XML

} // namespace tasuki::wilson
