// Hashes that are independent of the number of ranks and of the decomposition.
#pragma once

#include <tasuki/base/box.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tasuki {

class World;

// 64 bits of XXH3.
std::uint64_t hash_bytes(const void* data, std::size_t bytes, std::uint64_t seed);

// The hash of the bytes `from` .. `to - 1` of a file, in pieces of 1 MiB that are distributed over the ranks: the sum,
// modulo 2^64, of the pieces' hashes, each seeded with the piece's number. Throws Error. Collective.
std::uint64_t hash_file(World& world, const std::string& name, const std::string& path, std::uint64_t from,
                        std::uint64_t to);

// The sum, modulo 2^64, of the hashes of a field's values, each seeded with its index in the file (component *
// cells + cell, x fastest), over the cells of `block` of one component, contiguous at `values`. The sum over all
// blocks and components is the field's checksum. Local.
std::uint64_t checksum(const void* values, std::size_t value_bytes, const Box& block, const Index& extents,
                       int component);

// The same for a whole field in a file: `count` values from byte `offset`. Throws Error. Collective.
std::uint64_t checksum_in_file(World& world, const std::string& path, std::uint64_t offset,
                               std::uint64_t count, std::size_t value_bytes);

// The sum over the ranks, modulo 2^64. Collective.
std::uint64_t sum_of(World& world, std::uint64_t mine);

} // namespace tasuki
