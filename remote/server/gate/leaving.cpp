#include <remote/server/gate/leaving.hpp>

#include <sys/socket.h>

namespace tasuki::remote {

void tell_leaving(const std::map<int, Child>& children) {
  for (const auto& [id, child] : children)
    if (child.granted)
      send(child.channel->native_handle(), &kLeaving, sizeof kLeaving, MSG_NOSIGNAL | MSG_DONTWAIT);
}

std::string line_of_stay(const Child& child) {
  std::string program = text_of(child.request.program);
  for (char& letter : program)
    if (static_cast<unsigned char>(letter) < ' ' || letter == 127) letter = '?';
  return "device " + std::to_string(child.request.device) + ": " + (program.empty() ? "a program" : program) +
         " of " + child.peer + " cannot go elsewhere, and is waited for";
}

} // namespace tasuki::remote
