#include <apps/wilson/format/propagator.hpp>

#include <apps/wilson/format/basis.hpp>
#include <apps/wilson/format/examine.hpp>
#include <apps/wilson/format/hdf5_spinors.hpp>
#include <apps/wilson/format/scidac.hpp>
#include <apps/wilson/format/spinor_records.hpp>
#include <apps/wilson/lattice/su3.hpp>
#include <tasuki/base/on_all.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace tasuki::wilson {
namespace {

// Changes the basis of the fields, `together` at a time: 1 for spinors, 12 for a propagator.
void change_basis(Columns& columns, std::size_t together, void (*change)(double*)) {
  for (std::size_t first = 0; first < columns.size(); first += together) {
    const std::size_t sites = columns[first].size() / kSpinorReals;
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < sites; ++i) {
      double site[kPropagatorReals];
      for (std::size_t c = 0; c < together; ++c)
        std::copy_n(&columns[first + c][i * kSpinorReals], kSpinorReals, site + c * kSpinorReals);
      change(site);
      for (std::size_t c = 0; c < together; ++c)
        std::copy_n(site + c * kSpinorReals, kSpinorReals, &columns[first + c][i * kSpinorReals]);
    }
  }
}

// Reads the fields of records and compares their checksums. Collective.
Columns read_fields(const Lattice& lattice, const std::string& path,
                    const std::vector<SpinorRecord>& records) {
  World& world = lattice.world();
  Columns columns;
  for (const SpinorRecord& record : records) {
    const std::size_t first = columns.size();
    Sum mine{};
    on_all(world, [&] {
      columns.resize(first + record.fields);
      mine = read_record(path, record, lattice, columns, first);
    });
    const Sum sum = sum_over(world, SumKind::scidac, mine);
    if (record.checksum && *record.checksum != sum)
      throw Error(fmt::format("the spinors of {} have SciDAC checksum {}, and the file says {}", path,
                              sum_text(SumKind::scidac, sum), sum_text(SumKind::scidac, *record.checksum)),
                  "copy it again from where it is whole");
  }
  return columns;
}

// Checks the numbers and changes to the requested basis. Collective.
Columns finish_reading(const Lattice& lattice, const std::string& path, Columns columns, std::size_t together,
                       void (*change)(double*)) {
  if (const std::optional<std::uint64_t> site = first_infinite(lattice, columns))
    throw Error(fmt::format("a spinor of {} at {} holds a number that is not finite", path,
                            site_text(lattice, *site)),
                "use another copy of the file");
  if (change) change_basis(columns, together, change);
  return columns;
}

// From an HDF5 file. Collective.
Columns read_array_fields(const Lattice& lattice, const std::string& path, std::size_t fields,
                          const SpinorOptions& options, void (*change)(double*)) {
  bool in_file_basis = true;
  Columns columns = read_hdf5(lattice, path, fields, in_file_basis);
  const bool wanted = options.change_basis && in_file_basis;
  return finish_reading(lattice, path, std::move(columns), fields, wanted ? change : nullptr);
}

ScidacRecord description_of(const SpinorRecord& record) {
  return {.type = fmt::format("QDP_{}3_Dirac{}", record.number_bytes == 8 ? "D" : "F",
                              record.fields == 1 ? "Fermion" : "Propagator"),
          .number_bytes = record.number_bytes,
          .spins = kSpins,
          .type_bytes = static_cast<long>(record.site_bytes())};
}

