#include <apps/wilson/format/links.hpp>

#include <apps/wilson/format/numbers.hpp>
#include <apps/wilson/lattice/su3.hpp>

namespace tasuki::wilson {
namespace {

constexpr long kLinkReals = kAxes * kMatrixReals;
constexpr long kRowReals = 2 * kColours;

void complete_row(double* link) {
  auto u = load_matrix<double>([&](int k) { return link[k]; });
  complete(u);
  store_matrix(u, [&](int k, double value) { link[k] = value; });
}

} // namespace

std::size_t link_bytes(const GaugeInfo& info) {
  return static_cast<std::size_t>(kAxes * info.rows * kRowReals * info.number_bytes);
}

Index index_of(const Lattice& lattice) {
  Index extents{};
  for (int a = 0; a < kAxes; ++a) extents[a] = lattice.extents()[a];
  return extents;
}

Sum read_links(const std::string& path, const GaugeInfo& info, const Lattice& lattice, SumKind kind,
               std::vector<double>& links) {
  links.resize(static_cast<std::size_t>(lattice.owned_sites() * kLinkReals));
  const std::size_t bytes = link_bytes(info), matrix_bytes = bytes / kAxes;
  const long kept = info.rows * kRowReals;
  Sum sum{};
  read_cells(path, {index_of(lattice), info.offset, bytes}, lattice.owned(), [&](const CellPiece& piece) {
    sum = combine(kind, sum, sum_of_piece(kind, piece, bytes, info.swapped));
#pragma omp parallel for schedule(static)
    for (std::size_t m = 0; m < piece.places.size() * kAxes; ++m) {
      double* link = &links[static_cast<std::size_t>(piece.first) * kLinkReals + m * kMatrixReals];
      decode(&piece.bytes[m * matrix_bytes], link, kept, info.number_bytes, info.swapped);
      if (info.rows == 2) complete_row(link);
    }
  });
  return sum;
}

Sum write_links(const std::string& name, const std::string& path, const GaugeInfo& info,
                const Lattice& lattice, SumKind kind, const std::vector<double>& links) {
  const std::size_t bytes = link_bytes(info), matrix_bytes = bytes / kAxes;
  const long kept = info.rows * kRowReals;
  Sum sum{};
  write_cells(name, path, {index_of(lattice), info.offset, bytes}, lattice.owned(), [&](CellPiece& piece) {
#pragma omp parallel for schedule(static)
    for (std::size_t m = 0; m < piece.places.size() * kAxes; ++m)
      encode(&links[static_cast<std::size_t>(piece.first) * kLinkReals + m * kMatrixReals],
             &piece.bytes[m * matrix_bytes], kept, info.number_bytes, info.swapped);
    sum = combine(kind, sum, sum_of_piece(kind, piece, bytes, info.swapped));
  });
  return sum;
}

} // namespace tasuki::wilson
