#include "sections.hpp"

#include <tasuki/base/error.hpp>

#include <algorithm>
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

void each_element(const tsk_section& section, const std::function<void(char*)>& visit, char* memory) {
  each_row(section, [&](Place index) {
    for (long k = 0; k < row_count(section); ++k) {
      if (section.array) {
        const tsk_array& a = *section.array;
        char* element = a.at;
        for (int d = 0; d < section.dims; ++d)
          element += tsk_local(&a, d, index[static_cast<std::size_t>(d)]) * a.step[d] * a.size;
        visit(element);
      } else {
        char* const own = section.coarray ? section.coarray->at : static_cast<char*>(section.at);
        visit((memory ? memory : own) + offset_in(section, index));
      }
      if (section.dims) index.back() += row_step(section);
    }
  });
}

std::vector<char> packed(const tsk_section& section, char* memory) {
  std::vector<char> dense(static_cast<std::size_t>(elements_of(section) * section.size));
  char* next = dense.data();
  const auto take = [&](const char* element) {
    std::memcpy(next, element, static_cast<std::size_t>(section.size));
    next += section.size;
  };
  each_element(section, take, memory);
  return dense;
}

void unpack(const tsk_section& section, const char* dense, char* memory) {
  const auto give = [&](char* element) {
    std::memcpy(element, dense, static_cast<std::size_t>(section.size));
    dense += section.size;
  };
  each_element(section, give, memory);
}

Span span_of(const tsk_section& section) {
  if (elements_of(section) == 0) return {};
  Place least, most;
  for (int d = 0; d < section.dims; ++d) {
    const tsk_slice& s = section.slice[d];
    const long last = s.first + (s.count - 1) * (s.step ? s.step : 1);
    least.push_back(std::min(s.first, last));
    most.push_back(std::max(s.first, last));
  }
  const long first = offset_in(section, least);
  return {first, offset_in(section, most) + section.size - first};
}

} // namespace tasuki::xmp