// One record for every `together` fields, or one array. Collective.
void write_fields(const Lattice& lattice, const std::string& path, const Columns& columns,
                  std::size_t together, const SpinorOptions& options, void (*change)(double*)) {
  World& world = lattice.world();
  if (options.number_bytes != 4 && options.number_bytes != 8)
    throw Error(fmt::format("numbers of {} bytes are none of a file of spinors", options.number_bytes),
                "take 4 or 8");
  if (const std::optional<std::uint64_t> site = first_infinite(lattice, columns))
    throw Error(fmt::format("a spinor at {} holds a number that is not finite; {} is not written",
                            site_text(lattice, *site), path),
                "look where it comes from");
  if (is_hdf5_name(path)) {
    if (columns.size() != together)
      throw Error(fmt::format("{} cannot hold {} fields of spinors", path, columns.size()),
                  "write a file each, or one that is not named HDF5");
    write_hdf5(lattice, path, columns, options, options.change_basis ? change : nullptr);
    return;
  }
  LimeLayout lime;
  lime.add("scidac-private-file-xml", file_xml(lattice.extents()), LimeLayout::first);
  lime.add("scidac-file-xml", R"(<?xml version="1.0"?><tasukiFile></tasukiFile>)", LimeLayout::last);
  const std::string note = R"(<?xml version="1.0"?>)" +
                           xml_element("tasukiSpinors", xml_element("note", xml_escaped(options.note)));
  std::vector<SpinorRecord> records(columns.size() / together,
                                    {.number_bytes = options.number_bytes, .fields = together});
  std::vector<std::uint64_t> sums; // offsets of the checksums
  for (SpinorRecord& record : records) {
    lime.add("scidac-private-record-xml", record_xml(description_of(record)), LimeLayout::first);
    lime.add("scidac-record-xml", note, LimeLayout::inside);
    record.offset =
        lime.reserve("scidac-binary-data", static_cast<std::uint64_t>(lattice.sites()) * record.site_bytes(),
                     LimeLayout::inside);
    sums.push_back(lime.reserve("scidac-checksum", checksum_xml({}).size(), LimeLayout::last));
  }
  write_whole(world, path, lime.bytes(), [&](const SharedPart& part) {
    on_root(world, [&] { lime.write(part.name(), path); });
    for (std::size_t r = 0; r < records.size(); ++r) {
      Sum mine{};
      on_all(world, [&] {
        mine = write_record(part.name(), path, records[r], lattice, columns, r * together,
                            options.change_basis ? change : nullptr);
      });
      const Sum sum = sum_over(world, SumKind::scidac, mine);
      on_root(world, [&] { write_bytes(part.name(), path, checksum_xml(sum), sums[r]); });
    }
  });
}

} // namespace

void write_propagator(const Lattice& lattice, const std::string& path, const Columns& columns,
                      const SpinorOptions& options) {
  if (columns.size() != kColumns)
    throw Error(fmt::format("a propagator of {} columns cannot be written", columns.size()), "solve all 12");
  write_fields(lattice, path, columns, kColumns, options, propagator_to_file_basis);
}

Columns read_propagator(const Lattice& lattice, const std::string& path, const SpinorOptions& options) {
  if (is_hdf5_file(lattice.world(), path))
    return read_array_fields(lattice, path, kColumns, options, propagator_to_memory_basis);
  std::vector<SpinorRecord> records;
  on_all(lattice.world(), [&] {
    records = find_spinors(path, lattice);
    const bool whole = records.size() == 1 && records[0].fields == kColumns;
    const bool in_columns = records.size() == kColumns &&
                            std::all_of(records.begin(), records.end(),
                                        [](const SpinorRecord& record) { return record.fields == 1; });
    if (whole || in_columns) return;
    std::size_t propagators = 0;
    for (const SpinorRecord& record : records) propagators += record.fields == kColumns;
    throw Error(fmt::format("{} holds {} propagators and {} fields of spinors", path, propagators,
                            records.size() - propagators),
                "give a SciDAC file of one propagator, or of its 12 columns");
  });
  return finish_reading(lattice, path, read_fields(lattice, path, records), kColumns,
                        options.change_basis ? propagator_to_memory_basis : nullptr);
}

void write_spinors(const Lattice& lattice, const std::string& path, const Columns& fields,
                   const SpinorOptions& options) {
  if (fields.empty()) throw Error("no field of spinors to write", "give one or more");
  write_fields(lattice, path, fields, 1, options, to_file_basis);
}

Columns read_spinors(const Lattice& lattice, const std::string& path, const SpinorOptions& options) {
  if (is_hdf5_file(lattice.world(), path))
    return read_array_fields(lattice, path, 1, options, to_memory_basis);
  std::vector<SpinorRecord> records;
  on_all(lattice.world(), [&] {
    records = find_spinors(path, lattice);
    std::erase_if(records, [](const SpinorRecord& record) { return record.fields != 1; });
    if (records.empty()) throw Error(path + " holds no field of spinors", "give a SciDAC file of one");
  });
  return finish_reading(lattice, path, read_fields(lattice, path, records), 1,
                        options.change_basis ? to_memory_basis : nullptr);
}

} // namespace tasuki::wilson
