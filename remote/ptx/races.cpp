#include <remote/ptx/races.hpp>

namespace tasuki::remote::ptx {

Races::Found Races::touch(std::uint64_t at, unsigned bytes, int warp, std::uint32_t line, bool write) {
  for (std::uint64_t k = at; k < at + bytes && k < touched_.size(); ++k) {
    Touched& t = touched_[k];
    if (t.since != since_) t = {since_, kNobody, kNobody, 0, 0};
    if (t.writer != kNobody && t.writer != warp) return {true, true, t.writer, t.written};
    if (write && t.reader != kNobody && t.reader != warp) return {true, false, t.reader, t.read};
    if (write) {
      t.writer = warp;
      t.written = line;
    } else if (t.reader == kNobody || t.reader == warp) { // one reader is sufficient to detect a race
      t.reader = warp;
      t.read = line;
    }
  }
  return {};
}

} // namespace tasuki::remote::ptx
