#include "copies.hpp"

#include "deliver.hpp"
#include "objects.hpp"

#include <tasuki/base/digest.hpp>
#include <tasuki/base/reduce.hpp>
#include <tasuki/transfer/collectives.hpp>

#include <cstring>

namespace tasuki::xmp {
namespace {

// What a rank holds of an array: a digest of it, and the first node that holds the same; below 0 for nothing.
struct Held {
  std::uint64_t digest = 0;
  long first = -1;
};

Held held_of(ArrayObject& object) {
  Held held;
  Digest digest;
  each_own(*object.array, false, [&](const Place& index, const char* element) {
    if (held.first < 0) held.first = object.array->alignment().owners(index).front();
    digest.bytes(element, static_cast<std::size_t>(object.size));
  });
  held.digest = digest.value();
  return held;
}

// This rank's first element that differs from another's, of which `other` are all, in order.
std::vector<long> first_difference(ArrayObject& object, const std::vector<char>& other) {
  std::vector<long> found;
  const char* next = other.data();
  each_own(*object.array, false, [&](const Place& index, const char* element) {
    if (found.empty() && std::memcmp(element, next, static_cast<std::size_t>(object.size)) != 0)
      found = index;
    next += object.size;
  });
  return found;
}

} // namespace

void Copies::add(ArrayObject& object) {
  const Array& array = *object.array;
  RunTime& run_time = RunTime::now();
  const bool all = static_cast<int>(run_time.executing().members().size()) == run_time.world().size();
  if (!object.face->compares || !all || !array.everywhere()) return; // all ranks list the same arrays
  for (int d = 0; d < array.dims(); ++d)
    if (array.extent(d) < 1) return;
  const std::vector<long> first(static_cast<std::size_t>(array.dims()), 0);
  if (array.alignment().owners(first).size() < 2) return;
  object.writes = std::make_shared<Writes>();
  object.writes->places.resize(static_cast<std::size_t>(array.holding().bytes() / array.holding().size()));
  arrays_.push_back(&object);
}

void Copies::reduces(const void* memory) {
  for (const ArrayObject* const object : arrays_)
    if (object->face->bytes > 0 && object->face->start == memory) object->writes->parts = true;
}

void Copies::compare(const char* where, const char* directive) {
  if (arrays_.empty()) return;
  std::vector<int> lately;
  for (const ArrayObject* const object : arrays_)
    lately.push_back(object->writes->lately && !object->writes->parts);
  lately = reduce_max(Ranks(RunTime::now().world()), lately);
  for (std::size_t k = 0; k < lately.size(); ++k)
    if (lately[k]) compare(*arrays_[k], where, directive);
}

void Copies::compare(ArrayObject& object, const char* where, const char* directive) {
  const Ranks ranks(RunTime::now().world());
  object.writes->lately = false;
  const Held mine = held_of(object);
  const std::vector<char> bytes = all_gather(ranks, &mine, sizeof mine);
  std::vector<Held> all(static_cast<std::size_t>(ranks.size()));
  std::memcpy(all.data(), bytes.data(), bytes.size());
  std::size_t one = 0, other = 0; // the first two that differ
  for (std::size_t b = 0; b < all.size() && one == other; ++b)
    for (std::size_t a = 0; a < b && one == other; ++a)
      if (all[a].first >= 0 && all[a].first == all[b].first && all[a].digest != all[b].digest)
        one = a, other = b;
  if (one == other) return;
  // The two exchange what they hold, and the first that has written the element itself reports it.
  const auto me = static_cast<std::size_t>(ranks.place());
  std::vector<std::vector<char>> letters(all.size());
  if (me == one || me == other)
    each_own(*object.array, false, [&](const Place&, const char* element) {
      std::vector<char>& letter = letters[me == one ? other : one];
      letter.insert(letter.end(), element, element + object.size);
    });
  const std::vector<std::vector<char>> received = exchanged(ranks, letters);
  const char* written = nullptr;
  std::vector<long> index;
  if (me == one || me == other) {
    index = first_difference(object, received[me == one ? other : one]);
    const long cell = object.array->holding().offset(object.array->alignment(), index) / object.size;
    written = object.writes->places[static_cast<std::size_t>(cell)];
  }
  const int none = ranks.size();
  int speaker = -reduce_max(ranks, written ? -ranks.place() : -none);
  if (speaker == none) speaker = static_cast<int>(one);
  if (speaker == ranks.place()) {
    std::string text = object.name;
    for (const long each : index) text += "[" + std::to_string(each) + "]";
    text += " has other values on rank " + std::to_string(one) + " and rank " + std::to_string(other) +
            ", which both hold it, at " + directive + (*where ? std::string(" at ") + where : "") +
            "; let all nodes that hold it write the same";
    fail(written ? written : where, text.c_str());
  }
  barrier(ranks, "the end of the run");
}

} // namespace tasuki::xmp
