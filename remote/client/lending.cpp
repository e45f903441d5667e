#include <remote/client/lending.hpp>

namespace tasuki::remote {

bool Lending::lends(const SharedPlace& place, bool may_ask) {
  if (!connection_.passes_files()) return false;
  std::lock_guard hold(mutex_);
  if (lent_.count(place.segment)) return true;
  if (!may_ask || refused_.count(place.segment)) return false;
  try {
    connection_.ask_with_file(call::Lend{place.segment, place.segment_bytes}, place.file);
    lent_.insert(place.segment);
    return true;
  } catch (const Failure& failure) {
    if (failure.status() == devices_unavailable || sticky(failure.status())) throw;
    refused_.insert(place.segment); // its driver cannot register it: the bytes go over the link
    return false;
  }
}

void Lending::gone(u64 segment) {
  std::lock_guard hold(mutex_);
  refused_.erase(segment);
  if (!lent_.erase(segment)) return;
  try {
    connection_.ask_then(call::Return{segment}, [] {}); // whoever may still copy there holds nobody up
  } catch (const Failure&) {
    // the worker is gone, and has it no more
  }
}

void Lending::copy_in(u64 to, const SharedPlace& from, u64 bytes, u64 stream, std::function<void()> done) {
  connection_.ask_then(call::CopyInLent{to, from.segment, from.offset, bytes, stream}, std::move(done));
}

void Lending::copy_out(const SharedPlace& to, u64 from, u64 bytes, u64 stream, std::function<void()> done) {
  connection_.ask_then(call::CopyOutLent{from, to.segment, to.offset, bytes, stream}, std::move(done));
}

void Lending::copy_in_now(u64 to, const SharedPlace& from, u64 bytes, u64 stream) {
  connection_.ask<answer::Done>(call::CopyInLent{to, from.segment, from.offset, bytes, stream});
}

void Lending::copy_out_now(const SharedPlace& to, u64 from, u64 bytes, u64 stream) {
  connection_.ask<answer::Done>(call::CopyOutLent{from, to.segment, to.offset, bytes, stream});
}

} // namespace tasuki::remote
