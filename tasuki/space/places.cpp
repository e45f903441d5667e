#include <tasuki/space/places.hpp>

#include <tasuki/base/gather.hpp>

#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sstream>
#include <tuple>

namespace tasuki::space {
namespace {

struct Found {
  std::uintptr_t code;
  std::string module;
  std::uintptr_t offset;
};

std::string own_program() {
  std::array<char, 4096> path{};
  const ssize_t count = readlink("/proc/self/exe", path.data(), path.size() - 1);
  return count > 0 ? std::string(path.data(), static_cast<std::size_t>(count)) : "";
}

// The file that an instruction was loaded from, and where it lies in that.
Found find(std::uintptr_t code) {
  Found found{code, "", code};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& to = *static_cast<Found*>(data);
        for (int k = 0; k < info->dlpi_phnum; ++k) {
          const auto& part = info->dlpi_phdr[k];
          const std::uintptr_t first = info->dlpi_addr + part.p_vaddr;
          if (part.p_type != PT_LOAD || to.code < first || to.code >= first + part.p_memsz) continue;
          to.module = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : own_program();
          to.offset = to.code - info->dlpi_addr;
          return 1;
        }
        return 0;
      },
      &found);
  return found;
}

std::string last_part(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::string quoted(const std::string& path) {
  std::string text = "'";
  for (const char c : path) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// What a command prints, by lines; none where there is no such command.
std::vector<std::string> lines_of(const std::string& command) {
  std::vector<std::string> lines;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> from(popen(command.c_str(), "r"), pclose);
  std::array<char, 4096> line{};
  while (from && std::fgets(line.data(), static_cast<int>(line.size()), from.get())) {
    lines.emplace_back(line.data());
    while (!lines.back().empty() && lines.back().back() == '\n') lines.back().pop_back();
  }
  return lines;
}

} // namespace

void Places::add(const std::string& array, std::uintptr_t code, std::uint64_t pages, std::uint64_t ns) {
  const std::lock_guard lock(mutex_);
  Sum& sum = sums_[{array, code}];
  ++sum.touches;
  sum.pages += pages;
  sum.ns += ns;
}

std::vector<Place> Places::list() const {
  const std::lock_guard lock(mutex_);
  std::vector<Place> all;
  for (const auto& [key, sum] : sums_) {
    const Found found = find(key.second);
    all.push_back({key.first, found.module, found.offset, sum.touches, sum.pages,
                   static_cast<double>(sum.ns) * 1e-9, ""});
  }
  return all;
}

std::vector<Place> together(World& world, const Places& mine, std::size_t most) {
  std::string text;
  for (const Place& place : mine.list())
    text += fmt::format("{}\n{}\n{} {} {} {}\n", place.array, place.module, place.offset, place.touches,
                        place.pages, place.seconds);
  std::map<std::tuple<std::string, std::string, std::uint64_t>, Place> sums;
  for (const std::vector<char>& piece : gather_on_root(world, {text.begin(), text.end()})) {
    std::istringstream from(std::string(piece.begin(), piece.end()));
    Place one;
    while (std::getline(from, one.array) && std::getline(from, one.module) &&
           from >> one.offset >> one.touches >> one.pages >> one.seconds) {
      from.ignore();
      Place& sum = sums.try_emplace({one.array, one.module, one.offset},
                                    Place{one.array, one.module, one.offset, 0, 0, 0, ""})
                       .first->second;
      sum.touches += one.touches;
      sum.pages += one.pages;
      sum.seconds += one.seconds;
    }
  }
  std::vector<Place> all;
  for (auto& [key, place] : sums) all.push_back(std::move(place));
  std::stable_sort(all.begin(), all.end(), [](const Place& a, const Place& b) {
    return a.array != b.array ? a.array < b.array : a.seconds > b.seconds;
  });
  std::map<std::string, std::size_t> taken;
  std::erase_if(all, [&](const Place& place) { return ++taken[place.array] > most; });
  return all;
}

void name_lines(std::vector<Place>& places) {
  std::map<std::string, std::vector<Place*>> by_module;
  for (Place& place : places) {
    place.line = place.module.empty() ? "a place in no file"
                                      : fmt::format("{}+{:#x}", last_part(place.module), place.offset);
    if (!place.module.empty()) by_module[place.module].push_back(&place);
  }
  for (const auto& [module, all] : by_module) {
    std::string command = "addr2line -f -C -e " + quoted(module);
    for (const Place* place : all) command += fmt::format(" {:#x}", place->offset);
    const std::vector<std::string> told = lines_of(command + " 2>/dev/null"); // two lines each
    for (std::size_t k = 0; k < all.size() && 2 * k + 1 < told.size(); ++k) {
      const std::string& function = told[2 * k];
      std::string line = told[2 * k + 1];
      line = line.substr(0, line.find(" (discriminator"));
      if (line.rfind("??", 0) != 0 && line.find(":?") == std::string::npos)
        all[k]->line = fmt::format("{} ({})", last_part(line), function);
      else if (function != "??")
        all[k]->line = fmt::format("{} in {}", function, last_part(module));
    }
  }
}

void Fit::add(double more_pages, double more_seconds) {
  count += 1;
  pages += more_pages;
  seconds += more_seconds;
  squares += more_pages * more_pages;
  products += more_pages * more_seconds;
}

bool Fit::knows() const { return count * squares - pages * pages > 0.5; }

double Fit::once(double all_pages) const {
  const double slope = std::clamp((count * products - pages * seconds) / (count * squares - pages * pages),
                                  0.0, seconds / pages);
  return (seconds - slope * pages) / count + slope * all_pages;
}

} // namespace tasuki::space
