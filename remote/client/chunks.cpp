#include <remote/client/chunks.hpp>

#include <algorithm>
#include <cstring>
#include <deque>

namespace tasuki::remote {

Chunks::~Chunks() {
  if (pages_) unshare_pages(pages_);
}

bool Chunks::there() {
  if (!connection_.passes_files()) return false;
  if (!pages_) {
    pages_ = static_cast<unsigned char*>(share_pages(count * chunk));
    if (!pages_) return false;
    all_ = *shared_pages(pages_, count * chunk);
  }
  return lending_.lends(all_, true);
}

void Chunks::take(std::size_t n) {
  std::unique_lock hold(mutex_);
  freed_.wait(hold, [&] { return !taken_[n]; });
  taken_[n] = true;
}

void Chunks::free(std::size_t n) {
  std::lock_guard hold(mutex_);
  taken_[n] = false;
  freed_.notify_one();
}

SharedPlace Chunks::place(std::size_t n) const {
  SharedPlace one = all_;
  one.offset += n * chunk;
  return one;
}

bool Chunks::copy_in(u64 to, const void* from, u64 bytes, u64 stream) {
  std::unique_lock copying(copying_, std::try_to_lock);
  if (!copying || !there()) return false;
  for (u64 done = 0; done < bytes; done += chunk) {
    const u64 size = std::min(chunk, bytes - done);
    const std::size_t n = next_++ % count;
    take(n);
    std::memcpy(pages_ + n * chunk, static_cast<const unsigned char*>(from) + done, size);
    try {
      lending_.copy_in(to + done, place(n), size, stream, [this, n] { free(n); });
    } catch (...) {
      free(n);
      throw;
    }
  }
  return true;
}

bool Chunks::copy_out(void* to, u64 from, u64 bytes, u64 stream) {
  std::unique_lock copying(copying_, std::try_to_lock);
  if (!copying || !there()) return false;
  struct Piece {
    Waiting waiting;
    std::size_t n = 0;
    u64 at = 0, size = 0;
  };
  std::deque<Piece> under_way;
  u64 asked = 0;
  const auto take_first = [&](bool wanted) {
    Piece& first = under_way.front();
    const std::size_t n = first.n;
    try {
      connection_.finish(first.waiting);
      if (wanted) std::memcpy(static_cast<unsigned char*>(to) + first.at, pages_ + n * chunk, first.size);
    } catch (...) {
      under_way.pop_front();
      free(n);
      throw;
    }
    under_way.pop_front();
    free(n);
  };
  try {
    while (asked < bytes || !under_way.empty()) {
      if (asked == bytes || under_way.size() == count) {
        take_first(true);
        continue;
      }
      Piece& next = under_way.emplace_back();
      next.n = next_++ % count;
      next.at = asked;
      next.size = std::min(chunk, bytes - asked);
      take(next.n);
      const SharedPlace there = place(next.n);
      try {
        connection_.begin(next.waiting,
                          call::CopyOutLent{from + asked, there.segment, there.offset, next.size, stream});
      } catch (...) {
        free(next.n);
        under_way.pop_back(); // nobody will answer it
        throw;
      }
      asked += next.size;
    }
  } catch (const Failure&) {
    while (!under_way.empty()) {
      try {
        take_first(false);
      } catch (const Failure&) {
        // the first error is the one that is told
      }
    }
    throw;
  }
  return true;
}

} // namespace tasuki::remote
