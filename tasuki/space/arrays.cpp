#include <tasuki/space/arrays.hpp>

#include <tasuki/base/digest.hpp>
#include <tasuki/base/error.hpp>
#include <tasuki/space/section.hpp>

#include <algorithm>
#include <utility>

namespace tasuki::space {
std::string Array::element(std::uint64_t byte) const {
  if (names) return names(byte);
  return name + "[" + indices_text(map.extents(), map.element_bytes(), byte) + "]";
}

Array& Arrays::add(Map map, std::string name) {
  const std::uint64_t pages = map.pages(range_.page_bytes());
  const std::size_t place = count();
  if (pages > range_.pages() - next_)
    throw Error("an array of " + std::to_string(map.bytes() >> 20) + " MiB does not fit: the range has " +
                    std::to_string((range_.pages() - next_) * range_.page_bytes() >> 20) + " MiB left",
                "give a larger --space-size");
  if (place == kMost)
    throw Error("a space has " + std::to_string(kMost) + " arrays", "put small ones together into one");
  auto array = std::make_unique<Array>();
  Digest digest;
  digest.add(digest_).add(next_).add(pages).add(map.element_bytes());
  for (std::size_t a = 0; a < map.extents().size(); ++a)
    digest.add(static_cast<std::uint64_t>(map.extents()[a])).add(static_cast<std::uint64_t>(map.begin(a, 1)));
  digest.add(static_cast<std::uint64_t>(map.owner(0)));
  digest.add(static_cast<std::uint64_t>(map.owner(map.elements() - 1)));
  digest_ = digest.value();
  array->map = std::move(map);
  array->name = std::move(name);
  array->first = next_;
  array->count = pages;
  array->page_bytes = range_.page_bytes();
  next_ += pages;
  arrays_[place] = std::move(array);
  count_.store(place + 1, std::memory_order_release);
  return *arrays_[place];
}

Array* Arrays::find(std::uint64_t page) const {
  std::size_t low = 0, high = count();
  while (low < high) { // the last that begins at the page or before it
    const std::size_t middle = (low + high) / 2;
    if (arrays_[middle]->first <= page)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return nullptr;
  Array& array = *arrays_[low - 1];
  return array.alive && page < array.first + array.count ? &array : nullptr;
}

Array& Arrays::at(const void* address, const std::string& what) const {
  Array* const array = range_.has(address) ? find(range_.page_of(address)) : nullptr;
  if (!array)
    throw Error(what + " is given an address that is in no shared array",
                "give one that sms_alloc or sms_mapalloc returned, or one behind it");
  return *array;
}

void Arrays::end(Array& array) {
  array.alive = false;
  note(~array.first);
}

std::uint64_t Arrays::digest_with(std::uint64_t other) const {
  return Digest().add(digest_).add(other).value();
}

} // namespace tasuki::space
