#include <remote/client/log.hpp>

#include <algorithm>
#include <system_error>

namespace tasuki::remote {

namespace {

constexpr std::size_t block_bytes = 1u << 20, file_block_bytes = 8u << 20, page = 4096;

CallHead head_of(const unsigned char* frame) {
  CallHead head;
  std::memcpy(&head, frame, sizeof head);
  return head;
}

template <class Message>
Message message_of(const Log::Entry& entry) {
  Message message;
  View tail;
  decode({entry.frame() + sizeof(CallHead), entry.bytes - sizeof(CallHead)}, message, tail);
  return message;
}

} // namespace

Log::Block::Block(Block&& other) noexcept { *this = std::move(other); }

Log::Block& Log::Block::operator=(Block&& other) noexcept {
  std::swap(own, other.own);
  std::swap(memory, other.memory);
  std::swap(size, other.size);
  std::swap(used, other.used);
  return *this;
}

Log::Block::~Block() {
  if (memory && !own) HiddenFile::unmap(memory, size);
}

// Of the file where memory is used up; of memory all the same where that cannot be had, which its owner is told by full().
Log::Block Log::fresh_block(std::size_t least) {
  Block block;
  if (in_memory_ + std::max(block_bytes, least) > room_.memory && room_.file > 0 && trouble_.empty()) {
    try {
      if (!file_) file_.emplace(room_.folder);
      block.size = (std::max(file_block_bytes, least) + page - 1) / page * page;
      block.memory = file_->map(block.size);
      return block;
    } catch (const std::system_error& e) {
      trouble_ = e.code().message();
    }
  }
  block.size = std::max(block_bytes, least);
  block.own.reset(new u64[block.size / sizeof(u64)]);
  block.memory = reinterpret_cast<unsigned char*>(block.own.get());
  in_memory_ += block.size;
  return block;
}

std::string Log::why_full() const {
  if (!trouble_.empty()) return "has no more room in " + room_.folder + " (" + trouble_ + ")";
  return "has come to " + std::to_string((room_.memory + room_.file) >> 20) + " MiB";
}

Log::Entry& Log::append(Kind kind, std::uint16_t call, u64 number, View first, View rest) {
  const std::size_t bytes = first.size + rest.size, room = (sizeof(Entry) + bytes + 7) / 8 * 8;
  if (blocks_.empty() || blocks_.rbegin()->second.used + room > blocks_.rbegin()->second.size) {
    const std::size_t next = blocks_.empty() ? first_ : blocks_.rbegin()->first + 1;
    if (!blocks_.empty() && !blocks_.rbegin()->second.own)
      HiddenFile::set_aside(blocks_.rbegin()->second.memory, blocks_.rbegin()->second.size);
    blocks_[next] = fresh_block(room);
  }
  Block& block = blocks_.rbegin()->second;
  auto* entry = reinterpret_cast<Entry*>(block.memory + block.used);
  *entry = {kind, call, static_cast<u32>(bytes), static_cast<u32>(room), 0, number};
  if (first.size) std::memcpy(entry->frame(), first.data, first.size);
  if (rest.size) std::memcpy(entry->frame() + first.size, rest.data, rest.size);
  block.used += room;
  bytes_ += room;
  return *entry;
}

void Log::add(View first, View rest) {
  const CallHead head = head_of(static_cast<const unsigned char*>(first.data));
  const Row* row = row_of(head.call);
  Entry& entry = append(Kind::call, head.call, head.number, first, rest);
  if (row->answered || head.wanted) waiting_[head.number] = &entry;
  if (entry.is(Call::HostCall)) calls_functions_ = true;
  if (entry.is(Call::BeginCapture)) ++captures_;
  if (entry.is(Call::EndCapture)) --captures_;
  // One that is captured stops its stream at each launch of the graph.
  if (entry.is(Call::HostCall) && captures_ == 0) ++stops_;
  if (entry.is(Call::LaunchGraph)) stops_ += static_cast<int>(message_of<call::LaunchGraph>(entry).functions);
  if (entry.is(Call::Release)) --stops_;
}

Call Log::waited_for(u64 number) const {
  const Entry* entry = waiting(number);
  return entry ? static_cast<Call>(entry->call) : Call::count;
}

const Log::Entry* Log::waiting(u64 number) const {
  const auto at = waiting_.find(number);
  return at == waiting_.end() ? nullptr : at->second;
}

void Log::answered(u64 number, i32 error) {
  const auto at = waiting_.find(number);
  if (at == waiting_.end()) return;
  Entry& entry = *at->second;
  waiting_.erase(at);
  const Logged logged = row_of(entry.call)->logged;
  if (error != 0 || logged == Logged::ask) {
    if (logged == Logged::once && entry.is(Call::HostCall)) --stops_;
    entry.kind = Kind::dropped;
    return;
  }
  if (logged == Logged::waits) {
    play_as_wait(entry);
    append(Kind::answered, entry.call, number, {}, {});
  }
}

// Bytes that have come out need not come again, and a query that has said yes was as good as a wait.
void Log::play_as_wait(Entry& entry) {
  std::vector<unsigned char> frame;
  const auto wait = [&](const auto& message) { remote::frame(entry.number, true, message, 0, frame); };
  if (entry.is(Call::CopyOut))
    wait(call::WaitStream{message_of<call::CopyOut>(entry).stream});
  else if (entry.is(Call::CopyOutBox))
    wait(call::WaitStream{message_of<call::CopyOutBox>(entry).stream});
  else if (entry.is(Call::QueryStream))
    wait(call::WaitStream{message_of<call::QueryStream>(entry).stream});
  else if (entry.is(Call::QueryEvent))
    wait(call::WaitEvent{message_of<call::QueryEvent>(entry).event});
  else
    return;
  std::memcpy(entry.frame(), frame.data(), frame.size()); // never longer
  entry.bytes = static_cast<u32>(frame.size());
  entry.call = head_of(frame.data()).call;
}

void Log::reached(u64 token) { append(Kind::reached, 0, token, {}, {}); }

Log::Place Log::end() const {
  if (blocks_.empty()) return {first_, 0};
  return {blocks_.rbegin()->first, blocks_.rbegin()->second.used};
}

const Log::Entry* Log::at(Place& place) const {
  for (auto block = blocks_.lower_bound(place.block); block != blocks_.end(); ++block) {
    if (block->first != place.block) place = {block->first, 0};
    if (place.offset < block->second.used)
      return reinterpret_cast<const Entry*>(block->second.memory + place.offset);
  }
  return nullptr;
}

void Log::next(Place& place) const { place.offset += at(place)->room; }

void Log::cut(Place place, bool image) {
  // From the newest to the oldest, so that an end is seen before its beginning.
  std::vector<Entry*> old;
  for (Place at = begin(); this->at(at) && (at.block < place.block || at.offset < place.offset); next(at))
    old.push_back(const_cast<Entry*>(this->at(at)));
  std::map<std::pair<Call, u64>, bool> gone; // what made them is forgotten
  std::vector<Entry*> kept;
  const bool graphs =
      std::any_of(old.begin(), old.end(), [](const Entry* e) { return e->is(Call::BeginCapture); });
  int captured = 0; // what a graph is made of, and what went to other streams meanwhile, stays
  for (auto at = old.rbegin(); at != old.rend(); ++at) {
    Entry& e = **at;
    if (e.kind != Kind::call) continue;
    const auto call = static_cast<Call>(e.call);
    if (call == Call::EndCapture) ++captured;
    if (call == Call::BeginCapture) --captured;
    bool keep = captured > 0 || waiting_.count(e.number) || row_of(e.call)->logged == Logged::state;
    if (graphs && call != Call::Map && call != Call::Unmap) {
      // streams and events that a graph was captured from have to be there, if only at first
    } else if (call == Call::DestroyStream || call == Call::DestroyEvent) {
      const u64 of = call == Call::DestroyStream ? message_of<call::DestroyStream>(e).stream
                                                 : message_of<call::DestroyEvent>(e).event;
      gone[{call == Call::DestroyStream ? Call::CreateStream : Call::CreateEvent, of}] = true;
      if (call == Call::DestroyEvent) gone[{Call::Record, of}] = true;
      keep = false;
    } else if (call == Call::CreateStream) {
      keep = !gone.count({call, message_of<call::CreateStream>(e).stream});
    } else if (call == Call::CreateEvent) {
      keep = !gone.count({call, message_of<call::CreateEvent>(e).event});
    } else if (call == Call::Record) { // the last one of an event, which has happened: of any stream
      auto record = message_of<call::Record>(e);
      keep = !gone.count({call, record.event});
      gone[{call, record.event}] = true;
      record.stream = 0;
      std::vector<unsigned char> frame;
      remote::frame(e.number, head_of(e.frame()).wanted, record, 0, frame);
      std::memcpy(e.frame(), frame.data(), frame.size());
    } else if (call == Call::Unmap) {
      gone[{Call::Map, message_of<call::Unmap>(e).address}] = true;
      keep = false;
    } else if (call == Call::Map) {
      keep = !gone.count({call, message_of<call::Map>(e).address});
      gone.erase({call, message_of<call::Map>(e).address}); // an older one was unmapped before this
    }
    if (keep) kept.push_back(&e);
  }
  Log fresh(room_);
  for (auto at = kept.rbegin(); at != kept.rend(); ++at) {
    Entry& copy = fresh.append(Kind::call, (*at)->call, (*at)->number, {(*at)->frame(), (*at)->bytes}, {});
    if (waiting_.count((*at)->number)) waiting_[(*at)->number] = &copy;
  }
  if (image) fresh.append(Kind::image, 0, 0, {}, {});
  for (Place at = place; this->at(at); next(at)) {
    const Entry& e = *this->at(at);
    if (e.kind == Kind::dropped) continue;
    Entry& copy = fresh.append(e.kind, e.call, e.number, {e.frame(), e.bytes}, {});
    if (waiting_.count(e.number) && e.kind == Kind::call) waiting_[e.number] = &copy;
  }
  fresh.waiting_ = std::move(waiting_);
  fresh.stops_ = stops_;
  fresh.captures_ = captures_;
  *this = std::move(fresh);
}

} // namespace tasuki::remote
