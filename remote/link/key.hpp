// The secret that the hosts of one user share: who has it may use the GPUs, and nobody else.
//
//   const Key key = read_key("~/.config/tasuki/gpus.key"s);   // 32 bytes as 64 hexadecimal digits, mode 0600
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace tasuki::remote {

// Wiped from memory at its end, and never printed: it has no way to become text but save_key's file.
class Key {
public:
  static constexpr std::size_t kBytes = 32;
  Key() = default;
  explicit Key(const std::array<unsigned char, kBytes>& bytes) : bytes_(bytes), there_(true) {}
  Key(const Key&) = default;
  Key& operator=(const Key&) = default;
  ~Key();

  bool there() const { return there_; } // without one only this host's own user is served
  const unsigned char* data() const { return bytes_.data(); }
  static constexpr std::size_t size() { return kBytes; }

private:
  std::array<unsigned char, kBytes> bytes_{};
  bool there_ = false;
};

// Of the system's random numbers.
Key new_key();

// Throws Error where there is no such file, others can read it, it is another user's, or it holds no key.
Key read_key(const std::string& path);

// A new file of mode 0600; throws Error where one is there.
void save_key(const Key& key, const std::string& path);

// $XDG_CONFIG_HOME/tasuki/gpus.key, else ~/.config/tasuki/gpus.key
std::string default_key_path();

} // namespace tasuki::remote
