#include <tasuki/space/section.hpp>

#include <tasuki/base/error.hpp>

#include <algorithm>

namespace tasuki::space {

std::vector<Bytes> section(const std::vector<std::size_t>& whole, const std::vector<std::size_t>& part,
                           std::size_t element_bytes, std::uint64_t at) {
  if (whole.empty() || whole.size() != part.size() || element_bytes == 0)
    throw Error("a section has " + std::to_string(part.size()) + " extents and its array " +
                    std::to_string(whole.size()),
                "give one or more, equally many for both, and elements of a byte or more");
  if (at % element_bytes != 0)
    throw Error("a section begins " + std::to_string(at % element_bytes) + " bytes within an element",
                "let it begin at the address of an element");
  const std::size_t axes = whole.size();
  std::vector<std::uint64_t> stride(axes, element_bytes); // bytes from index to index
  for (std::size_t a = axes; a-- > 1;) stride[a - 1] = stride[a] * whole[a];
  std::uint64_t rest = at;
  for (std::size_t a = 0; a < axes; ++a) {
    const std::uint64_t from = rest / stride[a];
    rest %= stride[a];
    if (part[a] == 0) return {};
    if (from + part[a] > whole[a] || from + part[a] < from)
      throw Error("a section has elements " + std::to_string(from) + " to " +
                      std::to_string(from + part[a] - 1) + " of axis " + std::to_string(a) + ", which has " +
                      std::to_string(whole[a]),
                  "let it end within its array");
  }
  // Axes behind `cut` are whole, so all of them and the part of `cut` itself are one run.
  std::size_t cut = axes - 1;
  while (cut > 0 && part[cut] == whole[cut]) --cut;
  std::vector<Bytes> runs;
  std::vector<std::size_t> index(cut, 0);
  for (;;) {
    std::uint64_t from = at;
    for (std::size_t a = 0; a < cut; ++a) from += index[a] * stride[a];
    const std::uint64_t count = part[cut] * stride[cut];
    if (!runs.empty() && runs.back().at + runs.back().count == from)
      runs.back().count += count;
    else
      runs.push_back({from, count});
    std::size_t a = cut;
    while (a > 0 && ++index[a - 1] == part[a - 1]) index[--a] = 0;
    if (a == 0) return runs;
  }
}

std::string indices_text(const std::vector<long>& extents, std::size_t element_bytes, std::uint64_t at) {
  std::string text;
  std::uint64_t element = at / element_bytes, stride = 1;
  for (const long extent : extents) stride *= static_cast<std::uint64_t>(extent);
  for (const long extent : extents) {
    stride /= static_cast<std::uint64_t>(extent);
    text += (text.empty() ? "" : ",") + std::to_string(element / stride);
    element %= stride;
  }
  return text;
}

std::vector<Bytes> pages_of(const std::vector<Bytes>& runs, std::size_t page_bytes) {
  std::vector<Bytes> pages;
  for (const Bytes& run : runs) {
    if (run.count == 0) continue;
    std::uint64_t first = run.at / page_bytes, end = (run.at + run.count - 1) / page_bytes + 1;
    if (!pages.empty()) first = std::max(first, pages.back().at + pages.back().count);
    if (first >= end) continue;
    if (!pages.empty() && pages.back().at + pages.back().count == first)
      pages.back().count += end - first;
    else
      pages.push_back({first, end - first});
  }
  return pages;
}

} // namespace tasuki::space
