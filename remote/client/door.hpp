// Where a program that runs can be asked for something by another of the same user: a unix socket, a line each way.
//
//   Door door("/run/user/1000/tasuki-gpus-run-4711.sock", [](const std::string& line) { return "ok"; });
//
// The answer comes from a thread of the door's. The socket is of mode 0600, and goes with the door.
#pragma once

#include <remote/link/descriptor.hpp>

#include <functional>
#include <string>
#include <thread>

namespace tasuki::remote {

class Door {
public:
  static constexpr std::size_t longest = 512; // bytes of a line

  Door(const std::string& path, std::function<std::string(const std::string&)> answer); // throws Error
  ~Door();
  Door(const Door&) = delete;
  void remove() const; // the socket's name

private:
  void work();
  void serve(int visitor) const;
  const std::string path_;
  const std::function<std::string(const std::string&)> answer_;
  Descriptor socket_;
  std::thread thread_;
};

} // namespace tasuki::remote
