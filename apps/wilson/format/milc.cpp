#include <apps/wilson/format/milc.hpp>

#include <apps/wilson/format/numbers.hpp>
#include <apps/wilson/format/text.hpp>
#include <tasuki/base/error.hpp>
#include <tasuki/file/site_file.hpp>

#include <fmt/format.h>

namespace tasuki::wilson {
namespace {

constexpr std::uint32_t kMagic = 20103;
constexpr std::size_t kHeader = 96, kExtentsAt = 4, kOrderAt = 84, kSumsAt = 88;

} // namespace

bool is_milc(const std::string& head) {
  if (head.size() < 4) return false;
  const auto magic = word_at<std::uint32_t>(head.data(), false);
  return magic == kMagic || other_order(magic) == kMagic;
}

GaugeInfo inspect_milc(const std::string& path) {
  const std::string head = read_bytes(path, 0, kHeader);
  if (head.size() < kHeader)
    throw Error(path + " is cut short: its header has no end", "copy it again from where it is whole");
  GaugeInfo info{.format = Format::milc, .number_bytes = 4};
  info.swapped = word_at<std::uint32_t>(head.data(), false) != kMagic;
  const auto word = [&](std::size_t at) { return word_at<std::uint32_t>(head.data() + at, info.swapped); };
  for (std::size_t a = 0; a < 4; ++a)
    info.extents[a] = parse_extent(std::to_string(word(kExtentsAt + 4 * a)), path);
  if (word(kOrderAt) != 0)
    throw Error(fmt::format("{} has its sites in order {}", path, word(kOrderAt)),
                "write it with sites in natural order");
  info.checksum = {word(kSumsAt), word(kSumsAt + 4)};
  info.offset = kHeader;
  return info;
}

} // namespace tasuki::wilson
