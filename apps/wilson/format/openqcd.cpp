#include <apps/wilson/format/openqcd.hpp>

#include <apps/wilson/format/numbers.hpp>
#include <apps/wilson/lattice/su3.hpp>
#include <tasuki/file/site_file.hpp>

#include <fcntl.h>

#include <cerrno>
#include <cmath>

namespace tasuki::wilson {
namespace {

constexpr std::size_t kHeader = 24, kPlaquetteAt = 16;
constexpr long kLongest = 4096; // the largest extent of a valid header
constexpr std::size_t kMatrixBytes = 8 * kMatrixReals;
constexpr std::size_t kSiteBytes = 8 * kMatrixBytes; // per odd site
constexpr int kAxisOf[kAxes] = {3, 0, 1, 2};         // t, x, y, z
constexpr bool kSwapped = !kLittleHere;

std::array<long, kAxes> extents_of(const std::string& head) {
  std::array<long, kAxes> extents{};
  for (std::size_t k = 0; k < kAxes; ++k)
    extents[kAxisOf[k]] = static_cast<std::int32_t>(word_at<std::uint32_t>(head.data() + 4 * k, kSwapped));
  return extents;
}

double plaquette_of(const std::string& head) {
  double sum = 0;
  decode(head.data() + kPlaquetteAt, &sum, 1, 8, kSwapped);
  return sum / kColours;
}

using Site = std::array<long, kAxes>;

// The position of a site's links in this rank's memory; null for a site of another rank.
double* links_at(const Box& box, const Site& site, std::vector<double>& links) {
  long number = 0;
  for (int a = kAxes - 1; a >= 0; --a) {
    if (site[a] < box.lo[a] || site[a] >= box.hi[a]) return nullptr;
    number = number * box.extent(a) + site[a] - box.lo[a];
  }
  return &links[static_cast<std::size_t>(number * kAxes * kMatrixReals)];
}

// Stores those of the eight links of an odd site that belong to this rank.
void scatter(const char* bytes, const Site& site, const Site& extents, const Box& box,
             std::vector<double>& links) {
  for (std::size_t k = 0; k < kAxes; ++k) {
    const int mu = kAxisOf[k];
    Site behind = site;
    behind[mu] = (site[mu] + extents[mu] - 1) % extents[mu];
    const char* link = bytes + 2 * k * kMatrixBytes;
    if (double* to = links_at(box, site, links))
      decode(link, to + mu * kMatrixReals, kMatrixReals, 8, kSwapped);
    if (double* to = links_at(box, behind, links))
      decode(link + kMatrixBytes, to + mu * kMatrixReals, kMatrixReals, 8, kSwapped);
  }
}

// True if the odd sites at this coordinate have links of the box: within the box, or next to it.
bool is_needed(const Box& box, int axis, long at, long extent) {
  return (at >= box.lo[axis] && at < box.hi[axis]) || at == box.hi[axis] % extent;
}

} // namespace

bool is_openqcd(const std::string& head) {
  if (head.size() < kHeader) return false;
  for (const long extent : extents_of(head))
    if (extent < 2 || extent > kLongest) return false;
  return std::abs(plaquette_of(head)) <= 1 + 1e-9; // false for NaN
}

GaugeInfo inspect_openqcd(const std::string& path) {
  const std::string head = read_bytes(path, 0, kHeader);
  GaugeInfo info{
      .format = Format::openqcd, .extents = extents_of(head), .swapped = kSwapped, .offset = kHeader};
  info.plaquette = plaquette_of(head);
  return info;
}

void read_openqcd(const std::string& path, const GaugeInfo& info, const Lattice& lattice,
                  std::vector<double>& links) {
  links.resize(static_cast<std::size_t>(lattice.owned_sites() * kAxes * kMatrixReals));
  const Box box = lattice.owned();
  const Site n = lattice.extents();
  const Descriptor file(path, O_RDONLY);
  if (file.get() < 0) throw_read_error(path, errno);
  const std::size_t line_bytes = static_cast<std::size_t>(n[2] / 2) * kSiteBytes; // odd sites along z
  std::vector<char> plane(static_cast<std::size_t>(n[1]) * line_bytes);           // for one t and x
  for (long t = 0; t < n[3]; ++t)
    for (long x = 0; x < n[0]; ++x) {
      if (!is_needed(box, 3, t, n[3]) || !is_needed(box, 0, x, n[0])) continue;
      read_at(file.get(), plane.data(), plane.size(),
              info.offset + static_cast<std::uint64_t>(t * n[0] + x) * plane.size(), path);
#pragma omp parallel for schedule(static)
      for (long y = 0; y < n[1]; ++y)
        for (long k = 0; k < n[2] / 2; ++k) {
          const long z = 2 * k + ((x + y + t + 1) & 1);
          scatter(&plane[static_cast<std::size_t>(y) * line_bytes + static_cast<std::size_t>(k) * kSiteBytes],
                  {x, y, z, t}, n, box, links);
        }
    }
}

} // namespace tasuki::wilson
