// Copies between the device and memory that the client has lent.
#include <remote/server/calls.hpp>
#include <remote/server/refuse.hpp>

namespace tasuki::remote {

Link& Calls::files() const {
  if (!files_ || !files_->passes_files())
    refuse(Status::not_supported, "no memory comes over this link", "copy by CopyIn and CopyOut");
  return *files_;
}

void Calls::on(const call::Lend& c, View) { lent_.take(c.segment, c.bytes, files().take_file()); }

// Copies of any stream may still be using it.
void Calls::on(const call::Return& c, View) {
  hand_over([this, last = lent_.give_back(c.segment), marks = under_way()](u64 number) mutable {
    for (const auto& mark : marks) device_.synchronize_event(mark->id());
    last.reset();
    replies_.send(number, answer::Done{});
  });
}

void Calls::on(const call::CopyInLent& c, View) {
  check(c.to, c.bytes);
  const unsigned char* from = lent_.at(c.segment, c.offset, c.bytes);
  const StreamId s = stream_of_bytes(c.stream);
  device_.copy_in(c.to, from, c.bytes, s);
  if (grant_.tally) grant_.tally->bytes_in.fetch_add(c.bytes, std::memory_order_relaxed);
  answer_behind(s);
}

void Calls::on(const call::CopyOutLent& c, View) {
  check(c.from, c.bytes);
  unsigned char* to = lent_.at(c.segment, c.offset, c.bytes);
  const StreamId s = stream_of_bytes(c.stream);
  device_.copy_out(to, c.from, c.bytes, s);
  if (grant_.tally) grant_.tally->bytes_out.fetch_add(c.bytes, std::memory_order_relaxed);
  answer_behind(s);
}

void Calls::answer_behind(StreamId s) {
  const std::shared_ptr<const Mark> here = mark(s);
  later([&] { return device_.event_done(here->id()); },
        [this, here](u64 number) {
          device_.synchronize_event(here->id());
          replies_.send(number, answer::Done{});
        });
}

} // namespace tasuki::remote
