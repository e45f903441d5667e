#include <tasuki/job/size.hpp>

#include <tasuki/base/settings.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tasuki::job {
namespace {

constexpr long kMost = 1L << 30; // the index of a cell is an int

} // namespace

std::vector<long> parse_size(const std::string& text, const std::string& option, const Sizes& sizes) {
  std::string names;
  for (const auto& [name, extents] : sizes.named) {
    if (name == text) return extents;
    names += name + ", ";
  }
  const char* example[] = {"512x512", "512", "512x512", "256x128x128", "8x8x8x16"};
  const std::string mend = fmt::format(
      "write it as {}{}: {}", names,
      sizes.example.empty() ? example[sizes.axes < 5 ? sizes.axes : 0] : sizes.example, sizes.counts);
  std::vector<long> extents;
  try {
    extents = parse_extents(text, option, sizes.least);
  } catch (const Error&) {
    throw Error(fmt::format("{} is no size: whole numbers of {} or more", quoted(option, text), sizes.least),
                mend);
  }
  if (extents.size() == 1 && sizes.axes > 0) extents.assign(sizes.axes, extents.front());
  if (sizes.axes > 0 ? extents.size() != sizes.axes : extents.size() > 4)
    throw Error(fmt::format("{} has {} axes", quoted(option, text), extents.size()), mend);
  if (std::any_of(extents.begin(), extents.end(), [](long n) { return n > kMost; }))
    throw Error(fmt::format("{} has more than {} along an axis", quoted(option, text), kMost), "use fewer");
  double cells = 1;
  for (const long n : extents) cells *= static_cast<double>(n);
  if (cells > 1e18) throw Error(quoted(option, text) + " is more cells than can be counted", "use fewer");
  return extents;
}

std::string size_text(const std::vector<long>& extents, const Sizes& sizes) {
  for (const auto& [name, named] : sizes.named)
    if (named == extents) return name;
  return fmt::format("{}", fmt::join(extents, "x"));
}

Option add_size(OptionParser& options, const Sizes& sizes,
                std::function<void(const std::vector<long>& extents)> take, const std::string& usual) {
  std::string what = sizes.counts;
  if (sizes.axes != 0) what += ", or one number for all";
  if (!sizes.named.empty())
    what += fmt::format("; {} is {}", sizes.named.front().first, size_text(sizes.named.front().second));
  for (std::size_t k = 1; k < sizes.named.size(); ++k)
    what += fmt::format(", {} {}", sizes.named[k].first, size_text(sizes.named[k].second));
  const auto parse = [take = std::move(take), sizes](const std::string& text, const std::string& option) {
    take(parse_size(text, option, sizes));
  };
  const std::string names = "--size,--extents" + (sizes.older.empty() ? "" : "," + sizes.older);
  return options.add(names, parse, what, "XxY..").usual(usual);
}

} // namespace tasuki::job
