#include <remote/link/host.hpp>

#include <charconv>
#include <set>
#include <string_view>

#include <tasuki/base/error.hpp>

namespace tasuki::remote {

namespace {

const char* const kForm =
    "hosts are given as a, a:2 (two devices), a[0,3] (these), a@7500 (port) or /path (unix socket)";

int number(std::string_view text, const std::string& whole, int most) {
  int value = -1;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size() || value < 0 || value > most)
    throw Error("--hosts: '" + whole + "' has no number where '" + std::string(text) + "' stands", kForm);
  return value;
}

// Splits at commas outside of brackets.
std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> found(1);
  bool inside = false;
  for (const char c : text) {
    if (c == '[') inside = true;
    if (c == ']') inside = false;
    if (c == ',' && !inside)
      found.emplace_back();
    else
      found.back() += c;
  }
  return found;
}

Host parse_host(const std::string& word) {
  Host host;
  std::string_view rest = word;
  if (const auto open = rest.find('['); open != std::string_view::npos) {
    if (rest.back() != ']') throw Error("--hosts: '" + word + "' has a bracket that is not closed", kForm);
    for (const std::string& item : words(std::string(rest.substr(open + 1, rest.size() - open - 2))))
      host.devices.push_back(number(item, word, 65535));
    rest = rest.substr(0, open);
  } else if (const auto colon = rest.rfind(':'); colon != std::string_view::npos) {
    host.count = number(rest.substr(colon + 1), word, 65535);
    if (host.count == 0) throw Error("--hosts: '" + word + "' asks for no device", kForm);
    rest = rest.substr(0, colon);
  }
  if (!rest.empty() && rest.front() == '/') {
    host.path = rest;
    return host;
  }
  if (const auto at = rest.find('@'); at != std::string_view::npos) {
    host.port = static_cast<std::uint16_t>(number(rest.substr(at + 1), word, 65535));
    rest = rest.substr(0, at);
  }
  host.name = rest;
  if (host.name.empty()) throw Error("--hosts: '" + word + "' has no name", kForm);
  return host;
}

} // namespace

std::string Host::shown() const {
  if (!path.empty()) return path;
  return port == kDefaultPort ? name : name + "@" + std::to_string(port);
}

std::vector<Host> parse_hosts(const std::string& text) {
  std::vector<Host> hosts;
  std::set<std::string> seen;
  for (const std::string& word : words(text)) {
    hosts.push_back(parse_host(word));
    if (!seen.insert(hosts.back().shown()).second)
      throw Error("--hosts names " + hosts.back().shown() + " twice",
                  "name it once: a:2 or a[0,3] chooses its devices");
  }
  return hosts;
}

} // namespace tasuki::remote
