// Where a driver puts what it chooses the address of, such as the variables of modules: at the same addresses in the workers of
// all hosts, so that a pointer to a variable is as true on a replica or a spare as where it was made.
//
//   take_high_addresses();                 // before cuInit, in every worker
//   cuInit(0);                             // what the driver maps from here on lies below `high_addresses`, from the top down
//
// The kernel maps memory that has no address of its own from the top of a process's range down, and the top is random in every
// program that is started. What is free of the random part is taken here without memory behind it; below it all begin alike. Nothing
// that comes by chance may lie between: a worker's threads share one arena of malloc (gate/children.cpp).
// Measured on two H100 (driver 580): 24 processes of two programs, each with other calls before, had one address, and so had the 18
// workers of a server that replicas and spares were taken from.
#pragma once

#include <cstdint>
#include <string>

namespace tasuki::remote {

// The random part of a process's range on x86-64 begins above (1 TiB below 2^47). An arena that is asked for above is refused.
constexpr std::uint64_t high_addresses = 0x7e0000000000;

// Does nothing on other processors, or where the kernel does not allow it: addresses may differ then, which is found where it
// matters.
void take_high_addresses();

// A module with one small variable. The driver gives the variables of small modules room beside each other, so one that has its place
// before all else keeps the places of the program's where they are, whatever else takes addresses meanwhile.
// `capability` is the device's, 90 for 9.0.
std::string seat_of_modules(int capability); // PTX

} // namespace tasuki::remote
