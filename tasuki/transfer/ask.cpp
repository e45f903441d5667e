#include <tasuki/transfer/ask.hpp>

#include <tasuki/base/agree.hpp>
#include <tasuki/base/reduce.hpp>
#include <tasuki/base/subset.hpp>
#include <tasuki/device/host_memory.hpp>
#include <tasuki/transfer/lending.hpp>

#include <atomic>
#include <utility>

namespace tasuki {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& mend) { throw Error(what, mend); }

std::uint64_t or_packed(std::uint64_t stride, const ByteRows& rows) { return stride ? stride : rows.bytes; }

} // namespace

Loan::Loan(const Ranks& ranks, std::string name, std::uint64_t bytes)
    : ranks_(ranks), near_(on_node(ranks)), name_(std::move(name)) {
  agree(ranks_, "lends new memory", {{"name", name_}});
  shared_ = std::make_unique<NodeMemory>(near_, bytes);
  own_ = {name_, shared_->data(near_.place()), bytes};
  lend();
}

Loan::Loan(const Ranks& ranks, std::string name, void* memory, std::uint64_t bytes)
    : ranks_(ranks), near_(subset(ranks.world(), {ranks.world().rank()})), name_(std::move(name)) {
  agree(ranks_, "lends memory of its own", {{"name", name_}});
  if (bytes && !memory)
    refuse("rank " + std::to_string(ranks_.world().rank()) + " lends " + std::to_string(bytes) +
               " bytes of " + name_ + ", and no memory",
           "give the address of so many bytes");
  own_ = {name_, static_cast<char*>(memory), bytes};
  lend();
}

void Loan::lend() {
  auto& lending = ranks_.world().part<Lending>();
  if (near_.size() < ranks_.size()) post_ = &post_of(ranks_);
  number_ = lending.number(ranks_);
  lending.loans().lend(number_, own_);
  barrier(ranks_, "the ranks that lend");
}

Loan::~Loan() {
  if (unwinding()) {
    ranks_.world().part<Lending>().loans().end(number_);
    return;
  }
  if (*open_)
    refuse("rank " + std::to_string(ranks_.world().rank()) + " ends the loan of " + name_ + " while " +
               std::to_string(*open_) + (*open_ == 1 ? " request of it is" : " requests of it are") +
               " not done",
           "wait for their tickets first");
  barrier(ranks_, "the ranks to end a loan");
  ranks_.world().part<Lending>().loans().end(number_);
}

int Loan::place_of(int rank) const {
  if (const auto place = ranks_.place_of(rank)) return *place;
  refuse("rank " + std::to_string(rank) + " lends nothing of " + name_, "ask a rank that does");
}

bool Loan::direct(int rank) const { return near_.place_of(ranks_.rank(rank)).has_value(); }

LentBytes Loan::lent_by(int rank) const {
  const int place = near_.place_of(ranks_.rank(rank)).value();
  return shared_ ? LentBytes{name_, shared_->data(place), shared_->bytes(place)} : own_;
}

Ticket Loan::go(int rank, const Errand& errand, char* here, std::uint64_t stride) const {
  const std::string whom = "rank " + std::to_string(ranks_.world().rank()) + " asks rank ";
  if (rank < 0 || rank >= ranks_.size())
    refuse(whom + std::to_string(rank) + " for bytes of " + name_ + ", which " +
               std::to_string(ranks_.size()) + (ranks_.size() == 1 ? " rank lends" : " ranks lend"),
           "ask 0 to " + std::to_string(ranks_.size() - 1));
  if (!direct(rank)) return Ticket(*post_, rank, errand, here, stride, name_, open_);

  const LentBytes lent = lent_by(rank);
  const std::uint64_t size = size_of(errand.number);
  if (const auto why = refusal(lent, errand.rows, size ? size : 1))
    refuse(whom + std::to_string(ranks_.rank(rank)) + " for " + why->what, why->mend);
  char* const there = lent.memory + errand.rows.offset;
  if (size) return Ticket(act_on(errand, there));
  // The fences order the copy with atomic operations: a rank that reads a flag set after a put sees the data of it.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const ByteRows& rows = errand.rows;
  if (errand.act == Act::get)
    copy_rows(here, stride, there, rows.stride, rows.bytes, rows.count);
  else
    copy_rows(there, rows.stride, here, stride, rows.bytes, rows.count);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return Ticket();
}

Ticket Loan::get(int rank, const ByteRows& there, void* here, std::uint64_t stride) const {
  return go(rank, {.act = Act::get, .loan = number_, .rows = there}, static_cast<char*>(here),
            or_packed(stride, there));
}

Ticket Loan::put(int rank, const ByteRows& there, const void* here, std::uint64_t stride) const {
  // go() serves both directions with one pointer type. A put only reads from this memory, so the cast is safe.
  auto* const from = static_cast<char*>(const_cast<void*>(here));
  return go(rank, {.act = Act::put, .loan = number_, .rows = there}, from, or_packed(stride, there));
}

Ticket Loan::get(int rank, std::uint64_t offset, void* here, std::uint64_t bytes) const {
  return get(rank, ByteRows{offset, bytes}, here);
}

Ticket Loan::put(int rank, std::uint64_t offset, const void* here, std::uint64_t bytes) const {
  return put(rank, ByteRows{offset, bytes}, here);
}

} // namespace tasuki
