#include <tasuki/transfer/alike.hpp>

#include <tasuki/base/digest.hpp>
#include <tasuki/base/error.hpp>
#include <tasuki/base/reduce.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace tasuki {
namespace {

using Word = std::uint64_t;

// Mixes the bits of a digest. Sums of digests are compared, so one different bit must change all other bits.
Word mixed(Word n) {
  n = (n ^ (n >> 33)) * 0xff51afd7ed558ccdu;
  n = (n ^ (n >> 33)) * 0xc4ceb9fe1a85ec53u;
  return n ^ (n >> 33);
}

// The digest of a parcel, given its number among the parcels between these two ranks. Equal on both ranks.
Word digest_of(const Parcel& p, long number, long bytes) {
  Digest digest;
  for (const long part : {static_cast<long>(p.from), static_cast<long>(p.to), number, bytes,
                          static_cast<long>(p.route.channel), static_cast<long>(p.route.mode)})
    digest.add(static_cast<Word>(part));
  return mixed(digest.value());
}

} // namespace

void compare_parcels(const Ranks& ranks, const std::vector<Parcel>& parcels) {
  const World& world = ranks.world();
  const int me = world.rank();
  // The sender adds a digest and the receiver subtracts it, so the sum over all ranks is 0 if the lists are equal.
  std::map<std::pair<int, int>, std::pair<long, Word>>
      pairs; // by sender and receiver: the number of parcels, and the sum of their digests
  Word all = 0;
  for (const Parcel& p : parcels) {
    if (p.from == p.to) continue;
    auto& [number, sum] = pairs[{p.from, p.to}];
    const Word digest = digest_of(p, number++, (p.from == me ? p.sent : p.landing).bytes());
    sum += p.from == me ? digest : -digest;
  }
  for (const auto& [pair, known] : pairs) all += known.second;
  if (reduce_sum(ranks, all) == 0) return;

  // The first receiver whose sum is not 0, then the first sender to it whose sum is not 0.
  const auto first = [&](const auto& place_of) {
    std::vector<Word> sums(static_cast<std::size_t>(world.size()), 0);
    for (const auto& [pair, known] : pairs)
      if (const int place = place_of(pair); place >= 0) sums[static_cast<std::size_t>(place)] += known.second;
    sums = reduce_sum(ranks, std::move(sums));
    return static_cast<int>(std::find_if(sums.begin(), sums.end(), [](Word n) { return n != 0; }) -
                            sums.begin());
  };
  const int to = first([](const auto& pair) { return pair.second; });
  const int from = first([&](const auto& pair) { return pair.second == to ? pair.first : -1; });
  throw Error("rank " + std::to_string(from) + " sends rank " + std::to_string(to) +
                  " other parcels than rank " + std::to_string(to) + " expects",
              "let both list the same parcels in the same order, with the same routes and numbers of bytes");
}

} // namespace tasuki
