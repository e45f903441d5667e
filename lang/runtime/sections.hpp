// The elements of a section of translated text, in order: in this rank's memory, or as indices of another's. Internal.
#pragma once

#include "translated.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tasuki::xmp {

using Place = std::vector<long>; // an index along each dimension

long elements_of(const tsk_section& section);
// Calls visit(index of the first element) for each row of a section; rows run along the last dimension.
void each_row(const tsk_section& section, const std::function<void(const Place& first)>& visit);
long row_count(const tsk_section& section);
long row_step(const tsk_section& section);
// The byte offset of an element in memory with the section's extents. Throws Error if it is outside.
long offset_in(const tsk_section& section, const Place& index);
// Calls visit(address) for the elements of a section in this rank's memory, in order. `memory` as below.
void each_element(const tsk_section& section, const std::function<void(char*)>& visit,
                  char* memory = nullptr);

// The elements of the section, contiguous. `memory`: a copy of what the section is of; null: that itself.
std::vector<char> packed(const tsk_section& section, char* memory = nullptr);
void unpack(const tsk_section& section, const char* dense, char* memory = nullptr);

// The bytes from the first to the last element of a section of own memory, from its beginning on.
struct Span {
  long first = 0, bytes = 0;
};
Span span_of(const tsk_section& section);

} // namespace tasuki::xmp
