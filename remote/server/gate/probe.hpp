// What a host has, found out by a process that ends again: the gate itself opens no GPU, and forks no process that has.
//
//   std::vector<ServedDevice> devices = probe(gpus_of_the_driver);
#pragma once

#include <remote/server/visit.hpp>

#include <functional>
#include <vector>

namespace tasuki::remote {

// Throws Error with the line that `look` has thrown, or where its process ended otherwise.
std::vector<ServedDevice> probe(const std::function<std::vector<ServedDevice>()>& look);

// `each` virtual devices of every one of them; their memory is shared out evenly.
std::vector<ServedDevice> split(const std::vector<ServedDevice>& devices, int each);

} // namespace tasuki::remote
