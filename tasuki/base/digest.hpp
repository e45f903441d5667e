// A 64-bit hash (FNV-1a): different texts have equal digests with a probability of about 2^-64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tasuki {

// Digest().add("--nx").add("64").value()
class Digest {
public:
  Digest& bytes(const void* at, std::size_t size) {
    const auto* byte = static_cast<const unsigned char*>(at);
    for (std::size_t k = 0; k < size; ++k) hash_ = (hash_ ^ byte[k]) * 0x100000001b3u;
    return *this;
  }
  // A text with its terminator, so that "a", "bc" differs from "ab", "c".
  Digest& add(std::string_view text) { return bytes(text.data(), text.size()).bytes("", 1); }
  Digest& add(std::uint64_t number) { return bytes(&number, sizeof number); }
  std::uint64_t value() const { return hash_; }

private:
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

} // namespace tasuki
