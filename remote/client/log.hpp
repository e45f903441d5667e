// The calls of one virtual device, so that another worker can be brought to where this one stands.
//
//   Log log;
//   log.add(frame, bytes);                 // a call, as it goes to the worker
//   log.answered(number, error);           // its answer goes to the program
//   log.reached(token);                    // a function of the program's begins
//   Log::Place at = log.begin();
//   while (const Log::Entry* e = log.at(at)) { ..play e..; log.next(at); }
//
// What becomes of a call is said by its row of wire/calls.def, and nowhere else. An answer that the client may rely on is an
// entry of its own: who plays the log waits there until the new worker has answered that call, too. So what the program did one after
// the other by waiting is not done at once by the player. A call that was answered with an error did nothing, and is dropped.
//
// It has so much memory, and what is over lies in a hidden file, so much too. Where that is not enough, or the disk is full, the
// log says so, and is its owner's to give up.
//
// Not for several threads; entries stay where they are until cut().
#pragma once

#include <remote/link/hidden_file.hpp>
#include <remote/wire/frames.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tasuki::remote {

class Log {
public:
  enum class Kind : std::uint16_t { call, answered, reached, dropped, image };
  struct Entry {
    Kind kind;
    std::uint16_t call;
    u32 bytes; // of the frame behind this
    u32 room;  // of it and this, rounded
    u32 zero;
    u64 number; // the call's; of reached: the token
    const unsigned char* frame() const { return reinterpret_cast<const unsigned char*>(this + 1); }
    unsigned char* frame() { return reinterpret_cast<unsigned char*>(this + 1); }
    bool is(Call made) const { return call == static_cast<std::uint16_t>(made); }
  };
  static_assert(sizeof(Entry) == 24, "frames lie aligned behind it");

  struct Room {
    Room(u64 in_memory = ~0ull, u64 in_file = 0, std::string in_folder = {})
        : memory(in_memory), file(in_file), folder(std::move(in_folder)) {}
    u64 memory, file; // bytes
    std::string folder;
  };
  explicit Log(Room room = {}) : room_(std::move(room)) {}

  // One whole frame: its head and fields, and behind it the rest of its tail, where that lies elsewhere.
  void add(View first, View rest = {});
  void answered(u64 number, i32 error);
  void reached(u64 token);
  // The call of a number that has not been answered yet; Call::count where there is none.
  Call waited_for(u64 number) const;
  const Entry* waiting(u64 number) const; // its entry; null where there is none

  struct Place {
    std::size_t block = 0, offset = 0;
    bool before(const Place& other) const {
      return block < other.block || (block == other.block && offset < other.offset);
    }
  };
  Place begin() const { return {first_, 0}; }
  Place end() const;
  const Entry* at(Place& place) const; // null: it is at the end, and goes on from there once more has come
  void next(Place& place) const;

  // An image holds what memory was when the log ended at `place`: what is in memory alone is forgotten before it, and what made
  // things that have been destroyed since. What has not been answered stays. With `image` a mark lies there.
  void cut(Place place, bool image = false);

  u64 bytes() const { return bytes_; }
  u64 bytes_in_file() const { return file_ ? file_->bytes() : 0; }
  bool full() const { return bytes_ > room_.memory + room_.file || !trouble_.empty(); }
  std::string why_full() const;                             // "has come to 1024 MiB"
  int stops() const { return stops_; }                      // streams that stop for the client, or may
  bool waits() const { return !waiting_.empty(); }          // for answers
  bool captures() const { return captures_ > 0; }           // a stream's calls become a graph
  bool calls_functions() const { return calls_functions_; } // of the program, by now or before

private:
  struct Block { // never grows: entries stay where they are
    std::unique_ptr<u64[]> own;
    unsigned char* memory = nullptr; // `own`, or the file's
    std::size_t size = 0, used = 0;  // bytes
    Block() = default;
    Block(Block&& other) noexcept;
    Block& operator=(Block&& other) noexcept;
    ~Block();
  };
  Block fresh_block(std::size_t least);
  Entry& append(Kind kind, std::uint16_t call, u64 number, View first, View rest);
  static void play_as_wait(Entry& entry);

  Room room_;
  std::optional<HiddenFile> file_;
  std::string trouble_;                 // with it
  u64 in_memory_ = 0;                   // bytes of blocks
  std::map<std::size_t, Block> blocks_; // by number, from first_
  std::size_t first_ = 0;
  std::unordered_map<u64, Entry*> waiting_;
  u64 bytes_ = 0;
  int stops_ = 0, captures_ = 0;
  bool calls_functions_ = false;
};

} // namespace tasuki::remote
