// Memory that the program reaches by the device's addresses, among the calls that enqueue work.
//
//   give_mirrored(on);                                  // a launch: it may use all of its device's
//   give_mirrored(on, {to, bytes}, {from, bytes});      // a copy uses what it is told
//   own_mirrored(on.device, parameters);                // throws where a kernel is given another device's
//
// Each costs the reading of a word as long as the program has no such memory.
#pragma once

#include <remote/runtime/program.hpp>

#include <initializer_list>

namespace tasuki::remote {

struct Extent {
  u64 address, bytes;
};
void give_mirrored(const On& on);
void give_mirrored(const On& on, std::initializer_list<Extent> used);
void own_mirrored(const VirtualDevice& device, View parameters);

} // namespace tasuki::remote
