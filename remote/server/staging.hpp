// Memory of the worker through which copies go: a copy into the device has to find its bytes until its stream has come there,
// and one out of it needs a place to arrive.
//
//   Staging::Piece piece = staging.take(bytes, may_wait);   // at most 4 MiB
//   device.copy_in(to, piece.data, bytes, stream);
//   staging.used(piece, stream);                            // free again once the stream has come past this
//
// Small pieces share a segment. A segment is given out again when every stream that used it has come past its last use.
// Where all are in use, take() waits for the oldest, or, where it must not wait, makes one more.
#pragma once

#include <remote/device/device.hpp>

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>

namespace tasuki::remote {

class Staging {
public:
  static constexpr std::size_t segment_bytes = 4u << 20;
  static constexpr int segments_at_most = 16;

  struct Segment;
  struct Piece {
    unsigned char* data = nullptr;
    Segment* segment = nullptr;
  };

  explicit Staging(Device& device);
  ~Staging();

  // For bytes on their way in; of the thread that makes calls alone.
  Piece take(std::size_t bytes, bool may_wait);
  void used(const Piece& piece, StreamId stream);
  void leaves(StreamId stream); // before a stream is destroyed

  // A whole segment for bytes on their way out, and its return, by any thread.
  Segment* take_whole(bool may_wait);
  void give_back(Segment* segment);
  unsigned char* data(Segment* segment);

private:
  Segment* fresh(bool may_wait);
  Segment* add();
  bool reclaim(bool wait); // moves segments whose streams have come past them to idle_
  void close();            // the segment of small pieces is full: notes where its streams are

  Device& device_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::map<Segment*, std::unique_ptr<Segment>> all_;
  std::deque<Segment*> idle_, busy_;
  Segment* open_ = nullptr;
};

} // namespace tasuki::remote
