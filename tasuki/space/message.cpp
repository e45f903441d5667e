#include <tasuki/space/message.hpp>

#include <atomic>

namespace tasuki::space {
namespace {

template <class T>
std::uint64_t act(char* at, const Head& head) {
  const std::atomic_ref<T> number(*reinterpret_cast<T*>(at));
  const auto value = static_cast<T>(head.value);
  if (head.ask == Ask::add) return number.fetch_add(value);
  if (head.ask == Ask::exchange) return number.exchange(value);
  auto found = static_cast<T>(head.expected);
  number.compare_exchange_strong(found, value);
  return found;
}

} // namespace

std::uint64_t act_on(char* number, const Head& head) {
  return head.ticket == sizeof(std::uint64_t) ? act<std::uint64_t>(number, head)
                                              : act<std::uint32_t>(number, head);
}

} // namespace tasuki::space
