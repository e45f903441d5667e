// The addresses that a driver chooses itself, those of modules' variables among them, are the same in the workers of all hosts: a
// pointer to a variable is then true on a replica and on a spare.
//
//   take_high_addresses();                 // before cuInit, in every worker
//   cuInit(0);                             // the driver maps below `high_addresses` from here on, from the top down
//
// Linux maps memory from the top of a process's range down, and that top is random in every program that is started. The free
// addresses of the random part are taken here, without memory behind them, so all processes begin at the same address below it. No
// mapping that comes by chance may lie between: threads of a worker share one arena of malloc (server/gate/children.cpp).
// Measured on two H100 (driver 580): 24 processes of two programs, each with other calls before, had one address for a variable;
// so had the 18 workers of a server, where two addresses were found without the shared arena.
#pragma once

#include <cstdint>
#include <string>

namespace tasuki::remote {

// 2 TiB below the end of a process's range on x86-64 (2^47); its random part is the last of them. A client's arena that would lie
// above it is refused.
constexpr std::uint64_t high_addresses = 0x7e0000000000;

// Does nothing on other processors, or where Linux does not allow it. Addresses may differ then, and a spare whose variables lie
// elsewhere is passed over.
void take_high_addresses();

// PTX of a module with one small variable, `seat`; `capability` is the device's, 90 for 9.0. The driver puts variables of small
// modules beside each other. So a worker loads this module first, and memory that is pinned later does not move the program's.
std::string seat_of_modules(int capability);

} // namespace tasuki::remote
