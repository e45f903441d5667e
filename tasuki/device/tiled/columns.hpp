// The shape of tiled kernels (pass_cuda.hpp, resident_cuda.hpp) by the words that a cell moves. The kernels and the model
// call these rules.
//
//   const int words = tile_words(1, 4) + tile_words(1, 4); // a float is read, a float is written
//   pass_column(words);      // 8 cells of a column along y are computed together, and share what they read
//   resident_threads(words); // 1024
#pragma once

namespace tasuki {

// Four-byte words of a cell of a field.
constexpr int tile_words(int components, long element_bytes) {
  return components * static_cast<int>(element_bytes / 4);
}
// `words`: TiledLimits::words, those of all fields that a cell reads or writes, each counted once an access.
constexpr int pass_column(int words) { return words <= 2 ? 8 : 4; }
constexpr int resident_threads(int words) { return words <= 6 ? 1024 : 512; }

} // namespace tasuki
