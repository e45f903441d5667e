#include <remote/server/keeper.hpp>
#include <remote/server/visit/keep.hpp>
#include <remote/server/visit/opening.hpp>

#include <algorithm>
#include <cstring>

namespace tasuki::remote {

Keeper::Keeper(const Host& host, const Key& key, const Wish& wish)
    : visit_(open_by(host, key, Ask::keep, 0, wish)) {}

std::uint64_t Keeper::add(Piece bytes) {
  const std::uint64_t at = end_;
  const auto* from = static_cast<const unsigned char*>(bytes.data);
  for (std::size_t done = 0; done < bytes.size; done += kMostPiece) {
    KeepHead head;
    head.bytes = std::min(kMostPiece, bytes.size - done);
    const Piece both[] = {bytes_of(head), {from + done, static_cast<std::size_t>(head.bytes)}};
    visit_.link->write(both, 2);
  }
  end_ += bytes.size;
  return at;
}

void Keeper::take_answer() {
  KeepAnswer answer;
  visit_.link->read(&answer, sizeof answer, sizeof answer);
  if (answer.error)
    throw Error(visit_.link->peer() + " cannot keep it (" + std::strerror(answer.error) + ")",
                "give its server more room: --images, and a folder in TMPDIR");
}

void Keeper::settle() {
  KeepHead head;
  head.what = KeepDo::settle;
  visit_.link->write(bytes_of(head));
  take_answer();
}

void Keeper::read(std::uint64_t at, void* to, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes; done += kMostPiece) {
    KeepHead head;
    head.what = KeepDo::read;
    head.at = at + done;
    head.bytes = std::min(kMostPiece, bytes - done);
    visit_.link->write(bytes_of(head));
    take_answer();
    visit_.link->read(static_cast<unsigned char*>(to) + done, head.bytes, head.bytes);
  }
}

} // namespace tasuki::remote
