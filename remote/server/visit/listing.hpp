// The devices of a host as text: the gate writes it, clients read it.
#pragma once

#include <remote/server/visit.hpp>

#include <string>
#include <vector>

namespace tasuki::remote {

std::string write_devices(const std::vector<ServedDevice>& devices);
std::vector<ServedDevice> read_devices(const std::string& text); // throws Error

} // namespace tasuki::remote
