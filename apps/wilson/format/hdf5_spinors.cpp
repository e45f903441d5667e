#include <apps/wilson/format/hdf5_spinors.hpp>

#include <apps/wilson/format/links.hpp>
#include <apps/wilson/format/numbers.hpp>
#include <apps/wilson/format/spinor_records.hpp>
#include <apps/wilson/format/text.hpp>
#include <apps/wilson/lattice/su3.hpp>
#include <tasuki/base/gather.hpp>
#include <tasuki/base/on_all.hpp>
#include <tasuki/file/array_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace tasuki::wilson {
namespace {

constexpr const char* kBasis = "gamma_basis";
constexpr const char* kFileBasis = "DeGrand-Rossi";
constexpr const char* kMemoryBasis = "non-relativistic";

CellArray array_of(const Lattice& lattice, std::size_t fields) {
  if (fields == kColumns)
    return {.name = "propagator",
            .extents = index_of(lattice),
            .cell = {kSpins, kColours, kSpins, kColours},
            .axes = {"t", "z", "y", "x", "sink_spin", "sink_colour", "source_spin", "source_colour"}};
  return {.name = "spinor",
          .extents = index_of(lattice),
          .cell = {kSpins, kColours},
          .axes = {"t", "z", "y", "x", "spin", "colour"}};
}

// The index, in a site of the file, of real `k` (spin, colour, re or im) of a column.
std::size_t place_of_real(std::size_t fields, std::size_t column, std::size_t k) {
  return (k / 2 * fields + column) * 2 + k % 2;
}

void check_shape(const Lattice& lattice, const std::string& path, const CellArray& array,
                 const ArrayInfo& info) {
  const std::vector<long> wanted = array.shape(kAxes);
  if (info.shape.size() != wanted.size() ||
      !std::equal(wanted.begin() + kAxes, wanted.end(), info.shape.begin() + kAxes))
    return; // read_array() reports the error
  std::array<long, kAxes> extents{};
  std::reverse_copy(info.shape.begin(), info.shape.begin() + kAxes, extents.begin());
  if (extents == lattice.extents()) return;
  throw Error(fmt::format("{} holds a lattice of {} sites, not {}", path, extents_text(extents),
                          extents_text(lattice.extents())),
              "ask for that lattice, or give another file");
}

bool is_in_file_basis(const std::string& path, const ArrayInfo& info) {
  const auto basis = info.texts.find(kBasis);
  if (basis == info.texts.end() || basis->second == kFileBasis) return true;
  if (basis->second == kMemoryBasis) return false;
  throw Error(fmt::format("{} has the {} '{}'", path, kBasis, basis->second),
              fmt::format("give one of {} or {}", kFileBasis, kMemoryBasis));
}

} // namespace

bool is_hdf5_name(const std::string& path) { return path.ends_with(".h5") || path.ends_with(".hdf5"); }

bool is_hdf5_file(World& world, const std::string& path) {
  if (is_hdf5_name(path)) return true;
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
  bool told = false;
  on_root(world, [&] { told = read_bytes(path, 0, kSignature.size()) == kSignature; });
  return of_root(world, static_cast<long>(told)) != 0;
}

void write_hdf5(const Lattice& lattice, const std::string& path, const Columns& columns,
                const SpinorOptions& options, void (*before)(double*)) {
  CellArray array = array_of(lattice, columns.size());
  array.type = options.number_bytes == 4 ? ValueType::c64 : ValueType::c128;
  array.attributes = options.attributes;
  array.attributes[kBasis] = std::string(options.change_basis ? kFileBasis : kMemoryBasis);
  array.attributes["lattice"] = std::vector<long>(lattice.extents().begin(), lattice.extents().end());
  array.attributes["note"] = options.note;
  const std::size_t bytes = array.cell_bytes(), fields = columns.size();
  write_array(lattice.world(), path, array, lattice.owned(), [&](CellPiece& piece) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < piece.places.size(); ++i) {
      double reals[kPropagatorReals], site[kPropagatorReals];
      const std::size_t at = (static_cast<std::size_t>(piece.first) + i) * kSpinorReals;
      for (std::size_t c = 0; c < fields; ++c)
        std::copy_n(&columns[c][at], kSpinorReals, reals + c * kSpinorReals);
      if (before) before(reals);
      for (std::size_t c = 0; c < fields; ++c)
        for (std::size_t k = 0; k < kSpinorReals; ++k)
          site[place_of_real(fields, c, k)] = reals[c * kSpinorReals + k];
      encode(site, &piece.bytes[i * bytes], static_cast<long>(fields * kSpinorReals), options.number_bytes,
             false);
    }
  });
}

Columns read_hdf5(const Lattice& lattice, const std::string& path, std::size_t fields, bool& in_file_basis) {
  CellArray array = array_of(lattice, fields);
  Columns columns(fields);
  on_all(lattice.world(), [&] {
    const ArrayInfo info = inspect_array(path, array.name);
    check_shape(lattice, path, array, info);
    in_file_basis = is_in_file_basis(path, info);
    if (info.type == ValueType::c64) array.type = info.type; // the checksum is that of the original type
    for (std::vector<double>& column : columns)
      column.resize(static_cast<std::size_t>(lattice.owned_sites()) * kSpinorReals);
  });
  const std::size_t bytes = array.cell_bytes();
  const int number_bytes = static_cast<int>(array.number_bytes() / 2);
  read_array(lattice.world(), path, array, lattice.owned(), [&](const CellPiece& piece) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < piece.places.size(); ++i) {
      double site[kPropagatorReals];
      decode(&piece.bytes[i * bytes], site, static_cast<long>(fields * kSpinorReals), number_bytes, false);
      const std::size_t at = (static_cast<std::size_t>(piece.first) + i) * kSpinorReals;
      for (std::size_t c = 0; c < fields; ++c)
        for (std::size_t k = 0; k < kSpinorReals; ++k) columns[c][at + k] = site[place_of_real(fields, c, k)];
    }
  });
  return columns;
}

} // namespace tasuki::wilson
