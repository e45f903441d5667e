// Which boxes of which fields a rank sends, and where they land: arithmetic alone, the same on every rank and for ranks
// that are not there.
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

// Every direction in which something can travel off at most `order` axes, in an order that all ranks share.
std::vector<Direction> directions(const Decomposition& cut, int order);
int axes_of(const Direction& d);
Direction opposite(Direction d);

// The cells that travel in direction d, as the sender owns them and as the receiver's halo holds them. Local cells.
Box sent_box(const Layout& sender, const Direction& d, const Depth& depth);
Box received_box(const Layout& receiver, const Direction& d, const Depth& depth);

// What of each cell travels in direction d; `codec` null: all components.
std::vector<WireTerm> terms_of(const Codec* codec, int components, const Direction& d);

// The depth that a refresh brings a halo to: all of it, or what its codec can carry.
Depth whole_halo(const Widths& halo, int dims, bool codec);

// A field of which halos travel.
struct SentField {
  Storage storage;
  const Codec* codec = nullptr;
  Depth depth;
  bool reached = true; // neighbours of the node can store into its memory
};

// What `rank` sends, a face for each of these directions; one without parts where nothing travels.
std::vector<SentFace> sent_faces(const Decomposition& cut, int rank, const Layout& layout,
                                 const std::vector<SentField>& fields,
                                 const std::vector<Direction>& directions);

} // namespace tasuki
