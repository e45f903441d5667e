#include <tasuki/base/subset.hpp>

#include <tasuki/base/digest.hpp>
#include <tasuki/base/wait.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

namespace tasuki {
namespace {

using Members = std::vector<int>;

constexpr int kMeetTag = 7310, kMakeTag = 7311;

// A short list for messages: "0, 1, 2 and 5 more".
std::string text_of(const Members& ranks) {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t k = 0; k < std::min(kMost, ranks.size()); ++k)
    text += (k ? ", " : "") + std::to_string(ranks[k]);
  return ranks.size() > kMost ? text + " and " + std::to_string(ranks.size() - kMost) + " more" : text;
}

void check(const World& world, const Members& sorted) {
  const auto refuse = [&](const std::string& why, const std::string& mend) {
    throw Error("rank " + std::to_string(world.rank()) + " asks for a subset of ranks " + why, mend);
  };
  if (sorted.empty()) refuse("that is empty", "name one rank or more");
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) refuse("with rank " + std::to_string(*twice) + " twice", "name every rank once");
  for (const int rank : {sorted.front(), sorted.back()})
    if (rank < 0 || rank >= world.size())
      refuse("with rank " + std::to_string(rank),
             "the world has ranks 0 to " + std::to_string(world.size() - 1));
  if (!std::binary_search(sorted.begin(), sorted.end(), world.rank()))
    refuse(text_of(sorted) + ", to which it does not belong", "let the members alone ask for it");
}

struct Meant {
  std::uint64_t digest, size;
};

// Returns after the members below this rank in a binary tree have called it for the same set.
void meet(World& world, const Members& members) {
  Digest digest;
  for (const int rank : members) digest.add(static_cast<std::uint64_t>(rank));
  Meant mine{digest.value(), members.size()};
  const std::string what = "ranks " + text_of(members) + " to make a communicator of their own";
  const auto me = static_cast<std::size_t>(std::lower_bound(members.begin(), members.end(), world.rank()) -
                                           members.begin());
  std::size_t bit = 1;
  for (; bit < members.size() && !(me & bit); bit *= 2) {
    if (me + bit >= members.size()) continue;
    const int from = members[me + bit];
    Meant other{};
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&other, 2, MPI_UINT64_T, from, kMeetTag, world.comm(), &request);
    detail::await(world, {request}, what.c_str());
    if (other.digest == mine.digest && other.size == mine.size) continue;
    throw Error("rank " + std::to_string(world.rank()) + " makes a subset of ranks " + text_of(members) +
                    ", rank " + std::to_string(from) + " another one, of " + std::to_string(other.size) +
                    " ranks",
                "let all members make the same sets in one order");
  }
  if (me == 0) return;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(&mine, 2, MPI_UINT64_T, members[me - bit], kMeetTag, world.comm(), &request);
  detail::await(world, {request}, what.c_str());
}

// The sets that a world has created, in order.
class Subsets {
public:
  explicit Subsets(World& world) : world_(world) {}
  ~Subsets() {
    if (unwinding()) return;
    for (auto made = made_.rbegin(); made != made_.rend(); ++made) MPI_Comm_free(&made->comm);
  }
  Subsets(const Subsets&) = delete;
  Subsets& operator=(const Subsets&) = delete;

  Ranks of(Members members) {
    for (const Made& made : made_)
      if (*made.members == members) return {world_, made.comm, made.members};
    meet(world_, members);
    MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_group(world_.comm(), &all);
    MPI_Group_incl(all, static_cast<int>(members.size()), members.data(), &some);
    {
      const Waiting now(world_, "the ranks of a subset to make their communicator");
      MPI_Comm_create_group(world_.comm(), some, kMakeTag, &comm);
    }
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    const Made& made = made_.emplace_back(Made{comm, std::make_shared<const Members>(std::move(members))});
    return {world_, made.comm, made.members};
  }

private:
  struct Made {
    MPI_Comm comm;
    std::shared_ptr<const Members> members;
  };
  World& world_;
  std::deque<Made> made_;
};

} // namespace

void keep_subsets(World& world) { world.part<Subsets>(); }

Ranks subset(World& world, std::vector<int> ranks) {
  std::sort(ranks.begin(), ranks.end());
  check(world, ranks);
  const auto count = static_cast<int>(ranks.size());
  const auto here = [&](int rank) { return world.same_node(rank, world.rank()); };
  if (count == world.size()) return world;
  if (count == world.node_size() && std::all_of(ranks.begin(), ranks.end(), here))
    return Ranks::of_node(world);
  return world.part<Subsets>().of(std::move(ranks));
}

Ranks on_node(const Ranks& ranks) {
  World& world = ranks.world();
  std::vector<int> here;
  for (int k = 0; k < ranks.size(); ++k)
    if (world.same_node(ranks.rank(k), world.rank())) here.push_back(ranks.rank(k));
  return subset(world, std::move(here));
}

} // namespace tasuki
