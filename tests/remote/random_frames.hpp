// Frames of every call and answer of the tables, with numbers that mean something by the names of their fields; and what a
// damaged link or a hostile end makes of them. A call that is added to calls.def is among them by that.
//
//   RandomFrames frames(dice, base);       // of an arena at `base`, 16 MiB of which are mapped
//   RandomFrame frame = frames.call();
//   frames.change(frame.body);
#pragma once

#include <remote/wire/frames.hpp>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace tasuki::remote {

struct RandomFrame {
  std::uint16_t kind = 0;
  std::vector<unsigned char> body;
};

class RandomFrames {
public:
  RandomFrames(std::mt19937& dice, u64 base) : dice_(dice), base_(base) {}

  RandomFrame call() { return call(static_cast<Call>(dice_() % static_cast<unsigned>(Call::count))); }
  RandomFrame call(Call which);
  RandomFrame answer(Answer which);

  // Up to three bytes become others, bits are flipped, bytes come or go.
  void change(std::vector<unsigned char>& body) {
    for (unsigned changes = dice_() % 4; changes && !body.empty(); --changes) {
      const std::size_t at = dice_() % body.size();
      switch (dice_() % 4) {
        case 0: body[at] = static_cast<unsigned char>(dice_()); break;
        case 1: body[at] ^= static_cast<unsigned char>(1u << dice_() % 8); break;
        case 2: body.resize(at); break;
        case 3:
          body.insert(body.begin() + static_cast<std::ptrdiff_t>(at), static_cast<unsigned char>(dice_()));
      }
    }
  }

private:
  static bool has(const std::string& name, const char* part) { return name.find(part) != std::string::npos; }

  void set(const std::string&, text& value) { value = dice_() % 4 ? "halve" : "x"; }
  void set(const std::string&, f32& value) { value = static_cast<f32>(dice_() % 1000); }
  template <class Number>
  void set(const std::string& name, Number& value) {
    value = static_cast<Number>(number(name));
    if (name == "width" || name == "height" || name == "depth")
      box_ *= static_cast<std::size_t>(value), boxed_ = true;
    if (name == "total") total_ = static_cast<std::size_t>(value);
  }
  u64 number(const std::string& name) {
    constexpr u64 unit = 2u << 20;
    if (name == "address") return base_ + dice_() % 16 * unit; // half of it is mapped
    if (name == "to" || name == "from") return base_ + dice_() % 2048 * 4096;
    if (name == "bytes") return dice_() % 4 ? 500 : unit;
    if (has(name, "pitch")) return 1000;
    if (has(name, "slice")) return 10000;
    if (name == "width") return 1 + dice_() % 100;
    if (name == "height") return 1 + dice_() % 8;
    if (name == "depth") return 1 + dice_() % 3;
    if (name == "total") return 100;
    if (name == "offset" || name == "functions" || name == "cooperative") return 0;
    if (has(name, "grid_") || has(name, "block_") || has(name, "cluster_")) return 1;
    if (name == "stream") return dice_() % 3; // 0: the default stream
    if (name == "value") return 1024;
    return 1 + dice_() % 3; // a handle, flags
  }
  std::vector<unsigned char> tail_bytes() const {
    std::vector<unsigned char> tail(boxed_ ? box_ : total_, 1);
    const u64 first[] = {base_, 2}; // of kernels: an address and a count
    if (!tail.empty()) std::memcpy(tail.data(), first, std::min(tail.size(), sizeof first));
    return tail;
  }
  template <class Message>
  RandomFrame made(const Message& message) {
    RandomFrame frame{static_cast<std::uint16_t>(Message::id), {}};
    encode(message, frame.body);
    if (Message::has_tail) {
      const std::vector<unsigned char> tail = tail_bytes();
      frame.body.insert(frame.body.end(), tail.begin(), tail.end());
    }
    return frame;
  }
  void begin(std::size_t total) {
    box_ = 1;
    boxed_ = false;
    total_ = total;
  }

  std::mt19937& dice_;
  const u64 base_;
  std::size_t box_ = 1, total_ = 0; // bytes of the tail, by the fields
  bool boxed_ = false;
};

// TASUKI_NAMED((u64, a)(u64, b)) is set("a", message.a); set("b", message.b);
#define TASUKI_NAMED(fields) TASUKI_JOIN(TASUKI_NAMED_A fields, _END)
#define TASUKI_NAMED_A(type, name) \
  set(#name, message.name);        \
  TASUKI_NAMED_B
#define TASUKI_NAMED_B(type, name) \
  set(#name, message.name);        \
  TASUKI_NAMED_A
#define TASUKI_NAMED_A_END
#define TASUKI_NAMED_B_END

inline RandomFrame RandomFrames::call(Call which) {
  begin(which == Call::Launch ? 12 : 300);
  switch (which) {
#define TASUKI_CALL(name, answer, log, fields, tail) \
  case Call::name: {                                 \
    call::name message;                              \
    TASUKI_NAMED(fields)                             \
    return made(message);                            \
  }
#include <remote/wire/calls.def>
#undef TASUKI_CALL
    case Call::count: break;
  }
  return {};
}

inline RandomFrame RandomFrames::answer(Answer which) {
  begin(dice_() % 64);
  switch (which) {
#define TASUKI_ANSWER(name, fields, tail) \
  case Answer::name: {                    \
    answer::name message;                 \
    TASUKI_NAMED(fields)                  \
    return made(message);                 \
  }
#include <remote/wire/answers.def>
#undef TASUKI_ANSWER
    case Answer::count: break;
  }
  return {};
}

#undef TASUKI_NAMED
#undef TASUKI_NAMED_A
#undef TASUKI_NAMED_B
#undef TASUKI_NAMED_A_END
#undef TASUKI_NAMED_B_END

} // namespace tasuki::remote
