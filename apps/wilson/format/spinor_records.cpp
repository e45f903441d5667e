#include <apps/wilson/format/spinor_records.hpp>

#include <apps/wilson/format/links.hpp>
#include <apps/wilson/format/numbers.hpp>
#include <apps/wilson/format/scidac.hpp>
#include <apps/wilson/format/text.hpp>
#include <apps/wilson/lattice/su3.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace tasuki::wilson {
namespace {

// The index of real `k` (spin, colour, re or im) of a column within a site of a propagator's record:
// [spin of sink][spin of source][colour of sink][colour of source][re, im].
std::size_t place_in_record(std::size_t column, std::size_t k) {
  const std::size_t source_spin = column / kColours, source_colour = column % kColours;
  const std::size_t spin = k / (2 * kColours), colour = k / 2 % kColours, part = k % 2;
  return (((spin * kSpins + source_spin) * kColours + colour) * kColours + source_colour) * 2 + part;
}

std::size_t place_of_real(const SpinorRecord& record, std::size_t column, std::size_t k) {
  return record.fields == 1 ? k : place_in_record(column, k);
}

void check_lattice(const std::string& path, const std::string& file, const Lattice& lattice) {
  if (file.empty() || parse_file_xml(file, path) == lattice.extents()) return;
  throw Error(fmt::format("{} holds a lattice of {} sites, not {}", path,
                          extents_text(parse_file_xml(file, path)), extents_text(lattice.extents())),
              "ask for that lattice, or give another file");
}

// Nothing if the record does not have spinors.
std::optional<SpinorRecord> spinors_of(const ScidacRecord& info) {
  if (!info.field || info.count != 1 || info.number_bytes == 0) return {};
  const auto reals = static_cast<std::size_t>(info.type_bytes / info.number_bytes);
  if (reals != kSpinorReals && reals != kPropagatorReals) return {};
  return SpinorRecord{.number_bytes = info.number_bytes, .fields = reals / kSpinorReals};
}

} // namespace

std::vector<SpinorRecord> find_spinors(const std::string& path, const Lattice& lattice) {
  const std::vector<LimeRecord> records = lime_records(path);
  std::vector<SpinorRecord> found;
  std::string file, xml;
  for (std::size_t r = 0; r < records.size(); ++r) {
    if (records[r].type == "scidac-private-file-xml") file = lime_text(path, records[r]);
    if (records[r].type == "scidac-private-record-xml") xml = lime_text(path, records[r]);
    if (records[r].type != "scidac-binary-data" || xml.empty()) continue;
    std::optional<SpinorRecord> record = spinors_of(parse_record(xml, path));
    if (!record) continue;
    check_lattice(path, file, lattice);
    const std::uint64_t needed = static_cast<std::uint64_t>(lattice.sites()) * record->site_bytes();
    if (records[r].bytes != needed)
      throw Error(fmt::format("a record of {} has {} bytes of spinors, and {} sites have {}", path,
                              records[r].bytes, extents_text(lattice.extents()), needed),
                  "copy it again from where it is whole");
    record->offset = records[r].offset;
    if (r + 1 < records.size() && records[r + 1].type == "scidac-checksum")
      record->checksum = parse_checksum(lime_text(path, records[r + 1]), path);
    found.push_back(*record);
  }
  return found;
}

Sum read_record(const std::string& path, const SpinorRecord& record, const Lattice& lattice, Columns& columns,
                std::size_t first) {
  for (std::size_t c = 0; c < record.fields; ++c)
    columns[first + c].resize(static_cast<std::size_t>(lattice.owned_sites()) * kSpinorReals);
  Sum sum{};
  const CellBytes cells{index_of(lattice), record.offset, record.site_bytes()};
  read_cells(path, cells, lattice.owned(), [&](const CellPiece& piece) {
    sum = combine(SumKind::scidac, sum, sum_of_piece(SumKind::scidac, piece, cells.bytes, kLittleHere));
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < piece.places.size(); ++i) {
      double site[kPropagatorReals];
      decode(&piece.bytes[i * cells.bytes], site, static_cast<long>(record.fields * kSpinorReals),
             record.number_bytes, kLittleHere);
      const std::size_t at = (static_cast<std::size_t>(piece.first) + i) * kSpinorReals;
      for (std::size_t c = 0; c < record.fields; ++c)
        for (std::size_t k = 0; k < kSpinorReals; ++k)
          columns[first + c][at + k] = site[place_of_real(record, c, k)];
    }
  });
  return sum;
}

Sum write_record(const std::string& name, const std::string& path, const SpinorRecord& record,
                 const Lattice& lattice, const Columns& columns, std::size_t first, void (*before)(double*)) {
  Sum sum{};
  const CellBytes cells{index_of(lattice), record.offset, record.site_bytes()};
  write_cells(name, path, cells, lattice.owned(), [&](CellPiece& piece) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < piece.places.size(); ++i) {
      double fields[kPropagatorReals], site[kPropagatorReals];
      const std::size_t at = (static_cast<std::size_t>(piece.first) + i) * kSpinorReals;
      for (std::size_t c = 0; c < record.fields; ++c)
        std::copy_n(&columns[first + c][at], kSpinorReals, fields + c * kSpinorReals);
      if (before) before(fields);
      for (std::size_t c = 0; c < record.fields; ++c)
        for (std::size_t k = 0; k < kSpinorReals; ++k)
          site[place_of_real(record, c, k)] = fields[c * kSpinorReals + k];
      encode(site, &piece.bytes[i * cells.bytes], static_cast<long>(record.fields * kSpinorReals),
             record.number_bytes, kLittleHere);
    }
    sum = combine(SumKind::scidac, sum, sum_of_piece(SumKind::scidac, piece, cells.bytes, kLittleHere));
  });
  return sum;
}

} // namespace tasuki::wilson
