// Copies between the program's memory and a device: by the link, by chunks that the worker has too, or by the worker alone.
#include <remote/client/virtual_device.hpp>

#include <algorithm>

namespace tasuki::remote {

namespace {

// Counts a call from when it is begun until it is done; `begin` is given what tells that.
template <class Begin>
void count_while_under_way(std::atomic<int>& count, const Begin& begin) {
  ++count;
  try {
    begin([&count] { --count; });
  } catch (...) {
    --count;
    throw;
  }
}

} // namespace

void VirtualDevice::copy_in(u64 to, const void* from, u64 bytes, u64 stream) {
  busy();
  if (by_chunks(bytes, Chunks::least, stream) && chunks_->copy_in(to, from, bytes, stream)) return;
  const auto* at = static_cast<const unsigned char*>(from);
  for (u64 done = 0; done < bytes; done += tail_limit)
    connection_->post(call::CopyIn{to + done, stream}, {at + done, std::min<u64>(tail_limit, bytes - done)});
}

void VirtualDevice::copy_out(void* to, u64 from, u64 bytes, u64 stream) {
  if (!ahead_ || !ahead_->take(to, from, bytes, stream)) copy_out(to, from, bytes, stream, ahead_.get());
}

void VirtualDevice::copy_out_now(void* to, u64 from, u64 bytes, u64 stream) {
  copy_out(to, from, bytes, stream, nullptr);
}

void VirtualDevice::copy_out(void* to, u64 from, u64 bytes, u64 stream, Ahead* ahead) {
  if (by_chunks(bytes, Ahead::most, stream) && chunks_->copy_out(to, from, bytes, stream)) return;
  constexpr u64 piece = tail_limit;
  constexpr std::size_t under_way = 8;
  std::deque<Waiting> waiting;
  const auto take_first = [&] {
    connection_->finish(waiting.front());
    waiting.pop_front();
  };
  try {
    for (u64 done = 0; done < bytes; done += piece) {
      if (waiting.size() == under_way) take_first();
      const u64 size = std::min(piece, bytes - done);
      Waiting& next = waiting.emplace_back();
      next.into = static_cast<unsigned char*>(to) + done;
      next.room = size;
      try {
        connection_->begin(next, call::CopyOut{from + done, size, stream});
      } catch (...) {
        waiting.pop_back(); // nobody will answer it
        throw;
      }
    }
    if (ahead) ahead->asked(from, bytes, stream);
    while (!waiting.empty()) take_first();
  } catch (const Failure&) {
    for (Waiting& left : waiting) { // answered too, into memory that must stay until then
      try {
        connection_->finish(left);
      } catch (const Failure&) {
        // the first error is the one that is told
      }
    }
    throw;
  }
}

void VirtualDevice::copy_out_later(void* to, u64 from, u64 bytes, u64 stream) {
  for (u64 done = 0; done < bytes; done += tail_limit) {
    const u64 size = std::min<u64>(tail_limit, bytes - done);
    count_while_under_way(pending_, [&](auto done_then) {
      connection_->ask_then(call::CopyOut{from + done, size, stream}, done_then,
                            static_cast<unsigned char*>(to) + done, size);
    });
  }
  busy();
}

std::optional<SharedPlace> VirtualDevice::lend(const void* address, u64 bytes) {
  if (bytes < shared_least) return std::nullopt;
  const auto place = shared_pages(address, bytes);
  // A stream that stops for the program may hold up the worker's calls, and what lets it go on may come after this.
  return place && lending_->lends(*place, may_ask()) ? place : std::nullopt;
}

bool VirtualDevice::copy_in_shared(u64 to, const void* from, u64 bytes, u64 stream, Until until) {
  const auto place = lend(from, bytes);
  if (!place) return false;
  busy();
  if (until == Until::done || strict_)
    lending_->copy_in_now(to, *place, bytes, stream);
  else
    count_while_under_way(sharing_, [&](auto done) { lending_->copy_in(to, *place, bytes, stream, done); });
  return true;
}

bool VirtualDevice::copy_out_shared(void* to, u64 from, u64 bytes, u64 stream, Until until) {
  const auto place = lend(to, bytes);
  if (!place) return false;
  busy();
  if (until == Until::done || strict_)
    lending_->copy_out_now(*place, from, bytes, stream);
  else
    count_while_under_way(sharing_,
                          [&](auto done) { lending_->copy_out(*place, from, bytes, stream, done); });
  return true;
}

} // namespace tasuki::remote
