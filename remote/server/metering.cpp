#include <remote/server/metering.hpp>

#include <thread>

namespace tasuki::remote {

namespace {

constexpr std::size_t depth = 4; // launches of a client under way
constexpr std::uint64_t patience =
    50'000'000; // nanoseconds for the first of these: it may wait for a word of the client's
constexpr std::uint64_t longest = 1'000'000'000; // for a turn: a kernel of another may take long
constexpr auto moment = std::chrono::microseconds(50);

} // namespace

Metering::Span Metering::take() {
  if (free_.empty()) return {device_.create_event(0), device_.create_event(0)};
  const Span span = free_.back();
  free_.pop_back();
  return span;
}

bool Metering::settle_first() {
  const Span span = under_way_.front();
  if (!device_.event_done(span.end)) return false;
  turn_.used(static_cast<std::uint64_t>(device_.elapsed(span.begin, span.end) * 1e6f));
  under_way_.pop_front();
  free_.push_back(span);
  return true;
}

void Metering::settle() {
  while (!under_way_.empty() && settle_first()) {}
}

void Metering::wait_for_turn() {
  settle();
  const std::uint64_t last = Turn::now() + longest;
  while (!turn_.comes(Turn::now()) && Turn::now() < last) {
    std::this_thread::sleep_for(moment);
    settle();
  }
  const std::uint64_t end = Turn::now() + patience;
  while (under_way_.size() >= depth && !settle_first()) {
    if (Turn::now() > end) { // not measured: it waits for something that is still to come
      free_.push_back(under_way_.front());
      under_way_.pop_front();
      return;
    }
    turn_.comes(Turn::now()); // it still wants some
    std::this_thread::sleep_for(moment);
  }
}

void Metering::launch(StreamId stream, bool may_wait, const std::function<void()>& go) {
  if (turn_.alone() || !may_wait) return go();
  wait_for_turn();
  const Span span = take();
  device_.record(span.begin, stream);
  try {
    go();
  } catch (...) {
    free_.push_back(span);
    throw;
  }
  device_.record(span.end, stream);
  under_way_.push_back(span);
}

} // namespace tasuki::remote
