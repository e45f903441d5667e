#include <remote/fatbin/image.hpp>
#include <remote/fatbin/variables.hpp>
#include <remote/fatbin/words.hpp>

#include <tasuki/base/error.hpp>

namespace tasuki::remote {
namespace {

// ".visible .global .align 4 .b8 table[64] = {..};" outside of functions declares `table`: the first word that is not a
// directive, the number after .align, or inside the brackets of .attribute.
void add_variables(const std::string& text, std::set<std::string>& names) {
  Words words(text);
  int depth = 0;
  bool outside = false;
  for (std::string word = words.next(); !word.empty(); word = words.next()) {
    if (word == "{") ++depth;
    if (word == "}") --depth;
    if (depth > 0) continue;
    if (word == ".extern") outside = true;
    if (word == ";") outside = false;
    if (word != ".global" && word != ".const") continue;
    for (word = words.next(); !word.empty() && word != ";"; word = words.next()) {
      if (word == "(")
        while (!word.empty() && word != ")") word = words.next();
      if (word[0] == '.' || word == ")" || std::isdigit(static_cast<unsigned char>(word[0]))) continue;
      if (!outside && word[0] != '$') names.insert(word);
      break;
    }
  }
}

} // namespace

std::optional<std::set<std::string>> variables_of(const void* image, std::size_t bytes) {
  const auto* data = static_cast<const unsigned char*>(image);
  const std::string begin(static_cast<const char*>(image), std::min<std::size_t>(bytes, 4));
  std::set<std::string> names;
  if (begin ==
      "\x7f"
      "ELF")
    return std::nullopt;
  if (begin != "\x50\xed\x55\xba") {
    add_variables({static_cast<const char*>(image), bytes}, names);
    return names;
  }
  bool any = false;
  try {
    for (const Entry& entry : entries({data, bytes}))
      if (entry.kind == Entry::Kind::ptx) {
        add_variables(contents(entry), names);
        any = true;
      }
  } catch (const Error&) {
    return std::nullopt; // invalid: loading the image reports the error
  }
  if (!any) return std::nullopt;
  return names;
}

} // namespace tasuki::remote
