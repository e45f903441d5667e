// Parameters of kernels that do many steps of a sweep. Plain values, independent of the types of cells.
//
// The block of a device is cut into tiles, one per thread block, with a halo of `depth` steps in shared memory.
//
// If all tiles fit at once, one per multiprocessor, they are resident in shared memory during all steps. Every `depth`
// steps a tile stores its rim into the mail of its own device and of neighbouring devices, and reads its halo from its
// own device's mail. A number and its turn are one word, so a reader sees whether the number is new, without a flag
// and a fence (as in NCCL's LL protocol). A neighbour on this device and one on another differ only in the device
// whose mail the rim is stored into.
//
// Otherwise tiles are computed in a pass over device memory: each tile loads its cells and halo, does some steps, and
// stores its own cells into the other memory (overlapped tiling, as in Holewinski et al., ICS 2012). A pass may test a
// reduction ("look") after any of its steps: every tile stores its part of each look, and the last tile to end adds the
// parts, tells them to the other ranks, and tests the looks in the order of the steps. Once a look has reached the
// threshold, passes enqueued later do nothing, so the memory that this pass has read stays unchanged.
#pragma once

#include <tasuki/base/box.hpp>
#include <tasuki/device/signal/watch.hpp>

#include <string>

namespace tasuki {

inline constexpr int kTiledDims = 4;
inline constexpr int kTiledEndless = 1 << 28; // cells: the assumed extent of a region along a periodic axis
inline constexpr int kTiledSlots = 6;
inline constexpr int kTiledAccesses = 14;
inline constexpr int kTiledPhases = 4;  // steps after which swaps restore the first assignment of memories
inline constexpr int kTiledMails = 4;   // slots that are exchanged together
inline constexpr int kTiledReduces = 3; // per sweep
inline constexpr int kTiledLooks = 8;   // in a pass, of so many steps at most
inline constexpr int kLookEntries = 2;  // words of a look's value in a pass: a bracket is two numbers
inline constexpr int kTiledBoxes = 32;  // mailboxes: neighbours of a block in all directions, and its own

// A memory that is kept in shared memory tile by tile: one that the steps change, or one that is read at other cells.
struct TiledSlot {
  char* origin = nullptr; // the first owned cell, in device memory
  char* leave = nullptr;  // in a pass: the same cell of the memory that receives the result; null: none
  bool taken = false;     // in a pass: its cells are read before they are written
  int element_bytes = 4;  // a multiple of 4
  int components = 1;
  int offset = 0; // bytes in shared memory
};

enum class TiledKind { resident, pass, wave }; // wave: a pass in which tiles move along z (kernel/wave.hpp)

// Which constant memories have copies in shared memory: none, those with several numbers per cell, or all.
enum Pinned : int { kNonePinned, kSomePinned, kAllPinned };

// The memory of an access of the sweep: a slot for each phase of the swaps, or a constant memory.
struct TiledAccess {
  int slot[kTiledPhases] = {-1, -1, -1, -1}; // or -1
  const char* origin = nullptr;              // of a constant memory
  int offset = -1;                           // of its copy in shared memory, in bytes; -1: no copy
  int element_bytes = 0, components = 0;
};

// A 4-byte number is stored in the mail as 8 bytes: {number, turn}; an 8-byte number as {half, turn, half, turn}. Two
// mails alternate: a turn overwrites the mail of two turns before. All readers have read that by then, since a tile
// reads the mail of each turn before that of the next, and neighbours read from each other.
struct TiledMailbox { // of this rank or of another
  char* mail[2][kTiledMails];
  long plane; // numbers between components
};
struct alignas(8) TiledTake { // a cell of a tile's halo: its index in the slot and in this rank's mail
  int near, mail;
};
struct alignas(16) TiledPut { // a cell of a tile's rim, and the mailbox that it is stored into
  int near, mail, box, unused;
};

// The stopping criterion that the kernel tests every `every` steps, and whose values it may leave for the host.
struct TiledUntil {
  int every = 0; // 0: never
  bool tests = true;
  int late = 0;
  int reduce = 0; // index of the reduction in the sweep
  int below = 1;
  double threshold = 0;
  bool exact =
      true; // of a pass with a sum: the host decides a look that the sum in doubles cannot decide for sure
};

struct TiledLaunch {
  // The tiles of this block. Cell indices are local: owned cells start at 0.
  int tiles[kTiledDims] = {};
  int tile[kTiledDims] = {}; // cells of the largest tile
  int blocks = 0;            // the number of tiles
  int owned[kTiledDims] = {};
  int region_lo[kTiledDims] = {}, region_hi[kTiledDims] = {}; // the cells that the sweep updates
  int reach[kTiledDims] = {};                                 // the largest offset at which a step reads
  int halo[kTiledDims] = {};                                  // of a tile: depth * reach
  int depth = 1;
  bool wraps[kTiledDims] = {};             // the block is its own neighbour along the axis
  long stride[kTiledDims] = {}, plane = 0; // of device memory, in elements
  long origin[kTiledDims] = {}, extent[kTiledDims] = {};
  int near_stride[kTiledDims] = {}, near_plane = 0; // of a slot in shared memory
  int fixed_stride[kTiledDims] = {}, fixed_plane = 0,
      fixed_halo[kTiledDims] = {}; // of constant memories in shared memory

