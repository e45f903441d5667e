#include "deliver.hpp"

#include "track.hpp"

#include <tasuki/base/wait.hpp>

#include <climits>
#include <cstring>

namespace tasuki::xmp {
namespace {

void check_index(const Array& array, const Place& index) {
  for (int d = 0; d < array.dims(); ++d)
    if (index[static_cast<std::size_t>(d)] < 0 || index[static_cast<std::size_t>(d)] >= array.extent(d))
      throw Error("index " + std::to_string(index[static_cast<std::size_t>(d)]) +
                      " is outside of dimension " + std::to_string(d) + " of '" + array.name() + "', 0 to " +
                      std::to_string(array.extent(d) - 1),
                  "name elements that there are");
}

std::vector<int> counts_of(const std::vector<std::vector<char>>& lists) {
  std::vector<int> counts;
  long all = 0;
  for (const auto& list : lists) {
    all += static_cast<long>(list.size());
    counts.push_back(static_cast<int>(list.size()));
  }
  if (all > INT_MAX) throw Error(std::to_string(all) + " bytes go from one rank at a time", "use more ranks");
  return counts;
}

std::vector<int> starts_of(const std::vector<int>& counts) {
  std::vector<int> starts;
  int next = 0;
  for (const int count : counts) {
    starts.push_back(next);
    next += count;
  }
  return starts;
}

} // namespace

std::vector<std::vector<char>> exchanged(const Ranks& ranks, const std::vector<std::vector<char>>& to) {
  const std::vector<int> mine = counts_of(to);
  std::vector<int> theirs(mine.size());
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ialltoall(mine.data(), 1, MPI_INT, theirs.data(), 1, MPI_INT, ranks.comm(), &request);
  detail::await(ranks.world(), {request}, "how much comes from the other nodes");
  std::vector<char> out, in;
  for (const auto& list : to) out.insert(out.end(), list.begin(), list.end());
  const std::vector<int> from = starts_of(mine), at = starts_of(theirs);
  in.resize(static_cast<std::size_t>(at.back()) + static_cast<std::size_t>(theirs.back()));
  MPI_Ialltoallv(out.data(), mine.data(), from.data(), MPI_BYTE, in.data(), theirs.data(), at.data(),
                 MPI_BYTE, ranks.comm(), &request);
  detail::await(ranks.world(), {request}, "elements of the other nodes");
  std::vector<std::vector<char>> came;
  for (std::size_t k = 0; k < at.size(); ++k)
    came.emplace_back(in.begin() + at[k], in.begin() + at[k] + theirs[k]);
  return came;
}

void each_own(Array& array, bool once_only, const std::function<void(const Place&, char*)>& visit) {
  if (array.node() < 0 || array.holding().empty()) return;
  const Alignment& alignment = array.alignment();
  Place index(static_cast<std::size_t>(array.dims()));
  const auto walk = [&](const auto& self, int d) -> void {
    if (d == array.dims()) {
      if (!once_only || alignment.owners(index).front() == array.node()) visit(index, array.at<char>(index));
      return;
    }
    const AlignedAxis& axis = alignment.axes()[static_cast<std::size_t>(d)];
    for (const Progression& run : axis.runs(alignment.coordinate(array.node(), d), span(0, axis.extent())))
      for (long k = 0; k < run.count; ++k) {
        index[static_cast<std::size_t>(d)] = run[k];
        self(self, d + 1);
      }
  };
  walk(walk, 0);
}

Holders::Holders(const Array& array, const Ranks& ranks)
    : array_(array), ranks_(ranks), holdings_(static_cast<std::size_t>(array.nodes().size())) {}

std::vector<Holders::Held> Holders::of(const Place& index, bool once_only) {
  check_index(array_, index);
  std::vector<Held> held;
  for (const int node : array_.alignment().owners(index)) {
    auto& holding = holdings_[static_cast<std::size_t>(node)];
    if (!holding) holding = array_.holding_of(node);
    const auto place = ranks_.place_of(array_.nodes().rank(node));
    if (!place)
      throw Error("rank " + std::to_string(array_.nodes().rank(node)) + ", which holds a part of '" +
                      array_.name() + "', takes no part in this",
                  "let all nodes of the array execute it");
    held.push_back({*place, holding->offset(array_.alignment(), index)});
    if (once_only) break;
  }
  return held;
}

Delivery::Delivery(ArrayObject& to, const Ranks& ranks)
    : to_(to), ranks_(ranks), holders_(*to.array, ranks), letters_(static_cast<std::size_t>(ranks.size())) {}

void Delivery::put(const Place& index, const char* element) {
  for (const Holders::Held& held : holders_.of(index, false)) {
    std::vector<char>& letter = letters_[static_cast<std::size_t>(held.place)];
    const auto* const offset = reinterpret_cast<const char*>(&held.offset);
    letter.insert(letter.end(), offset, offset + sizeof held.offset);
    letter.insert(letter.end(), element, element + to_.size);
  }
}

void Delivery::send() {
  for (const std::vector<char>& letter : exchanged(ranks_, letters_))
    for (std::size_t at = 0; at < letter.size(); at += sizeof(long) + static_cast<std::size_t>(to_.size)) {
      long offset = 0;
      std::memcpy(&offset, letter.data() + at, sizeof offset);
      std::memcpy(to_.face->start + offset, letter.data() + at + sizeof offset,
                  static_cast<std::size_t>(to_.size));
      if (to_.track) to_.track->wrote(offset / to_.size);
    }
}

std::vector<char> fetch(ArrayObject& from, const Ranks& ranks, const std::vector<Place>& indices) {
  Holders holders(*from.array, ranks);
  std::vector<std::vector<char>> asks(static_cast<std::size_t>(ranks.size()));
  std::vector<int> of;
  for (const Place& index : indices) {
    const Holders::Held held = holders.of(index, true).front();
    const auto* const offset = reinterpret_cast<const char*>(&held.offset);
    auto& ask = asks[static_cast<std::size_t>(held.place)];
    ask.insert(ask.end(), offset, offset + sizeof held.offset);
    of.push_back(held.place);
  }
  std::vector<std::vector<char>> answers;
  for (const std::vector<char>& asked : exchanged(ranks, asks)) {
    std::vector<char>& answer = answers.emplace_back();
    for (std::size_t at = 0; at < asked.size(); at += sizeof(long)) {
      long offset = 0;
      std::memcpy(&offset, asked.data() + at, sizeof offset);
      answer.insert(answer.end(), from.face->start + offset, from.face->start + offset + from.size);
    }
  }
  const std::vector<std::vector<char>> came = exchanged(ranks, answers);
  std::vector<std::size_t> next(came.size());
  std::vector<char> dense;
  for (const int place : of) {
    const char* const element =
        came[static_cast<std::size_t>(place)].data() + next[static_cast<std::size_t>(place)];
    dense.insert(dense.end(), element, element + from.size);
    next[static_cast<std::size_t>(place)] += static_cast<std::size_t>(from.size);
  }
  return dense;
}

} // namespace tasuki::xmp
