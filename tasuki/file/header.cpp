#include <tasuki/file/header.hpp>

#ifdef TASUKI_HAVE_HDF5
#include <tasuki/base/error.hpp>
#include <tasuki/file/integrity.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace tasuki {
namespace {

const std::string kMagic = "TASUKI ";
const std::string kHead = "head ";
const char* kAnother = "give a snapshot or checkpoint that a run wrote";

[[noreturn]] void throw_altered(const std::string& path, const std::string& mend) {
  throw Error(path + " was altered since it was written: its header is damaged", mend);
}

// The next word of the text, which must be followed by one space or line end.
std::string next_word(const std::string& text, std::size_t& at) {
  const std::size_t end = text.find_first_of(" \n", at);
  if (end == std::string::npos) return "";
  std::string word = text.substr(at, end - at);
  at = end + 1;
  return word;
}

bool to_number(const std::string& word, int base, std::uint64_t& value) {
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value, base);
  return fault == std::errc{} && end == word.data() + word.size() && !word.empty();
}

// The correct last line for this text.
std::string head_line(const std::string& text) {
  return fmt::format("{}{:016x}\n", kHead, hash_bytes(text.data(), text.size(), 0));
}

} // namespace

std::array<char, kHeaderBytes> to_block(const Header& header) {
  std::string text =
      fmt::format("{}{}\n{}\nbytes {} manifest {}\nhash {:016x} {:016x}\n", kMagic, kFileVersion, header.kind,
                  header.bytes, header.manifest, header.hash, header.manifest_hash);
  text += head_line(text);
  std::array<char, kHeaderBytes> block{};
  std::memcpy(block.data(), text.data(), std::min(text.size(), block.size()));
  return block;
}

Header parse_header(const std::string& path, const std::string& block, std::uint64_t bytes,
                    const std::string& mend) {
  const std::size_t shared = std::min(block.size(), kMagic.size());
  if (block.compare(0, shared, kMagic, 0, shared) != 0)
    throw Error(path + " is not a file of Tasuki", kAnother);
  if (block.size() < kHeaderBytes)
    throw Error(fmt::format("{} is cut short: it holds {} bytes, not even its header", path, bytes), mend);

  // In every version, the text ends with a line that contains its hash, followed by zeros.
  const std::size_t line = block.find("\n" + kHead);
  if (line == std::string::npos) throw_altered(path, mend);
  const std::string text = block.substr(0, line + 1);
  std::string proven = text + head_line(text);
  proven.resize(kHeaderBytes, '\0');
  if (proven != block) throw_altered(path, mend);

  std::size_t at = kMagic.size();
  std::uint64_t version = 0;
  if (!to_number(next_word(text, at), 10, version)) throw_altered(path, mend);
  if (version != kFileVersion)
    throw Error(fmt::format("{} has format {}, this build reads format {}", path, version, kFileVersion),
                "use the version of Tasuki that wrote it, or a newer one");

  Header header;
  header.kind = next_word(text, at);
  bool good = next_word(text, at) == "bytes" && to_number(next_word(text, at), 10, header.bytes);
  good = good && next_word(text, at) == "manifest" && to_number(next_word(text, at), 10, header.manifest);
  good = good && next_word(text, at) == "hash" && to_number(next_word(text, at), 16, header.hash);
  good = good && to_number(next_word(text, at), 16, header.manifest_hash);
  if (!good || at != text.size() || header.manifest < kHeaderBytes || header.manifest > header.bytes)
    throw_altered(path, mend);

  if (bytes < header.bytes)
    throw Error(fmt::format("{} is cut short: it holds {} of {} bytes", path, bytes, header.bytes),
                "copy it again, or " + mend);
  if (bytes > header.bytes)
    throw Error(fmt::format("{} was altered since it was written: it holds {} bytes, {} were written", path,
                            bytes, header.bytes),
                "copy it again, or " + mend);
  return header;
}

} // namespace tasuki
#endif
