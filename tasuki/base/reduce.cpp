#include <tasuki/base/reduce.hpp>

#include <tasuki/base/wait.hpp>

#include <chrono>
#include <type_traits>

namespace tasuki {
namespace {

template <class T>
MPI_Datatype type_of() {
  if constexpr (std::is_same_v<T, int>) return MPI_INT;
  if constexpr (std::is_same_v<T, long>) return MPI_LONG;
  if constexpr (std::is_same_v<T, long long>) return MPI_LONG_LONG;
  if constexpr (std::is_same_v<T, std::uint64_t>) return MPI_UINT64_T;
  if constexpr (std::is_same_v<T, double>) return MPI_DOUBLE;
}

template <class T>
std::vector<T> reduce(const Ranks& ranks, std::vector<T> list, MPI_Op op) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, list.data(), static_cast<int>(list.size()), type_of<T>(), op, ranks.comm(),
                 &request);
  detail::await(ranks.world(), {request}, "the numbers of the other ranks");
  return list;
}

} // namespace

template <class T>
std::vector<T> reduce_sum(const Ranks& ranks, std::vector<T> mine) {
  return reduce(ranks, std::move(mine), MPI_SUM);
}
template <class T>
std::vector<T> reduce_min(const Ranks& ranks, std::vector<T> mine) {
  return reduce(ranks, std::move(mine), MPI_MIN);
}
template <class T>
std::vector<T> reduce_max(const Ranks& ranks, std::vector<T> mine) {
  return reduce(ranks, std::move(mine), MPI_MAX);
}

#define TASUKI_REDUCE(T)                                                 \
  template std::vector<T> reduce_sum(const Ranks&, std::vector<T> mine); \
  template std::vector<T> reduce_min(const Ranks&, std::vector<T> mine); \
  template std::vector<T> reduce_max(const Ranks&, std::vector<T> mine);
TASUKI_REDUCE(int)
TASUKI_REDUCE(long)
TASUKI_REDUCE(long long)
TASUKI_REDUCE(std::uint64_t)
TASUKI_REDUCE(double)
#undef TASUKI_REDUCE

std::vector<char> reduce_by(const Ranks& ranks, Merger merger, std::vector<char> mine) {
  MPI_Op op = MPI_OP_NULL;
  MPI_Datatype value = MPI_DATATYPE_NULL;
  MPI_Op_create(merger, 1, &op);
  MPI_Type_contiguous(static_cast<int>(mine.size()), MPI_BYTE, &value);
  MPI_Type_commit(&value);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, mine.data(), 1, value, op, ranks.comm(), &request);
  detail::await(ranks.world(), {request}, "the values of the other ranks");
  MPI_Type_free(&value);
  MPI_Op_free(&op);
  return mine;
}

bool any_rank_of_node(World& world, bool here) {
  return reduce(Ranks::of_node(world), std::vector<int>{here}, MPI_MAX)[0] != 0;
}

void barrier(const Ranks& ranks, const char* why) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(ranks.comm(), &request);
  detail::await(ranks.world(), {request}, why);
}

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace tasuki
