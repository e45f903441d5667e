// The secret that all hosts of a user share. It authorises the use of the GPUs.
//
//   const Key key = read_key("~/.config/tasuki/gpus.key"s);   // 32 bytes as 64 hexadecimal digits, mode 0600
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace tasuki::remote {

// Overwritten in memory on destruction, and never printed: only save_key() converts it to text.
class Key {
public:
  static constexpr std::size_t kBytes = 32;
  Key() = default;
  explicit Key(const std::array<unsigned char, kBytes>& bytes) : bytes_(bytes), there_(true) {}
  Key(const Key&) = default;
  Key& operator=(const Key&) = default;
  ~Key();

  bool there() const { return there_; } // false: only the user of this host is served
  const unsigned char* data() const { return bytes_.data(); }
  static constexpr std::size_t size() { return kBytes; }

private:
  std::array<unsigned char, kBytes> bytes_{};
  bool there_ = false;
};

// From the random numbers of the system.
Key new_key();

// Throws Error if the file does not exist, is readable by others, belongs to another user, or contains no key.
Key read_key(const std::string& path);

// Writes a new file with mode 0600; throws Error if it exists.
void save_key(const Key& key, const std::string& path);

// $XDG_CONFIG_HOME/tasuki/gpus.key, or ~/.config/tasuki/gpus.key
std::string default_key_path();

} // namespace tasuki::remote
