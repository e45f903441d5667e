// `#pragma tasuki snapshot`, `plot`, `checkpoint`, `restore`: arrays of any distribution, in the same file format as for all
// programs of Tasuki.
#include "checking.hpp"
#include "numbers.hpp"
#include "objects.hpp"
#include "track.hpp"

#include <tasuki/array/redistribution.hpp>
#include <tasuki/file/checkpoint.hpp>
#include <tasuki/run/progress.hpp>

#include <algorithm>

namespace tasuki::xmp {
namespace {

// A decomposition with one block per rank. Extents are in the order of the file: x first, the array's last dimension.
Decomposition cut_of(const Array& array) {
  if (array.dims() > kMaxDims)
    throw Error("array '" + array.name() + "' has " + std::to_string(array.dims()) + " dimensions",
                "files have " + std::to_string(kMaxDims) + " at most");
  DecompositionRequest request;
  request.dims = array.dims();
  for (int d = 0; d < array.dims(); ++d) request.extents[array.dims() - 1 - d] = array.extent(d);
  request.size = array.world().size();
  return decompose(request, exchange_cost_host());
}

// The distribution of an array with the same blocks.
Alignment alignment_of(const Decomposition& cut) {
  std::vector<int> ranks, members;
  std::vector<long> extents;
  std::vector<Extent> whole;
  std::vector<Format> formats;
  std::vector<Along> along;
  for (int a = cut.dims; a-- > 0;) {
    std::vector<long> sizes;
    const std::vector<long>& offsets = cut.offsets[static_cast<std::size_t>(a)];
    for (std::size_t c = 0; c + 1 < offsets.size(); ++c) sizes.push_back(offsets[c + 1] - offsets[c]);
    along.push_back(with(static_cast<int>(ranks.size())));
    ranks.push_back(cut.ranks[a]);
    extents.push_back(cut.extents[a]);
    whole.push_back({0, cut.extents[a]});
    formats.push_back(gblock(std::move(sizes)));
  }
  for (int number = 0; number < cut.size(); ++number) {
    std::array<int, kMaxDims> coords{};
    for (int a = 0, left = number; a < cut.dims; left /= cut.ranks[a], ++a) coords[a] = left % cut.ranks[a];
    members.push_back(cut.rank_at(coords));
  }
  Template t(whole);
  t.distribute(Nodes(std::move(ranks), std::move(members)), formats);
  return {extents, t, along};
}

std::vector<Slice> all_of(const Array& array) {
  std::vector<Slice> slices;
  for (int d = 0; d < array.dims(); ++d) slices.push_back({{0, array.extent(d), 1}, false});
  return slices;
}

// Arrays of one shape as fields of a grid; elements are redistributed between the array's distribution and blocks.
class Filed {
public:
  Filed(int arrays, tsk_array* const* array, const int* types) {
    RunTime& run_time = RunTime::now();
    World& world = run_time.world();
    if (run_time.executing().members().size() != static_cast<std::size_t>(world.size()))
      throw Error("a file is written or read by some ranks alone",
                  "let all of them do it, outside of a task");
    const Array& first = *array_of(array[0]).array;
    const Decomposition cut = cut_of(first);
    const auto grid = std::make_shared<GridCore>(world, cut, Widths{}, &run_time.host());
    for (int k = 0; k < arrays; ++k) {
      ArrayObject& object = array_of(array[k]);
      const bool alike = object.array->dims() == first.dims() && cut_of(*object.array).extents == cut.extents;
      if (!alike)
        throw Error("arrays '" + first.name() + "' and '" + object.name + "' have different extents",
                    "write them to files of their own");
      objects_.push_back(&object);
      blocks_.push_back(std::make_unique<Array>(run_time.host(), object.name, object.size, alignment_of(cut),
                                                std::vector<Shadow>(object.shadows.size())));
      fields_.push_back(std::make_unique<FieldCore>(grid, object.name, value_type(types[k]),
                                                    static_cast<std::size_t>(object.size), 1));
    }
  }

  void save(const std::string& path, const std::string& kind, long step) {
    std::vector<const FieldCore*> fields;
    for (std::size_t k = 0; k < objects_.size(); ++k) {
      move(*blocks_[k], *objects_[k]->array);
      fields_[k]->write(blocks_[k]->memory().data());
      fields.push_back(fields_[k].get());
    }
    tasuki::save(path, kind, fields, step);
  }

  long load(const std::string& path) {
    std::vector<FieldCore*> fields;
    for (const auto& field : fields_) fields.push_back(field.get());
    const FileInfo info = tasuki::load(path, fields);
    for (std::size_t k = 0; k < objects_.size(); ++k) {
      fields_[k]->read(blocks_[k]->memory().data());
      move(*objects_[k]->array, *blocks_[k]);
      if (objects_[k]->track) objects_[k]->track->wrote_all();
    }
    return info.step;
  }

private:
  static void move(Array& to, Array& from) {
    assign(section(to, all_of(to)), section(from, all_of(from)), RunTime::now().executing().ranks());
  }
  std::vector<ArrayObject*> objects_;
  std::vector<std::unique_ptr<Array>> blocks_;
  std::vector<std::unique_ptr<FieldCore>> fields_;
};

} // namespace
} // namespace tasuki::xmp

using namespace tasuki;
using namespace tasuki::xmp;

extern "C" {

void tsk_save(const char* where, const char* kind, const char* path, int arrays, tsk_array* const* array,
              const int* types, long step) {
  at(where, [&] {
    come_together(where, kind, Ranks(RunTime::now().world()));
    const bool plot = std::string(kind) == "plot"; // a snapshot that is drawn
    Filed(arrays, array, types).save(path, plot ? "snapshot" : kind, step);
    const World& world = RunTime::now().world();
    if (plot && world.rank() == 0) ask_for_pictures(world.settings().progress, path);
  });
}

long tsk_restore(const char* where, const char* path, int arrays, tsk_array* const* array, const int* types) {
  return at(where, [&] {
    come_together(where, "restore", Ranks(RunTime::now().world()));
    return Filed(arrays, array, types).load(path);
  });
}
}
