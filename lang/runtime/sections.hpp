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
// Calls visit(address) for the elements of a section in this rank's memory, in order.
void each_element(const tsk_section& section, const std::function<void(char*)>& visit);

std::vector<char> packed(const tsk_section& section); // the elements of the section, contiguous
void unpack(const tsk_section& section, const char* dense);

} // namespace tasuki::xmp
