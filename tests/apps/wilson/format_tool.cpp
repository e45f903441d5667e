// Reads and writes Wilson's files for format.py, which knows what has to be in them. Does each line of a file
// of jobs:
//
//   links-in EXTENTS FILE RAW                        links, as little-endian doubles in site order; the
//                                                   header's plaquette has to be what is measured
//   links-out EXTENTS RAW FILE BYTES ROWS PLAQUETTE  the other way
//   propagator-in EXTENTS FILE RAW BASIS             12 columns, one after another; BASIS 1: changed to ours
//   propagator-out EXTENTS RAW FILE BYTES BASIS
#include <apps/wilson/format/configuration.hpp>
#include <apps/wilson/format/links.hpp>
#include <apps/wilson/format/numbers.hpp>
#include <apps/wilson/format/propagator.hpp>
#include <apps/wilson/gauge/gauge.hpp>
#include <apps/wilson/gauge/observables.hpp>
#include <apps/wilson/lattice/su3.hpp>
#include <tasuki/base/on_all.hpp>

#include <cstdio>
#include <fstream>
#include <sstream>

namespace {

using namespace tasuki;
using namespace tasuki::wilson;

CellBytes raw_cells(const Lattice& lattice, std::size_t doubles, std::size_t field) {
  const std::size_t bytes = 8 * doubles;
  return {index_of(lattice), field * bytes * static_cast<std::size_t>(lattice.sites()), bytes};
}

Columns from_raw(const Lattice& lattice, const std::string& path, std::size_t fields, std::size_t doubles) {
  Columns columns(fields, std::vector<double>(static_cast<std::size_t>(lattice.owned_sites()) * doubles));
  on_all(lattice.world(), [&] {
    for (std::size_t f = 0; f < fields; ++f)
      read_cells(path, raw_cells(lattice, doubles, f), lattice.owned(), [&](const CellPiece& piece) {
        decode(piece.bytes.data(), &columns[f][static_cast<std::size_t>(piece.first) * doubles],
               static_cast<long>(piece.places.size() * doubles), 8, !kLittleHere);
      });
  });
  return columns;
}

void to_raw(const Lattice& lattice, const std::string& path, const Columns& columns, std::size_t doubles) {
  const std::size_t bytes = columns.size() * doubles * 8 * static_cast<std::size_t>(lattice.sites());
  write_whole(lattice.world(), path, bytes, [&](const SharedPart& part) {
    on_all(lattice.world(), [&] {
      for (std::size_t f = 0; f < columns.size(); ++f)
        write_cells(part.name(), path, raw_cells(lattice, doubles, f), lattice.owned(),
                    [&](CellPiece& piece) {
                      encode(&columns[f][static_cast<std::size_t>(piece.first) * doubles], piece.bytes.data(),
                             static_cast<long>(piece.places.size() * doubles), 8, !kLittleHere);
                    });
    });
  });
}

void run(World& world, const std::string& line) {
  std::istringstream words(line);
  std::string job, from, to;
  std::array<long, kAxes> n{};
  words >> job >> n[0] >> n[1] >> n[2] >> n[3] >> from >> to;
  const Lattice lattice(world, n);
  const std::size_t link_doubles = kAxes * kMatrixReals;
  if (job == "links-in") {
    const Configuration field = read_configuration(lattice, from);
    Gauge gauge(lattice);
    gauge.from_sites(field.links);
    check_plaquette(field.info, from, plaquette(gauge).all);
    to_raw(lattice, to, {field.links}, link_doubles);
  } else if (job == "links-out") {
    WriteOptions options{.format = format_of_name(to)};
    double measured = 0;
    words >> options.number_bytes >> options.rows >> measured;
    options.plaquette = measured;
    write_configuration(lattice, to, from_raw(lattice, from, 1, link_doubles)[0], options);
  } else if (job == "propagator-in") {
    int basis = 0;
    words >> basis;
    to_raw(lattice, to, read_propagator(lattice, from, {.change_basis = basis == 1}), kSpinorReals);
  } else if (job == "propagator-out") {
    int basis = 0;
    SpinorOptions options;
    words >> options.number_bytes >> basis;
    options.change_basis = basis == 1;
    write_propagator(lattice, to, from_raw(lattice, from, 12, kSpinorReals), options);
  } else {
    throw Error("no such job: " + job, "give one of this file's head");
  }
  if (!words) throw Error("'" + line + "' is no job", "give one of this file's head");
  if (world.rank() == 0) std::printf("done %s %s\n", job.c_str(), to.c_str());
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "format_tool JOBS\n");
    return 2;
  }
  World world(1, argv);
  std::ifstream jobs(argv[1]);
  for (std::string line; std::getline(jobs, line);) run(world, line);
}
