// The memory that a rank lends, by number: other ranks read and change it, and every access is checked first.
//
//   Loans loans;
//   loans.lend(7, {"weights", memory, 800});
//   const auto fault = loans.visit(7, {16, 8}, 8, [](char* first) { ... }); // none: it was visited
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace tasuki {

// Rows of bytes: the first begins at `offset`, each has `bytes` bytes, and they begin `stride` bytes apart.
struct ByteRows {
  std::uint64_t offset = 0, bytes = 0;
  std::uint64_t count = 1, stride = 0;

  bool operator==(const ByteRows&) const = default;
};

// Why a request is refused, and what to do about it: a text that follows "rank 1 asks rank 0 for ".
struct Refusal {
  std::string what, mend;
};

struct LentBytes {
  std::string name;
  char* memory = nullptr;
  std::uint64_t bytes = 0;
};

// Why these rows are not in that memory; none if they are. `align`: the alignment
// that the first address must have, 1 for any. `rows` may have any values.
std::optional<Refusal> refusal(const LentBytes& lent, const ByteRows& rows, std::uint64_t align = 1);

// Any thread may use it.
class Loans {
public:
  void lend(std::uint64_t number, LentBytes lent); // under a number that is not in use
  void end(std::uint64_t number);                  // returns when no visit() to it is in progress

  // Calls visitor() with the address of the first row; end() of this loan waits until it returns.
  std::optional<Refusal> visit(std::uint64_t number, const ByteRows& rows, std::uint64_t align,
                               const std::function<void(char* first)>& visitor);

private:
  std::mutex mutex_;
  std::map<std::uint64_t, LentBytes> lent_;
};

} // namespace tasuki
