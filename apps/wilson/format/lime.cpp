#include <apps/wilson/format/lime.hpp>

#include <apps/wilson/format/numbers.hpp>
#include <apps/wilson/format/text.hpp>
#include <tasuki/base/error.hpp>
#include <tasuki/file/site_file.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace tasuki::wilson {
namespace {

constexpr std::uint32_t kMagic = 0x456789abu;
constexpr std::size_t kHead = 144, kTypeAt = 16, kTypeBytes = 128;
constexpr std::uint64_t kLongestText = 1 << 20;

std::uint64_t padded(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

[[noreturn]] void throw_cut(const std::string& path, const std::string& what) {
  throw Error(path + " is cut short: " + what, "copy it again from where it is whole");
}

} // namespace

bool is_lime(const std::string& head) {
  return head.size() >= 4 && word_at<std::uint32_t>(head.data(), kLittleHere) == kMagic;
}

std::vector<LimeRecord> lime_records(const std::string& path) {
  const std::uint64_t size = file_size(path);
  std::vector<LimeRecord> records;
  for (std::uint64_t at = 0; at < size;) {
    const std::string head = read_bytes(path, at, kHead);
    // Some programs end a file with a line break, or with more padding than necessary.
    if (!records.empty() && head.find_first_not_of(std::string("\0\n", 2)) == std::string::npos) break;
    if (!is_lime(head) && head.size() >= 4)
      throw Error(fmt::format("{} is damaged: no LIME record begins at byte {}", path, at),
                  "copy it again from where it is whole");
    if (head.size() < kHead) throw_cut(path, fmt::format("a record begins at byte {} and ends nowhere", at));
    LimeRecord record;
    record.type = head.substr(kTypeAt, kTypeBytes);
    record.type.resize(std::min(record.type.size(), record.type.find('\0')));
    record.bytes = word_at<std::uint64_t>(head.data() + 8, kLittleHere);
    record.offset = at + kHead;
    if (record.bytes > size - record.offset)
      throw_cut(path, fmt::format("its record {} has {} of {} bytes", shown(record.type),
                                  size - record.offset, record.bytes));
    at = record.offset + padded(record.bytes);
    records.push_back(std::move(record));
  }
  return records;
}

const LimeRecord* find_record(const std::vector<LimeRecord>& records, const std::string& type,
                              std::size_t from) {
  for (std::size_t r = from; r < records.size(); ++r)
    if (records[r].type == type) return &records[r];
  return nullptr;
}

std::string lime_text(const std::string& path, const LimeRecord& record) {
  std::string text = read_bytes(path, record.offset, std::min(record.bytes, kLongestText));
  text.resize(std::min(text.size(), text.find('\0')));
  return text;
}

void LimeLayout::add(const std::string& type, const std::string& text, Part part) {
  const std::uint64_t at = reserve(type, text.size(), part);
  pieces_.push_back({at, text});
}

std::uint64_t LimeLayout::reserve(const std::string& type, std::uint64_t bytes, Part part) {
  std::string head(kHead, '\0');
  put_word<std::uint32_t>(head.data(), kMagic, kLittleHere);
  head[5] = 1; // version, big-endian
  head[6] = static_cast<char>(part >> 8);
  put_word<std::uint64_t>(head.data() + 8, bytes, kLittleHere);
  head.replace(kTypeAt, type.size(), type);
  pieces_.push_back({bytes_, head});
  const std::uint64_t at = bytes_ + kHead;
  bytes_ = at + padded(bytes);
  if (padded(bytes) > bytes) pieces_.push_back({at + bytes, std::string(padded(bytes) - bytes, '\0')});
  return at;
}

void LimeLayout::write(const std::string& name, const std::string& path) const {
  for (const Piece& piece : pieces_) write_bytes(name, path, piece.bytes, piece.offset);
}

std::string xml_text(const std::string& xml, const std::string& tag) {
  const std::string open = "<" + tag + ">";
  const std::size_t from = xml.find(open);
  if (from == std::string::npos) return "";
  const std::size_t to = xml.find("</" + tag + ">", from);
  if (to == std::string::npos) return "";
  const std::string text = xml.substr(from + open.size(), to - from - open.size());
  const char* blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string xml_element(const std::string& tag, const std::string& text) {
  return "<" + tag + ">" + text + "</" + tag + ">";
}

std::string xml_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

} // namespace tasuki::wilson
