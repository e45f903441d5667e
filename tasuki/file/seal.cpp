#include <tasuki/file/seal.hpp>

#ifdef TASUKI_HAVE_HDF5
#include <tasuki/base/error.hpp>
#include <tasuki/file/integrity.hpp>

#include <fmt/format.h>

namespace tasuki {
namespace {

const std::string kLine = ",\n  \"xxh3\": \"";

std::string with_seal(const std::string& body) {
  return fmt::format("{}{}{:016x}\"\n}}\n", body, kLine, hash_bytes(body.data(), body.size(), 0));
}

} // namespace

std::string sealed(const std::string& text) {
  const std::size_t end = text.find_last_of('}');
  const std::size_t last = end == std::string::npos || end == 0 ? end : text.find_last_not_of(" \n", end - 1);
  if (last == std::string::npos || text[last] == '{') return text; // not an object, or an empty one
  return with_seal(text.substr(0, last + 1));
}

bool check_seal(const std::string& path, const std::string& text) {
  const std::size_t body = text.rfind(kLine);
  if (body == std::string::npos) return false;
  if (with_seal(text.substr(0, body)) != text)
    throw Error(path + " was altered since it was written",
                "use a copy of it; where it was changed on purpose, take its line \"xxh3\" away");
  return true;
}

} // namespace tasuki

#else
namespace tasuki {

std::string sealed(const std::string& text) { return text; }
bool check_seal(const std::string&, const std::string&) { return true; }

} // namespace tasuki
#endif
