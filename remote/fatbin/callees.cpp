#include <remote/fatbin/callees.hpp>
#include <remote/fatbin/image.hpp>
#include <remote/fatbin/words.hpp>

#include <tasuki/base/error.hpp>

namespace tasuki::remote {
namespace {

// True for "call.uni (retval0), malloc, (param0);", false for ".extern .func (..) malloc (..);".
bool text_calls(const std::string& text, const std::string& name) {
  if (text.find(name) == std::string::npos) return false;
  Words words(text);
  bool call = false;
  for (std::string word = words.next(); !word.empty(); word = words.next()) {
    if (word == ";" || word == "{" || word == "}") call = false;
    if (word == "call") call = true;
    if (call && word == name) return true;
  }
  return false;
}

} // namespace

bool calls_function(const void* image, std::size_t bytes, const std::string& name) {
  const View view{static_cast<const unsigned char*>(image), bytes};
  const std::string begin(static_cast<const char*>(image), std::min<std::size_t>(bytes, 4));
  if (begin ==
      "\x7f"
      "ELF")
    return false;
  if (begin != "\x50\xed\x55\xba") return text_calls({static_cast<const char*>(image), bytes}, name);
  try {
    for (const Entry& entry : entries(view))
      if (entry.kind == Entry::Kind::ptx && text_calls(contents(entry), name)) return true;
  } catch (const Error&) {
    // an invalid image
  }
  return false;
}

} // namespace tasuki::remote
