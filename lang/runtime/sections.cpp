#include "sections.hpp"

#include <tasuki/base/error.hpp>

#include <cstring>

namespace tasuki::xmp {

long elements_of(const tsk_section& section) {
  long all = 1;
  for (int d = 0; d < section.dims; ++d) all *= section.slice[d].count;
  return all;
}

void each_row(const tsk_section& section, const std::function<void(const Place& first)>& visit) {
  Place index(static_cast<std::size_t>(section.dims));
  const auto walk = [&](const auto& self, int d) -> void {
    if (d + 1 >= section.dims) {
      if (section.dims) index.back() = section.slice[section.dims - 1].first;
      if (section.dims == 0 || section.slice[section.dims - 1].count > 0) visit(index);
      return;
    }
    for (long k = 0; k < section.slice[d].count; ++k) {
      index[static_cast<std::size_t>(d)] = section.slice[d].first + k * section.slice[d].step;
      self(self, d + 1);
    }
  };
  walk(walk, 0);
}

long row_count(const tsk_section& section) {
  return section.dims ? section.slice[section.dims - 1].count : 1;
}
long row_step(const tsk_section& section) {
  const long step = section.dims ? section.slice[section.dims - 1].step : 1;
  return step ? step : 1;
}

long offset_in(const tsk_section& section, const Place& index) {
  long place = 0;
  for (int d = 0; d < section.dims; ++d) {
    if (section.extents[d] > 0 &&
        (index[static_cast<std::size_t>(d)] < 0 ||
         index[static_cast<std::size_t>(d)] >= section.extents[d]) &&
        d > 0)
      throw Error("subscript " + std::to_string(index[static_cast<std::size_t>(d)]) +
                      " is outside of dimension " + std::to_string(d) + ", 0 to " +
                      std::to_string(section.extents[d] - 1),
                  "name elements that there are");
    place = place * section.extents[d] + index[static_cast<std::size_t>(d)];
  }
  return place * section.size;
}

void each_element(const tsk_section& section, const std::function<void(char*)>& visit) {
  each_row(section, [&](Place index) {
    for (long k = 0; k < row_count(section); ++k) {
      if (section.array) {
        const tsk_array& a = *section.array;
        char* element = a.at;
        for (int d = 0; d < section.dims; ++d)
          element += tsk_local(&a, d, index[static_cast<std::size_t>(d)]) * a.step[d] * a.size;
        visit(element);
      } else {
        char* const base = section.coarray ? section.coarray->at : static_cast<char*>(section.at);
        visit(base + offset_in(section, index));
      }
      if (section.dims) index.back() += row_step(section);
    }
  });
}

std::vector<char> packed(const tsk_section& section) {
  std::vector<char> dense(static_cast<std::size_t>(elements_of(section) * section.size));
  char* next = dense.data();
  each_element(section, [&](const char* element) {
    std::memcpy(next, element, static_cast<std::size_t>(section.size));
    next += section.size;
  });
  return dense;
}

void unpack(const tsk_section& section, const char* dense) {
  each_element(section, [&](char* element) {
    std::memcpy(element, dense, static_cast<std::size_t>(section.size));
    dense += section.size;
  });
}

} // namespace tasuki::xmp
