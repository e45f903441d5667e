#include <remote/server/incoming.hpp>

#include <algorithm>
#include <cstring>

namespace tasuki::remote {

bool Incoming::next(CallHead& head) {
  try {
    const View bytes = take(sizeof head);
    std::memcpy(&head, bytes.data, sizeof head);
    return true;
  } catch (const LinkLost&) {
    return false;
  }
}

bool Incoming::more() {
  if (begin_ < end_) return true;
  begin_ = end_ = 0;
  end_ = link_.read(buffer_.data(), 0, most);
  return end_ > 0;
}

View Incoming::take(std::size_t bytes) {
  if (end_ - begin_ < bytes) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    end_ += link_.read(buffer_.data() + end_, bytes - end_, most - end_);
  }
  const View taken{buffer_.data() + begin_, bytes};
  begin_ += bytes;
  return taken;
}

void Incoming::take(std::size_t bytes, void* to) {
  const std::size_t here = std::min(bytes, end_ - begin_);
  if (here > 0) std::memcpy(to, buffer_.data() + begin_, here);
  begin_ += here;
  if (here < bytes) link_.read(static_cast<unsigned char*>(to) + here, bytes - here, bytes - here);
}

} // namespace tasuki::remote
