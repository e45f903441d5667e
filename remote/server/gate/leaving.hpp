// What a gate does before it ends: it asks its clients to move to other hosts, and waits for those that cannot.
//
//   tell_leaving(children);                  // each client hears it by its worker's heartbeat
//   std::string line = line_of_stay(child);  // "device 0: ./many of 10.0.0.7 cannot go elsewhere, and is waited for"
#pragma once

#include <remote/server/gate/children.hpp>

#include <map>
#include <string>

namespace tasuki::remote {

void tell_leaving(const std::map<int, Child>& children);
// The program's name is the client's own word: what is not printable is not printed.
std::string line_of_stay(const Child& child);

} // namespace tasuki::remote
