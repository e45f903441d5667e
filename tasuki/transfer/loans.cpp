#include <tasuki/transfer/loans.hpp>

#include <tasuki/base/error.hpp>

#include <utility>

namespace tasuki {
namespace {

// The order of these comparisons avoids sums and products that could overflow.
bool inside(const ByteRows& rows, std::uint64_t size) {
  if (rows.offset > size) return false;
  if (rows.count == 0 || rows.bytes == 0) return true;
  const std::uint64_t rest = size - rows.offset;
  if (rows.bytes > rest) return false;
  return rows.count == 1 || rows.stride == 0 || (rows.count - 1) <= (rest - rows.bytes) / rows.stride;
}

} // namespace

std::optional<Refusal> refusal(const LentBytes& lent, const ByteRows& rows, std::uint64_t align) {
  const auto text = [](std::uint64_t number) { return std::to_string(number); };
  if (!inside(rows, lent.bytes)) {
    std::string what = text(rows.bytes) + " bytes at " + text(rows.offset);
    if (rows.count != 1) what += ", " + text(rows.count) + " times every " + text(rows.stride);
    return Refusal{what + " of " + lent.name + ", which has " + text(lent.bytes) + " there",
                   "ask for bytes that it has"};
  }
  if ((reinterpret_cast<std::uintptr_t>(lent.memory) + rows.offset) % align != 0)
    return Refusal{"an atomic number of " + text(align) + " bytes at " + text(rows.offset) + " of " +
                       lent.name + ", which is no multiple of its size",
                   "give such a number a place that is"};
  return std::nullopt;
}

void Loans::lend(std::uint64_t number, LentBytes lent) {
  const std::lock_guard lock(mutex_);
  const auto [old, added] = lent_.try_emplace(number, std::move(lent));
  if (!added)
    throw Error("loan " + std::to_string(number) + " is lent already, as " + old->second.name,
                "take a number of its own");
}

void Loans::end(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  lent_.erase(number);
}

std::optional<Refusal> Loans::visit(std::uint64_t number, const ByteRows& rows, std::uint64_t align,
                                    const std::function<void(char* first)>& visitor) {
  const std::lock_guard lock(mutex_);
  const auto found = lent_.find(number);
  if (found == lent_.end())
    return Refusal{"bytes of loan " + std::to_string(number) + ", which it does not lend",
                   "ask while it does"};
  std::optional<Refusal> why = refusal(found->second, rows, align);
  if (!why) visitor(found->second.memory + rows.offset);
  return why;
}

} // namespace tasuki
