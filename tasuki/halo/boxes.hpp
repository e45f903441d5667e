// The boxes of fields that a rank sends, and the halo boxes that receive them. Pure arithmetic, the same on every rank,
// also for ranks that do not exist (for predictions).
//
// for (const Direction& d : directions(cut, 1))        // across faces
//   sent_box(layout, d, depth);                        // local cells of the sender; received_box(): of the receiver
#pragma once

#include <tasuki/field/codec.hpp>
#include <tasuki/field/decompose.hpp>
#include <tasuki/field/storage.hpp>
#include <tasuki/field/validity.hpp>
#include <tasuki/route/route.hpp>

#include <array>
#include <vector>

namespace tasuki {

using Direction = std::array<int, kMaxDims>; // -1, 0, +1 along each axis

// Every direction of a message along at most `order` axes at once, in the same order on all ranks.
std::vector<Direction> directions(const Decomposition& cut, int order);
int axes_of(const Direction& d);
Direction opposite(Direction d);

// The cells that travel in direction d: the owned cells of the sender, and the halo cells of the receiver. Local cells.
Box sent_box(const Layout& sender, const Direction& d, const Depth& depth);
Box received_box(const Layout& receiver, const Direction& d, const Depth& depth);

// The components of a cell that travel in direction d; all of them if `codec` is null.
std::vector<WireTerm> terms_of(const Codec* codec, int components, const Direction& d);

// The depth of a halo after a refresh: the whole halo, or as much as the codec can carry.
Depth whole_halo(const Widths& halo, int dims, bool codec);

// A field whose halo cells are exchanged.
struct SentField {
  Storage storage;
  const Codec* codec = nullptr;
  Depth depth;
  bool reached = true; // ranks of the node can store into its memory
};

// The faces that `rank` sends, one for each of these directions. A face without parts: no cells travel.
std::vector<SentFace> sent_faces(const Decomposition& cut, int rank, const Layout& layout,
                                 const std::vector<SentField>& fields,
                                 const std::vector<Direction>& directions);

} // namespace tasuki
