#include <tasuki/transfer/errand.hpp>

#include <tasuki/base/error.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <type_traits>

namespace tasuki {
namespace {

constexpr std::uint64_t kRequestMark = 0x3171736b75736174, kReplyMark = 0x3170726b75736174;

struct RequestHead {
  std::uint64_t mark;
  std::uint32_t act, number;
  std::uint64_t loan, offset, bytes, count, stride, operand, expected, payload;
};
struct ReplyHead {
  std::uint64_t mark, refused, bytes;
};
static_assert(sizeof(RequestHead) == kRequestHead && sizeof(ReplyHead) == kReplyHead);

// The number of bytes that travel, or nothing if they exceed the limit of one request.
std::optional<std::uint64_t> bytes_of(const Errand& errand) {
  const ByteRows& rows = errand.rows;
  if (errand.act == Act::look) return 0;
  if (rows.bytes == 0 || rows.count == 0) return 0;
  if (rows.bytes > kMost || rows.count > kMost / rows.bytes) return std::nullopt;
  return rows.bytes * rows.count;
}

bool atomic(Act act) { return act == Act::add || act == Act::swap; }

std::vector<char> reply_of(const char* bytes, std::size_t size, bool refused = false) {
  std::vector<char> reply(kReplyHead + size);
  const ReplyHead head{kReplyMark, refused, size};
  std::memcpy(reply.data(), &head, sizeof head);
  if (bytes && size) std::memcpy(reply.data() + kReplyHead, bytes, size);
  return reply;
}

// A refusal as two texts, each ended by a zero byte. Long texts are cut.
std::vector<char> reply_of(const Refusal& refusal) {
  const std::string mend = refusal.mend.substr(0, kMostWords / 4);
  const std::string what = refusal.what.substr(0, kMostWords - mend.size() - 2);
  const std::string text = what + '\0' + mend + '\0';
  return reply_of(text.data(), text.size(), true);
}

template <class Word>
std::uint64_t act_on_word(const Errand& errand, char* place) {
  const std::atomic_ref<Word> word(*reinterpret_cast<Word*>(place));
  const auto operand = static_cast<Word>(errand.operand);
  if (errand.act == Act::add) return word.fetch_add(operand);
  auto found = static_cast<Word>(errand.expected);
  word.compare_exchange_strong(found, operand);
  return found;
}

template <class Float, class Word>
std::uint64_t add_to_float(const Errand& errand, char* place) {
  const std::atomic_ref<Float> number(*reinterpret_cast<Float*>(place));
  static_assert(std::atomic_ref<Float>::is_always_lock_free && std::atomic_ref<Word>::is_always_lock_free);
  return std::bit_cast<Word>(number.fetch_add(std::bit_cast<Float>(static_cast<Word>(errand.operand))));
}

} // namespace

std::uint64_t act_on(const Errand& errand, char* place) {
  const bool add = errand.act == Act::add;
  if (add && errand.number == Number::float32) return add_to_float<float, std::uint32_t>(errand, place);
  if (add && errand.number == Number::float64) return add_to_float<double, std::uint64_t>(errand, place);
  return size_of(errand.number) == 4 ? act_on_word<std::uint32_t>(errand, place)
                                     : act_on_word<std::uint64_t>(errand, place);
}

void copy_rows(char* to, std::uint64_t to_stride, const char* from, std::uint64_t from_stride,
               std::uint64_t bytes, std::uint64_t count) {
  if (bytes == 0) return;
  if (to_stride == bytes && from_stride == bytes) {
    std::memcpy(to, from, bytes * count);
    return;
  }
  for (std::uint64_t k = 0; k < count; ++k) std::memcpy(to + k * to_stride, from + k * from_stride, bytes);
}

std::vector<char> request_of(const Errand& errand) {
  const std::optional<std::uint64_t> bytes = bytes_of(errand);
  if (!bytes)
    throw Error("a request of more than " + std::to_string(kMost) + " bytes", "ask for them in pieces");
  const std::uint64_t payload = errand.act == Act::put ? *bytes : 0;
  const RequestHead head{kRequestMark,
                         static_cast<std::uint32_t>(errand.act),
                         static_cast<std::uint32_t>(errand.number),
                         errand.loan,
                         errand.rows.offset,
                         errand.rows.bytes,
                         errand.rows.count,
                         errand.rows.stride,
                         errand.operand,
                         errand.expected,
                         payload};
  std::vector<char> request(kRequestHead + payload);
  std::memcpy(request.data(), &head, sizeof head);
  return request;
}

std::optional<Errand> read_request(const char* bytes, std::size_t size, const char*& fault) {
  const auto refuse = [&](const char* why) {
    fault = why;
    return std::nullopt;
  };
  RequestHead head{};
  if (size < kRequestHead) return refuse("a request that is too short");
  std::memcpy(&head, bytes, sizeof head);
  if (head.mark != kRequestMark) return refuse("what is no request");
  if (head.act > static_cast<std::uint32_t>(Act::look)) return refuse("an act that there is not");
  if (head.number > static_cast<std::uint32_t>(Number::float64)) return refuse("a number that there is not");
  const Errand errand{static_cast<Act>(head.act),
                      static_cast<Number>(head.number),
                      head.loan,
                      {head.offset, head.bytes, head.count, head.stride},
                      head.operand,
                      head.expected};
  const std::optional<std::uint64_t> asked = bytes_of(errand);
  if (!asked) return refuse("more bytes than a request may");
  if (atomic(errand.act) != (errand.number != Number::none))
    return refuse("an act with a number that it does not have");
  if (atomic(errand.act) && (errand.rows.count != 1 || errand.rows.bytes != size_of(errand.number)))
    return refuse("an atomic act on what is no single number");
  const std::uint64_t payload = errand.act == Act::put ? *asked : 0;
  if (head.payload != payload || size - kRequestHead != payload)
    return refuse("a request of another length than it says");
  fault = nullptr;
  return errand;
}

std::size_t reply_size(const Errand& errand) {
  const std::size_t bytes = errand.act == Act::get ? bytes_of(errand).value_or(0)
                            : atomic(errand.act)   ? sizeof(std::uint64_t)
                                                   : 0;
  return kReplyHead + bytes;
}

std::vector<char> answer(Loans& loans, const char* request, std::size_t size) {
  const char* fault = nullptr;
  const std::optional<Errand> errand = read_request(request, size, fault);
  if (!errand) return reply_of(Refusal{fault, "see whether all ranks run the same Tasuki"});
  const ByteRows& rows = errand->rows;
  std::vector<char> reply;
  const auto visit = [&](char* first) {
    std::uint64_t found = 0;
    switch (errand->act) {
      case Act::get:
        reply = reply_of(nullptr, rows.bytes * rows.count);
        copy_rows(reply.data() + kReplyHead, rows.bytes, first, rows.stride, rows.bytes, rows.count);
        break;
      case Act::put:
        copy_rows(first, rows.stride, request + kRequestHead, rows.bytes, rows.bytes, rows.count);
        reply = reply_of(nullptr, 0);
        break;
      case Act::look: reply = reply_of(nullptr, 0); break;
      default:
        found = act_on(*errand, first);
        reply = reply_of(reinterpret_cast<const char*>(&found), sizeof found);
    }
  };
  const std::uint64_t align = std::max<std::uint64_t>(1, size_of(errand->number));
  const std::optional<Refusal> why = loans.visit(errand->loan, rows, align, visit);
  return why ? reply_of(*why) : reply;
}

Reply read_reply(const char* reply, std::size_t size, const Errand& asked) {
  const auto refuse = [](const char* why) {
    return Reply{nullptr, Refusal{why, "see whether all ranks run the same Tasuki"}};
  };
  ReplyHead head{};
  if (size < kReplyHead) return refuse("an answer, which is too short");
  std::memcpy(&head, reply, sizeof head);
  if (head.mark != kReplyMark || head.bytes != size - kReplyHead) return refuse("an answer, which is none");
  const char* const bytes = reply + kReplyHead;
  if (!head.refused)
    return size == reply_size(asked) ? Reply{bytes, std::nullopt} : refuse("bytes, and other bytes came");
  const std::string text(bytes, head.bytes);
  const std::size_t end = text.find('\0'), last = end == std::string::npos ? end : text.find('\0', end + 1);
  if (last == std::string::npos) return refuse("an answer, which says nothing");
  return {nullptr, Refusal{text.substr(0, end), text.substr(end + 1, last - end - 1)}};
}

} // namespace tasuki