  Pinned pinned = kNonePinned;

  int slots = 0, accesses = 0, phases = 1;
  TiledSlot slot[kTiledSlots];
  TiledAccess access[kTiledAccesses];
  int mails = 0;
  int mailed[kTiledMails] = {}; // accesses whose slots are exchanged
  // Tile t has takes[take_from[t] .. take_from[t + 1]), and puts likewise. boxes[0] is this rank's own.
  const TiledMailbox* boxes = nullptr;
  int box_count = 0;
  const TiledTake* takes = nullptr;
  const int* take_from = nullptr;
  const short* take_rank = nullptr; // of each take: the world rank that sends it
  const TiledPut* puts = nullptr;
  const int* put_from = nullptr;
  unsigned* turn = nullptr; // the last turn of the previous launch; updated for the next launch
  bool split = false;       // computing the interior while mail is in transit pays off

  int steps = 0;
  TiledUntil until;
  int first_look = 0;       // steps until the first look, 1 or more
  unsigned looks = 0;       // made by earlier launches; of a pass with looks: the turn of their boards
  int verdict_in = -1;      // steps until the pending look is tested; -1: none is pending
  char* partials = nullptr; // 16 bytes per reduction and tile; of a pass: per look and tile
  unsigned* over =
      nullptr; // of a pass with looks: `epoch` once a look has reached the threshold or is undecided
  unsigned epoch = 1;
  unsigned* counter = nullptr; // 0 between launches
  // Sums of floating-point numbers: an ExactSum per reduction, to which tiles add digits. 0 between launches.
  long long* sums = nullptr;
  char* slot_of[kTiledReduces] = {}; // results of the reductions on this device
  bool exact[kTiledReduces] = {};    // the result is stored as digits
  // Of a kernel that stays: the parts of each look at the reduction, for the host. An ExactSum a look, to which tiles add
  // digits, 0 before; or the part of each tile, of so many bytes. Null: the host needs none.
  char* log = nullptr;
  int log_bytes = 0;
  // Per node rank, for `until`: [2][ranks][blocks] entries of 16 bytes, then [2][ranks][blocks] times one per digit. Of
  // a pass: [2][ranks][depth][kLookEntries] entries.
  char* const* boards = nullptr;
  int rank = 0, ranks = 1; // of the node
  // Steps done, whether `until` was reached, and verdict_in and looks for the next launch. Of a pass with looks: the
  // step whose look reached the threshold, negated if the look is undecided, 0 if there was none.
  int* result = nullptr;
  WatchHandle watch = {};
  const int* world_rank = nullptr; // of each node rank
};

// The resources of a sweep's kernel on this GPU.
struct TiledLimits {
  bool possible = false;
  std::string reason; // why not
  int multiprocessors = 0;
  int threads = 0;      // per block
  int shared_bytes = 0; // per block, for slots and copies
  int words = 1;        // the least count of numbers that a cell reads and writes
};

} // namespace tasuki
