// The shape of tiled kernels (pass_cuda.hpp, resident_cuda.hpp) by the words that a cell moves: rules that the model knows,
// too.
//   pass_column(2);      // 8 cells of a column along y are computed together, and share what they read
//   resident_threads(2); // 1024
#pragma once

namespace tasuki {

// `words`: TiledLimits::words, the least count of four-byte words that a cell reads and writes.
constexpr int pass_column(int words) { return words <= 2 ? 8 : 4; }
constexpr int resident_threads(int words) { return words <= 6 ? 1024 : 512; }

} // namespace tasuki
