#include <apps/wilson/format/writing.hpp>

#include <apps/wilson/format/examine.hpp>
#include <apps/wilson/format/links.hpp>
#include <tasuki/base/on_all.hpp>

#include <fmt/format.h>

#include <filesystem>

namespace tasuki::wilson {
namespace {

struct Writer {
  Format format;
  const char* ending; // the ending of a file name that selects the format
  Writing (*plan)(const Lattice& lattice, const std::string& label, const WriteOptions& options,
                  double link_trace);
};

const Writer kWriters[] = {
    {Format::ildg, ".lime", plan_ildg},
    {Format::ildg, ".ildg", plan_ildg},
    {Format::nersc, ".nersc", plan_nersc},
};

Writing plan(const Lattice& lattice, const std::string& path, const WriteOptions& options,
             double link_trace) {
  if ((options.number_bytes != 4 && options.number_bytes != 8) || (options.rows != 2 && options.rows != 3))
    throw Error("a configuration of numbers or rows that no format has",
                "take 4 or 8 bytes, and 2 or 3 rows");
  const std::string label =
      options.name.empty() ? std::filesystem::path(path).filename().string() : options.name;
  for (const Writer& writer : kWriters)
    if (writer.format == options.format) return writer.plan(lattice, label, options, link_trace);
  throw Error(fmt::format("files of {} are read and not written", name_of(options.format)),
              "write ILDG or NERSC");
}

} // namespace

Format format_of_name(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  for (const Writer& writer : kWriters)
    if (ending == writer.ending) return writer.format;
  throw Error("the name " + path + " does not say which format to write", "end it in .lime, .ildg or .nersc");
}

void write_configuration(const Lattice& lattice, const std::string& path, const std::vector<double>& links,
                         const WriteOptions& options) {
  World& world = lattice.world();
  const Findings found = examine_links(lattice, links, 1, SumKind::none, {});
  if (found.infinite)
    throw Error(fmt::format("{} holds a number that is not finite; {} is not written",
                            link_text(lattice, found.infinite->number), path),
                "look where it comes from");
  const Writing writing = plan(lattice, path, options, found.link_trace);
  write_whole(world, path, writing.file_bytes, [&](const SharedPart& part) {
    Sum mine{};
    on_all(world, [&] { mine = write_links(part.name(), path, writing.info, lattice, writing.sum, links); });
    const Sum sum = sum_over(world, writing.sum, mine);
    on_root(world, [&] { writing.finish(part.name(), path, sum); });
  });
}

} // namespace tasuki::wilson
