// ld st cvta isspacep prefetch cp.async and fences (PTX ISA, 9.7.9 and 9.7.13).
#include <remote/ptx/block.hpp>
#include <remote/ptx/map.hpp>

#include <atomic>

namespace tasuki::remote::ptx {

void address_in_stack(Warp& w, const Op& op, Mask mask) {
  auto* to = w.at<std::uint64_t>(op.d[0]);
  each(mask, [&](int lane) { to[lane] = w.stack_of(lane) + static_cast<std::uint64_t>(op.immediate); });
}
void address_of_parameter(Warp& w, const Op& op, Mask mask) {
  auto* to = w.at<std::uint64_t>(op.d[0]);
  const std::uint64_t address = w.block().parameters() + static_cast<std::uint64_t>(op.immediate);
  each(mask, [&](int lane) { to[lane] = address; });
}

namespace {

constexpr std::uint8_t kFence = 1; // Op::flags; orders accesses to memory of other threads

// The addressing mode of an instruction.
enum class Way { flat, shared, stack };

template <Way W>
void find(Warp& w, const Op& op, Mask mask, unsigned bytes, std::uint64_t* found) {
  if (W == Way::flat)
    w.addresses(op, mask, bytes, found);
  else if (W == Way::shared)
    w.shared_addresses(op, mask, bytes, found);
  else
    each(mask, [&](int lane) { found[lane] = w.stack_of(lane) + static_cast<std::uint64_t>(op.immediate); });
}

// For checked launches: records the accesses of this instruction to shared memory.
void note(Warp& w, const Op& op, Mask mask, unsigned bytes, const std::uint64_t* places, bool write) {
  Races* races = w.block().races();
  if (!races || op.flags & kFence) return;
  for (Mask m = mask; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    const std::uint64_t at = places[lane] - w.block().shared();
    if (at >= w.block().shared_bytes()) continue;
    const Races::Found found = races->touch(at, bytes, w.index(), op.line, write);
    if (found.race)
      w.fault(Fault::Kind::race, lane,
              std::string("a race: byte ") + std::to_string(at) + " of shared memory is " +
                  (write ? "written" : "read") + ", and was " + (found.wrote ? "written" : "read") +
                  " by warp " + std::to_string(found.warp) + " (line " + std::to_string(found.line) +
                  ") since the last barrier,");
  }
}

template <class T>
T read(std::uint64_t address) {
  return __atomic_load_n(reinterpret_cast<const T*>(address), __ATOMIC_RELAXED);
}

template <class T, Way W, int N>
void load(Warp& w, const Op& op, Mask mask) {
  std::uint64_t from[kLanes];
  find<W>(w, op, mask, N * sizeof(T), from);
  if (W != Way::stack) note(w, op, mask, N * sizeof(T), from, false);
  if (op.flags & kFence) std::atomic_thread_fence(std::memory_order_acquire);
  for (int k = 0; k < N; ++k) {
    if (op.d[k] < 0) continue;
    auto* to = w.at<Stored<T>>(op.d[k]);
    each(mask,
         [&](int lane) { put<T>(to, lane, read<T>(from[lane] + static_cast<unsigned>(k) * sizeof(T))); });
  }
  if (op.flags & kFence) std::atomic_thread_fence(std::memory_order_acquire);
}
template <class T, Way W, int N>
void store(Warp& w, const Op& op, Mask mask) {
  std::uint64_t to[kLanes];
  find<W>(w, op, mask, N * sizeof(T), to);
  if (W != Way::stack) note(w, op, mask, N * sizeof(T), to, true);
  if (op.flags & kFence) std::atomic_thread_fence(std::memory_order_release);
  for (Mask m = mask; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    for (int k = 0; k < N; ++k)
      __atomic_store_n(reinterpret_cast<T*>(to[lane] + static_cast<unsigned>(k) * sizeof(T)),
                       get<T>(w.at<Stored<T>>(op.d[k]), lane), __ATOMIC_RELAXED);
  }
}
// The kernel's parameters have the same value in all lanes.
template <class T, int N>
void load_parameter(Warp& w, const Op& op, Mask mask) {
  for (int k = 0; k < N; ++k) {
    if (op.d[k] < 0) continue;
    T value;
    std::memcpy(
        &value,
        reinterpret_cast<const void*>(w.block().parameters() + static_cast<std::uint64_t>(op.immediate) +
                                      static_cast<unsigned>(k) * sizeof(T)),
        sizeof(T));
    auto* to = w.at<Stored<T>>(op.d[k]);
    each(mask, [&](int lane) { put<T>(to, lane, value); });
  }
}

struct Runs {
  Op::Run flat, shared, stack, parameter;
};
template <class T, int N, bool Store>
Runs runs_of() {
  if constexpr (Store)
    return {&store<T, Way::flat, N>, &store<T, Way::shared, N>, &store<T, Way::stack, N>, nullptr};
  else
    return {&load<T, Way::flat, N>, &load<T, Way::shared, N>, &load<T, Way::stack, N>, &load_parameter<T, N>};
}
template <int N, bool Store>
Runs runs(const Body& b, Type t) {
  switch (t) {
    case Type::b8:
    case Type::u8: return runs_of<std::uint8_t, N, Store>();
    case Type::s8: return runs_of<std::int8_t, N, Store>();
    case Type::s16: return runs_of<std::int16_t, N, Store>();
    case Type::b16:
    case Type::u16:
    case Type::f16:
    case Type::bf16: return runs_of<std::uint16_t, N, Store>();
    case Type::b32:
    case Type::u32:
    case Type::s32:
    case Type::f16x2:
    case Type::bf16x2:
    case Type::f32: return runs_of<std::uint32_t, N, Store>();
    case Type::b64:
    case Type::u64:
    case Type::s64:
    case Type::f64: return runs_of<std::uint64_t, N, Store>();
    default: b.refuse();
  }
}

template <bool Store>
void access(Body& b) {
  for (const std::string_view m : b.instruction().modifiers)
    if (m == "shared::cluster" || m == "mmio") b.refuse();
  const bool shared = b.has("shared") || b.has("shared::cta");
  const Type t = b.type();
  const unsigned n = b.has("v4") ? 4 : b.has("v2") ? 2 : b.has("v8") ? 8 : 1;
  if (n == 8) b.refuse();
  const Runs run = n == 4 ? runs<4, Store>(b, t) : n == 2 ? runs<2, Store>(b, t) : runs<1, Store>(b, t);
  const Operand &value = b.operand(Store ? 1 : 0), &address = b.operand(Store ? 0 : 1);
  if (n > 1 && (value.kind != Operand::Kind::vector || value.parts.size() != n))
    b.refuse("its vector is of another length");
  std::int32_t places[4] = {-1, -1, -1, -1};
  for (unsigned k = 0; k < n; ++k) {
    const Operand& part = n > 1 ? value.parts[k] : value;
    if (Store)
      places[k] = b.source(part, t);
    else if (part.kind != Operand::Kind::none)
      places[k] = b.target(part, t);
  }
  const Body::Where at = b.where(address);
  Op::Run chosen = run.flat;
  if (shared || at.space == Space::shared)
    chosen = run.shared;
  else if (at.space == Space::local)
    chosen = run.stack;
  else if (at.space == Space::param)
    chosen = run.parameter;
  if (!chosen) b.refuse("a kernel's parameters are read only");
  Op& op = b.emit(chosen);
  std::copy(places, places + 4, op.d);
  op.s[0] = at.place;
  op.wide_address = at.wide;
  op.immediate = at.offset;
  op.lanes = static_cast<std::uint8_t>(n);
  op.flags = b.has("acquire") || b.has("release") || b.has("volatile") || b.has("relaxed") ? kFence : 0;
}

// Addresses in shared memory are offsets in it; all other addresses are unchanged.
template <bool ToGeneric>
void shared_window(Warp& w, const Op& op, Mask mask) {
  const std::uint64_t base = w.block().shared();
  each(mask, [&](int lane) {
    const std::uint64_t a =
        op.wide_address ? w.at<std::uint64_t>(op.s[0])[lane] : w.at<std::uint32_t>(op.s[0])[lane];
    const std::uint64_t made = ToGeneric ? base + a : a - base;
    if (op.flags)
      w.at<std::uint64_t>(op.d[0])[lane] = made;
    else
      w.at<std::uint32_t>(op.d[0])[lane] = static_cast<std::uint32_t>(made);
  });
}
void cvta(Body& b) {
  const Type t = b.type();
  const bool shared = b.has("shared") || b.has("shared::cta");
  if (b.has("shared::cluster")) b.refuse();
  if (!shared) {
    const std::int32_t from = b.source(b.operand(1), t), to = b.target(b.operand(0), t);
    Op& op = b.emit([](Warp& w, const Op& op, Mask mask) {
      auto* to = w.at<std::uint64_t>(op.d[0]);
      const auto* from = w.at<std::uint64_t>(op.s[0]);
      each(mask, [&](int lane) { to[lane] = from[lane]; });
    });
    if (bytes_of(t) != 8) b.refuse();
    op.d[0] = to;
    op.s[0] = from;
    return;
  }
  const std::int32_t from = b.source(b.operand(1), t), to = b.target(b.operand(0), t);
  Op& op = b.emit(b.has("to") ? &shared_window<false> : &shared_window<true>);
  op.d[0] = to;
  op.s[0] = from;
  op.wide_address = bytes_of(t) == 8;
  op.flags = bytes_of(t) == 8;
}

void is_space(Warp& w, const Op& op, Mask mask) {
  Mask found = 0;
  const Block& block = w.block();
  for (Mask m = mask; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    const std::uint64_t a = w.at<std::uint64_t>(op.s[0])[lane];
    const bool shared = a - block.shared() < block.shared_bytes();
    const bool local = a - block.stack(0) < std::uint64_t(block.code().stack) * block.threads();
    const auto space = static_cast<Space>(op.flags);
    if (space == Space::shared  ? shared
        : space == Space::local ? local
                                : space == Space::global && !shared && !local)
      found |= Mask(1) << lane;
  }
  Mask& to = w.predicate(op.d[0]);
  to = (to & ~mask) | found;
}
void isspacep(Body& b) {
  const std::int32_t from = b.source(b.operand(1), Type::u64), to = b.predicate_target(b.operand(0));
  Op& op = b.emit(&is_space);
  op.d[0] = to;
  op.s[0] = from;
  op.flags = static_cast<std::uint8_t>(b.has("shared") || b.has("shared::cta") ? Space::shared
                                       : b.has("local")                        ? Space::local
                                       : b.has("global")                       ? Space::global
                                                                               : Space::param);
}

void fence(Warp&, const Op&, Mask) { std::atomic_thread_fence(std::memory_order_seq_cst); }

// cp.async [shared], [global], bytes{, bytes that count}: done immediately.
void copy_to_shared(Warp& w, const Op& op, Mask mask) {
  const auto bytes = static_cast<unsigned>(op.flags);
  std::uint64_t to[kLanes], from[kLanes];
  w.shared_addresses(op, mask, bytes, to);
  Op source = op;
  source.s[0] = op.s[1];
  source.immediate = op.d[0];
  source.wide_address = true;
  w.addresses(source, mask, bytes, from);
  each(mask, [&](int lane) {
    unsigned count = bytes;
    if (op.s[2] >= 0) count = std::min<unsigned>(bytes, w.at<std::uint32_t>(op.s[2])[lane]);
    std::memset(reinterpret_cast<void*>(to[lane]), 0, bytes);
    std::memcpy(reinterpret_cast<void*>(to[lane]), reinterpret_cast<const void*>(from[lane]), count);
  });
}
void copy_async(Body& b) {
  if (!b.has("async") || b.has("bulk") || b.has("mbarrier")) b.refuse();
  if (b.has("commit_group") || b.has("wait_group") || b.has("wait_all")) return;
  const Body::Where to = b.where(b.operand(0)), from = b.where(b.operand(1));
  if (b.operand(2).kind != Operand::Kind::integer || from.offset != static_cast<std::int32_t>(from.offset) ||
      !from.wide)
    b.refuse();
  const std::int32_t count =
      b.count() > 3 && !b.has("L2::cache_hint") ? b.source(b.operand(3), Type::u32) : -1;
  Op& op = b.emit(&copy_to_shared);
  op.s[0] = to.place;
  op.wide_address = to.wide;
  op.immediate = to.offset;
  op.s[1] = from.place;
  op.d[0] = static_cast<std::int32_t>(from.offset);
  op.s[2] = count;
  op.flags = static_cast<std::uint8_t>(b.operand(2).bits);
  if (op.flags != 4 && op.flags != 8 && op.flags != 16) b.refuse();
}

} // namespace

void add_memory_rules(Rules& r) {
  for (const char* kind : {"ld", "ld/f", "ld/h", "ldu", "ldu/f"}) r[kind] = &access<false>;
  for (const char* kind : {"st", "st/f", "st/h"}) r[kind] = &access<true>;
  r["cvta"] = &cvta;
  r["isspacep"] = &isspacep;
  const Rule ordered = [](Body& b) {
    if (b.has("proxy") && !b.has("alias") && !b.has("async")) b.refuse();
    b.emit(&fence);
  };
  r["membar"] = ordered;
  r["fence"] = ordered;
  for (const char* hint : {"prefetch", "prefetchu", "discard", "applypriority"}) r[hint] = [](Body&) {};
  r["cp"] = &copy_async;
}

} // namespace tasuki::remote::ptx
