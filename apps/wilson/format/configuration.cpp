#include <apps/wilson/format/configuration.hpp>

#include <apps/wilson/format/examine.hpp>
#include <apps/wilson/format/ildg.hpp>
#include <apps/wilson/format/lime.hpp>
#include <apps/wilson/format/links.hpp>
#include <apps/wilson/format/milc.hpp>
#include <apps/wilson/format/nersc.hpp>
#include <apps/wilson/format/openqcd.hpp>
#include <apps/wilson/format/text.hpp>
#include <tasuki/base/on_all.hpp>

#include <fmt/format.h>

#include <cmath>

namespace tasuki::wilson {
namespace {

// A reader of a format. Writers are in writing.cpp.
struct Reader {
  Format format;
  const char* name;
  bool (*matches)(const std::string& head);
  GaugeInfo (*inspect)(const std::string& path);
  SumKind sum;
  const char* sums; // name of the checksum in errors
};

constexpr std::size_t kHead = 64; // bytes by which the format is recognised

const Reader kReaders[] = {
    {Format::nersc, "NERSC", is_nersc, inspect_nersc, SumKind::words, "checksum"},
    {Format::ildg, "ILDG", is_lime, inspect_ildg, SumKind::scidac, "SciDAC checksum"},
    {Format::milc, "MILC", is_milc, inspect_milc, SumKind::milc, "checksum"},
    {Format::openqcd, "openQCD", is_openqcd, inspect_openqcd, SumKind::none, ""},
};

const Reader& reader_of(Format format) {
  for (const Reader& reader : kReaders)
    if (reader.format == format) return reader;
  throw Error("a format of files that nothing is known of", "use one of those that can be read");
}

std::uint64_t bytes_needed(const GaugeInfo& info) {
  std::uint64_t bytes = link_bytes(info);
  for (const long extent : info.extents) bytes *= static_cast<std::uint64_t>(extent);
  return bytes;
}

// For a file with known extents: a LIME record must have exactly the length for them; other files may be longer.
void check_length(const std::string& path, GaugeInfo& info, std::uint64_t size) {
  const std::uint64_t needed = bytes_needed(info);
  if (info.bytes == 0 ? size < info.offset + needed : info.bytes != needed)
    throw Error(fmt::format("{} is cut short or damaged: links of {} sites are {} bytes, and it has {}", path,
                            extents_text(info.extents), needed,
                            info.bytes ? info.bytes : size - std::min(size, info.offset)),
                "copy it again from where it is whole");
  info.bytes = needed;
}

void check_extents(const std::string& path, const GaugeInfo& info) {
  for (std::size_t a = 0; a < 4; ++a)
    if (info.extents[a] < 2 || info.extents[a] % 2 != 0)
      throw Error(fmt::format("{} holds a lattice of {} sites, odd along {}", path,
                              extents_text(info.extents), "xyzt"[a]),
                  "give one of an even number of sites along each axis");
}

// Compares the file's links with the lattice that is read.
void fit(const std::string& path, GaugeInfo& info, const Lattice& lattice) {
  if (info.knows_extents()) {
    if (info.extents == lattice.extents()) return;
    throw Error(fmt::format("{} holds a lattice of {} sites, not {}", path, extents_text(info.extents),
                            extents_text(lattice.extents())),
                "ask for that lattice, or give another file");
  }
  info.extents = lattice.extents();
  for (const int bytes : {4, 8}) {
    info.number_bytes = bytes;
    if (bytes_needed(info) == info.bytes) return;
  }
  throw Error(
      fmt::format("{} has {} bytes of links and does not say of which lattice; {} sites have {} or {}", path,
                  info.bytes, extents_text(info.extents), bytes_needed(info) / 2, bytes_needed(info)),
      "give the extents of the lattice that it holds");
}

void check_measured(const GaugeInfo& info, const std::string& path, const char* what,
                    const std::optional<double>& header, double measured) {
  if (!header || std::abs(*header - measured) <= info.tolerance()) return;
  throw Error(
      fmt::format("the {} of {} is {:.10f}, and its header says {:.10f}", what, path, measured, *header),
      "use another copy of the file");
}

void check(const std::string& path, const Reader& reader, const Lattice& lattice, const GaugeInfo& info,
           const Findings& found, double bound) {
  if (reader.sum != SumKind::none && info.checksum && *info.checksum != found.sum)
    throw Error(fmt::format("the links of {} have {} {}, and the file says {}", path, reader.sums,
                            sum_text(reader.sum, found.sum), sum_text(reader.sum, *info.checksum)),
                "copy it again from where it is whole");
  if (found.infinite)
    throw Error(fmt::format("{} of {} holds a number that is not finite",
                            link_text(lattice, found.infinite->number), path),
                "use another copy of the file");
  if (found.not_su3)
    throw Error(fmt::format("{} of {} is no matrix of SU(3): off by {:.2g}, and {:.2g} at most is let pass",
                            link_text(lattice, found.not_su3->number), path, found.not_su3->off, bound),
                "use another copy of the file, or let more pass by --unitarity");
  check_measured(info, path, "link trace", info.link_trace, found.link_trace);
}

} // namespace

const char* name_of(Format format) { return reader_of(format).name; }

GaugeInfo inspect_configuration(const std::string& path) {
  const std::uint64_t size = file_size(path);
  const std::string head = read_bytes(path, 0, kHead);
  for (const Reader& reader : kReaders) {
    if (!reader.matches(head)) continue;
    GaugeInfo info = reader.inspect(path);
    if (!info.knows_extents()) return info;
    check_extents(path, info);
    check_length(path, info, size);
    return info;
  }
  throw Error(path + " is of no format that is known here",
              "give a configuration of NERSC, ILDG (LIME), MILC or openQCD");
}

Configuration read_configuration(const Lattice& lattice, const std::string& path,
                                 const ReadOptions& options) {
  Configuration conf;
  Sum sum{};
  on_all(lattice.world(), [&] {
    conf.info = inspect_configuration(path);
    fit(path, conf.info, lattice);
    if (conf.info.format == Format::openqcd)
      read_openqcd(path, conf.info, lattice, conf.links);
    else
      sum = read_links(path, conf.info, lattice, reader_of(conf.info.format).sum, conf.links);
  });
  const Reader& reader = reader_of(conf.info.format);
  const double bound = options.unitarity.value_or(conf.info.number_bytes == 4 ? 1e-5 : 1e-8);
  const Findings found = examine_links(lattice, conf.links, bound, reader.sum, sum);
  conf.link_trace = found.link_trace;
  conf.unitarity = found.deviation;
  check(path, reader, lattice, conf.info, found, bound);
  return conf;
}

void check_plaquette(const GaugeInfo& info, const std::string& path, double measured) {
  check_measured(info, path, "plaquette", info.plaquette, measured);
}

} // namespace tasuki::wilson
