#include <remote/link/host.hpp>
#include <remote/link/setting.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <string_view>

#include <tasuki/base/error.hpp>

namespace tasuki::remote {

namespace {

const char* const kForm =
    "hosts are given as a, a:2 (two devices), a[0,3] (these), a@7500 (port) or /path (unix socket)";

// A word of --hosts, and where it stands: "--hosts", or "b.hosts, line 3".
struct Word {
  std::string text, where;
  Error error(const std::string& what) const { return Error(where + ": '" + text + "' " + what, kForm); }
};

int number(std::string_view text, const Word& whole, int most) {
  std::uint64_t value = 0;
  if (!read_whole(text, value) || value > static_cast<std::uint64_t>(most))
    throw whole.error("has no number where '" + std::string(text) + "' stands");
  return static_cast<int>(value);
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

// A line a host; # begins a comment.
std::vector<Word> words_of_file(const std::string& path) {
  std::ifstream file(path);
  if (!file)
    throw Error("--hosts: the file " + path + " cannot be read (" + std::strerror(errno) + ")",
                "name another");
  std::vector<Word> found;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    line.erase(std::min(line.find('#'), line.size()));
    const auto begin = line.find_first_not_of(" \t\r"), end = line.find_last_not_of(" \t\r");
    if (begin == std::string::npos) continue;
    Word word{line.substr(begin, end + 1 - begin), path + ", line " + std::to_string(number)};
    if (words(word.text).size() > 1 || word.text.find_first_of(" \t") != std::string::npos)
      throw word.error("is more than one host");
    found.push_back(std::move(word));
  }
  if (found.empty()) throw Error("--hosts: the file " + path + " names no host", "write one on each line");
  return found;
}

std::vector<Word> words_of(const std::string& text) {
  if (!text.empty() && text.front() == '@') return words_of_file(text.substr(1));
  std::vector<Word> found;
  for (const std::string& word : words(text)) found.push_back({word, "--hosts"});
  return found;
}

Host parse_host(const Word& word) {
  Host host;
  std::string_view rest = word.text;
  if (const auto open = rest.find('['); open != std::string_view::npos) {
    if (rest.back() != ']') throw word.error("has a bracket that is not closed");
    for (const std::string& item : words(std::string(rest.substr(open + 1, rest.size() - open - 2))))
      host.devices.push_back(number(item, word, 65535));
    rest = rest.substr(0, open);
  } else if (const auto colon = rest.rfind(':'); colon != std::string_view::npos) {
    host.count = number(rest.substr(colon + 1), word, 65535);
    if (host.count == 0) throw word.error("asks for no device");
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
  if (host.name.empty()) throw word.error("has no name");
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
  for (const Word& word : words_of(text)) {
    hosts.push_back(parse_host(word));
    if (!seen.insert(hosts.back().shown()).second)
      throw Error(word.where + " names " + hosts.back().shown() + " twice",
                  "name it once: a:2 or a[0,3] chooses its devices");
  }
  return hosts;
}

} // namespace tasuki::remote
