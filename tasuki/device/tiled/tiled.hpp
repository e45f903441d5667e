// Kernels that do many steps of a sweep: what they are told. Plain values, no types of cells.
//
// The block of a device is cut into tiles, a thread block a tile, with a halo `depth` steps deep in its shared memory.
//
// Where all tiles fit at once, one a multiprocessor, they are resident: they stay while all the steps are done. Every `depth` steps it puts its rim into the
// mail of its own device and of the neighbours', and takes its halo from its own device's. A number travels with the
// turn that it belongs to, in one word: whoever reads it sees by itself whether it has come, so no flag and no fence
// stands in its way (the way of NCCL's LL protocol). A neighbour on this device and one on another are the same but
// for whose mail the rim is stored into.
//
// Where they do not, tiles come and go in a pass over memory: each reads its cells and its halo, does some steps, and
// leaves its own cells in the other memory (overlapped tiling, as in Holewinski et al., ICS 2012). A pass may look at a
// reduction after any of its steps: every tile leaves its part of each look, and the last tile to end adds up the parts
// and judges the looks in the order of the steps. Once a look has reached the threshold, passes that are enqueued behind do
// nothing, so the memory that this pass read is as it was.
#pragma once

#include <tasuki/base/box.hpp>
#include <tasuki/device/signal/watch.hpp>

#include <string>

namespace tasuki {

inline constexpr int kTiledDims = 4;
inline constexpr int kTiledEndless = 1 << 28; // cells: a region along a periodic axis goes on so far
inline constexpr int kTiledSlots = 6;
inline constexpr int kTiledAccesses = 14;
inline constexpr int kTiledPhases = 4;  // steps until swaps have come round
inline constexpr int kTiledMails = 4;   // slots that travel at once
inline constexpr int kTiledReduces = 3; // of a sweep
inline constexpr int kTiledBoxes = 32;  // mailboxes: neighbours of a block, in all directions, and its own

// A memory that lies in shared memory, tile by tile: one that the steps change, or one that is read beyond the cell.
struct TiledSlot {
  char* origin = nullptr; // the first owned cell, in device memory
  char* leave = nullptr;  // in a pass: the same of the memory that has its cells in the end; null: none
  bool taken = false;     // in a pass: its cells are read before they are written
  int element_bytes = 4;  // a multiple of 4
  int components = 1;
  int offset = 0; // bytes in shared memory
};

enum class TiledKind { resident, pass };

// Which of the memories that never change have copies in shared memory: none, those of several numbers a cell, or all.
enum Pinned : int { kNonePinned, kSomePinned, kAllPinned };

// What an access of the sweep stands for: a slot, by the phase of the swaps; or a memory that never changes.
struct TiledAccess {
  int slot[kTiledPhases] = {-1, -1, -1, -1}; // or -1
  const char* origin = nullptr;              // of what never changes
  int offset = -1; // of its copy in shared memory, bytes; -1: it is read from device memory
  int element_bytes = 0, components = 0;
};

// A number of 4 bytes lies in the mail as 8: {number, turn}; one of 8 as {half, turn, half, turn}. There are two mails,
// used in turn: what is put in a turn overwrites what was put two turns ago, which every reader has taken, since
// nobody takes a turn's mail before he has taken that of the turn before, and neighbours take from each other.
struct TiledMailbox { // of this rank, or of another
  char* mail[2][kTiledMails];
  long plane; // numbers from a component to the next
};
struct alignas(8) TiledTake { // a cell of a tile's halo: where it lies in the slot and in this rank's mail
  int near, mail;
};
struct alignas(16) TiledPut { // a cell of a tile's rim, and whose mail it goes to
  int near, mail, box, unused;
};

// Looked at inside the kernel, every so many steps.
struct TiledUntil {
  int every = 0; // 0: never
  int late = 0;
  int reduce = 0; // which of the sweep's reductions
  int below = 1;
  double threshold = 0;
  bool exact =
      true; // of a pass that sums: a look that it cannot tell by what doubles add up to is left to the host
};

struct TiledLaunch {
  // The tiles of this block. Cells are local: owned ones from 0.
  int tiles[kTiledDims] = {};
  int tile[kTiledDims] = {}; // cells of the largest
  int blocks = 0;            // tiles in all
  int owned[kTiledDims] = {};
  int region_lo[kTiledDims] = {}, region_hi[kTiledDims] = {}; // cells that the sweep does
  int reach[kTiledDims] = {}; // cells that a step reads beyond its own, at most
  int halo[kTiledDims] = {};  // of a tile: depth * reach
  int depth = 1;
  bool wraps[kTiledDims] = {};             // the block is its own neighbour along the axis
  long stride[kTiledDims] = {}, plane = 0; // of device memory, elements
  long origin[kTiledDims] = {}, extent[kTiledDims] = {};
  int near_stride[kTiledDims] = {}, near_plane = 0; // of a slot in shared memory
  int fixed_stride[kTiledDims] = {}, fixed_plane = 0,
      fixed_halo[kTiledDims] = {}; // of what never changes in shared memory

  Pinned pinned = kNonePinned;

  int slots = 0, accesses = 0, phases = 1;
  TiledSlot slot[kTiledSlots];
  TiledAccess access[kTiledAccesses];
  int mails = 0;
  int mailed[kTiledMails] = {}; // accesses whose slots travel
  // Of tile t: takes[take_from[t] .. take_from[t + 1]), and puts likewise. boxes[0] is this rank's own.
  const TiledMailbox* boxes = nullptr;
  int box_count = 0;
  const TiledTake* takes = nullptr;
  const int* take_from = nullptr;
  const short* take_rank = nullptr; // of each take: the world's rank that it comes from
  const TiledPut* puts = nullptr;
  const int* put_from = nullptr;
  unsigned* turn = nullptr; // the last turn of the launch before; left for the next one
  bool split = false;       // the interior is worth doing while mail is under way

  int steps = 0;
  TiledUntil until;
  int first_look = 0;       // steps until the first look, 1 or more
  unsigned looks = 0;       // that earlier launches made
  int verdict_in = -1;      // steps until the last of them is judged; -1: it has been
  char* partials = nullptr; // 16 bytes a reduction and tile; of a pass: a look and tile
  unsigned* over =
      nullptr; // of a pass that looks: `epoch` once a look has reached the threshold or cannot tell
  unsigned epoch = 1;
  unsigned* counter = nullptr; // 0 between launches
  // Sums of floating-point numbers: the digits that tiles leave, an ExactSum a reduction. 0 between launches.
  long long* sums = nullptr;
  char* slot_of[kTiledReduces] = {}; // the reductions' results on this device
  bool exact[kTiledReduces] = {};    // they are digits
  // Of each node rank, for `until`: [2][ranks][blocks] entries of 16 bytes, then [2][ranks][blocks] times one a digit.
  char* const* boards = nullptr;
  int rank = 0, ranks = 1; // of the node
  // Steps done, whether `until` was reached, and for the next launch: verdict_in, looks. Of a pass that looks: the step
  // that reached it, the same below 0 where that cannot be told, 0 where none did.
  int* result = nullptr;
  WatchHandle watch = {};
  const int* world_rank = nullptr; // of each node rank
};

// What a sweep's kernel can have on this GPU.
struct TiledLimits {
  bool possible = false;
  std::string reason; // why not
  int multiprocessors = 0;
  int threads = 0;      // of a block
  int shared_bytes = 0; // of a block, for slots and copies
  int words = 1;        // numbers that a cell reads and writes, at least
};

} // namespace tasuki
