// Warp-level instructions: shfl vote match redux activemask elect, barriers of warp and block (PTX ISA, 9.7.9, 9.7.13).
#include <remote/ptx/block.hpp>
#include <remote/ptx/map.hpp>

namespace tasuki::remote::ptx {
namespace {

using U32 = std::uint32_t;

enum class Shuffle { up, down, butterfly, index };

template <Shuffle Mode>
void shuffle(Warp& w, const Op& op, Mask mask) { // s: value, lane, clamp and segment, members
  mask = w.assemble(mask, w.at<U32>(op.s[3]));
  const auto *from = w.at<U32>(op.s[0]), *other = w.at<U32>(op.s[1]), *limits = w.at<U32>(op.s[2]);
  auto* to = w.at<U32>(op.d[0]);
  U32 values[kLanes];
  Mask inside = 0;
  for (Mask m = mask; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    const int distance = static_cast<int>(other[lane] & 31), clamp = static_cast<int>(limits[lane] & 31);
    const int segment = static_cast<int>(limits[lane] >> 8 & 31);
    const int most = (lane & segment) | (clamp & ~segment), least = lane & segment;
    int source = lane;
    bool within = false;
    switch (Mode) {
      case Shuffle::up:
        source = lane - distance;
        within = source >= most;
        break;
      case Shuffle::down:
        source = lane + distance;
        within = source <= most;
        break;
      case Shuffle::butterfly:
        source = lane ^ distance;
        within = source <= most;
        break;
      case Shuffle::index:
        source = least | (distance & ~segment);
        within = source <= most;
        break;
    }
    if (!within)
      source = lane;
    else
      inside |= Mask(1) << lane;
    values[lane] = from[source];
  }
  each(mask, [&](int lane) { to[lane] = values[lane]; });
  if (op.d[1] < 0) return;
  Mask& p = w.predicate(op.d[1]);
  p = (p & ~mask) | inside;
}
void shfl(Body& b) {
  if (!b.has("sync")) b.refuse();
  const Operand& to = b.operand(0);
  const bool pair = to.kind == Operand::Kind::pair;
  const std::int32_t value = b.source(b.operand(1), Type::b32), lane = b.source(b.operand(2), Type::u32);
  const std::int32_t limits = b.source(b.operand(3), Type::u32), members = b.source(b.operand(4), Type::u32);
  const std::int32_t d = b.target(pair ? to.parts[0] : to, Type::b32),
                     p = pair ? b.predicate_target(to.parts[1]) : -1;
  Op& op = b.emit(b.has("up")     ? &shuffle<Shuffle::up>
                  : b.has("down") ? &shuffle<Shuffle::down>
                  : b.has("bfly") ? &shuffle<Shuffle::butterfly>
                                  : &shuffle<Shuffle::index>);
  op.d[0] = d;
  op.d[1] = p;
  op.s[0] = value;
  op.s[1] = lane;
  op.s[2] = limits;
  op.s[3] = members;
}

enum class Vote { all, any, same, ballot };
template <Vote Mode>
void vote(Warp& w, const Op& op, Mask mask) { // s: predicate, members
  const auto* members = w.at<U32>(op.s[1]);
  mask = w.assemble(mask, members);
  const Mask yes = w.predicate(op.s[0]) & mask;
  Mask found = 0;
  U32 ballots[kLanes];
  for (Mask m = mask; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    const Mask of = members[lane] & mask;
    ballots[lane] = yes & of;
    const bool holds = Mode == Vote::all   ? (yes & of) == of
                       : Mode == Vote::any ? (yes & of) != 0
                                           : (yes & of) == of || (yes & of) == 0;
    if (holds) found |= Mask(1) << lane;
  }
  if (Mode == Vote::ballot) {
    auto* to = w.at<U32>(op.d[0]);
    each(mask, [&](int lane) { to[lane] = ballots[lane]; });
  } else {
    Mask& to = w.predicate(op.d[0]);
    to = (to & ~mask) | found;
  }
}
void vote_rule(Body& b) {
  if (!b.has("sync")) b.refuse();
  const std::int32_t p = b.predicate(b.operand(1)), members = b.source(b.operand(2), Type::u32);
  const bool ballot = b.has("ballot");
  const std::int32_t to = ballot ? b.target(b.operand(0), Type::b32) : b.predicate_target(b.operand(0));
  Op& op = b.emit(ballot         ? &vote<Vote::ballot>
                  : b.has("all") ? &vote<Vote::all>
                  : b.has("any") ? &vote<Vote::any>
                                 : &vote<Vote::same>);
  op.d[0] = to;
  op.s[0] = p;
  op.s[1] = members;
}

template <class S, bool All>
void match(Warp& w, const Op& op, Mask mask) { // s: value, members
  const auto* members = w.at<U32>(op.s[1]);
  mask = w.assemble(mask, members);
  const auto* from = w.at<S>(op.s[0]);
  auto* to = w.at<U32>(op.d[0]);
  Mask found = 0;
  for (Mask m = mask; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    Mask like = 0;
    const Mask of = members[lane] & mask;
    for (Mask n = of; n; n &= n - 1)
      if (from[__builtin_ctz(n)] == from[lane]) like |= n & -n;
    if (like == of) found |= Mask(1) << lane;
    to[lane] = !All || like == of ? like : 0;
  }
  if (op.d[1] < 0) return;
  Mask& p = w.predicate(op.d[1]);
  p = (p & ~mask) | found;
}
void match_rule(Body& b) {
  const Operand& to = b.operand(0);
  const bool pair = to.kind == Operand::Kind::pair, all = b.has("all"), wide = bytes_of(b.type()) == 8;
  const std::int32_t value = b.source(b.operand(1), b.type()), members = b.source(b.operand(2), Type::u32);
  const std::int32_t d = b.target(pair ? to.parts[0] : to, Type::b32),
                     p = pair ? b.predicate_target(to.parts[1]) : -1;
  Op& op = b.emit(all ? (wide ? &match<std::uint64_t, true> : &match<U32, true>)
                      : (wide ? &match<std::uint64_t, false> : &match<U32, false>));
  op.d[0] = d;
  op.d[1] = p;
  op.s[0] = value;
  op.s[1] = members;
}

enum class Reduce : std::uint8_t { add, min, max, with_and, with_or, with_xor };
template <class T>
void reduce(Warp& w, const Op& op, Mask mask) { // s: value, members
  const auto* members = w.at<U32>(op.s[1]);
  mask = w.assemble(mask, members);
  const auto* from = w.at<U32>(op.s[0]);
  U32 values[kLanes];
  for (Mask m = mask; m; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    Mask of = members[lane] & mask;
    T result = static_cast<T>(from[__builtin_ctz(of)]);
    for (of &= of - 1; of; of &= of - 1) {
      const T other = static_cast<T>(from[__builtin_ctz(of)]);
      switch (static_cast<Reduce>(op.flags)) {
        case Reduce::add: result = static_cast<T>(static_cast<U32>(result) + static_cast<U32>(other)); break;
        case Reduce::min: result = other < result ? other : result; break;
        case Reduce::max: result = result < other ? other : result; break;
        case Reduce::with_and: result = result & other; break;
        case Reduce::with_or: result = result | other; break;
        case Reduce::with_xor: result = result ^ other; break;
      }
    }
    values[lane] = static_cast<U32>(result);
  }
  auto* to = w.at<U32>(op.d[0]);
  each(mask, [&](int lane) { to[lane] = values[lane]; });
}
void redux(Body& b) {
  const Type t = b.type();
  if (!b.has("sync") || is_real(t)) b.refuse();
  const Reduce how = b.has("add")   ? Reduce::add
                     : b.has("min") ? Reduce::min
                     : b.has("max") ? Reduce::max
                     : b.has("and") ? Reduce::with_and
                     : b.has("or")  ? Reduce::with_or
                                    : Reduce::with_xor;
  const std::int32_t value = b.source(b.operand(1), t), members = b.source(b.operand(2), Type::u32),
                     d = b.target(b.operand(0), t);
  Op& op = b.emit(t == Type::s32 ? &reduce<std::int32_t> : &reduce<U32>);
  op.d[0] = d;
  op.s[0] = value;
  op.s[1] = members;
  op.flags = static_cast<std::uint8_t>(how);
}

void active(Warp& w, const Op& op, Mask mask) {
  auto* to = w.at<U32>(op.d[0]);
  each(mask, [&](int lane) { to[lane] = mask; });
}
void elect(Warp& w, const Op& op, Mask mask) { // s: members
  const auto* members = w.at<U32>(op.s[0]);
  mask = w.assemble(mask, members);
  Mask chosen = 0;
  for (Mask m = mask; m; m &= m - 1) {
    const int lane = __builtin_ctz(m), first = __builtin_ctz(members[lane] & mask);
    if (first == lane) chosen |= Mask(1) << lane;
    w.at<U32>(op.d[0])[lane] = static_cast<U32>(first);
  }
  Mask& p = w.predicate(op.d[1]);
  p = (p & ~mask) | chosen;
}
void elect_rule(Body& b) {
  const Operand& to = b.operand(0);
  if (to.kind != Operand::Kind::pair) b.refuse();
  const std::int32_t members = b.source(b.operand(1), Type::u32);
  const std::int32_t d = b.target(to.parts[0], Type::b32), p = b.predicate_target(to.parts[1]);
  Op& op = b.emit(&elect);
  op.d[0] = d;
  op.d[1] = p;
  op.s[0] = members;
}

void warp_barrier(Warp& w, const Op& op, Mask mask) { w.warp_barrier(mask, w.at<U32>(op.s[0])); }

constexpr std::uint8_t kReduces = 4, kOnlyArrives = 8; // Op::flags; lower bits: the kind of reduction
void block_barrier(Warp& w, const Op& op, Mask mask) { // s: id, threads, predicate
  const int lane = __builtin_ctz(mask);
  const U32 id = w.at<U32>(op.s[0])[lane], threads = op.s[1] >= 0 ? w.at<U32>(op.s[1])[lane] : 0;
  if (id > 15) w.fault(Fault::Kind::trap, lane, "there is no barrier " + std::to_string(id));
  Block::Coming coming{static_cast<int>(id), threads};
  const auto lanes = static_cast<U32>(__builtin_popcount(mask));
  if (op.flags & kReduces) {
    const Mask yes = w.predicate(op.s[2]) & mask;
    coming.count = static_cast<U32>(__builtin_popcount(yes));
    coming.all = yes == mask;
    coming.any = yes != 0;
  }
  if (!(op.flags & kOnlyArrives))
    w.stop_at(mask, static_cast<int>(id), op.d[0], static_cast<Warp::Found>(op.flags & 3));
  w.block().come(coming, lanes);
}
void barrier(Body& b) {
  if (b.has("cluster")) b.refuse(); // no clusters
  if (b.has("warp")) {
    const std::int32_t members = b.source(b.operand(0), Type::u32);
    b.emit(&warp_barrier).s[0] = members;
    return;
  }
  const bool reduces = b.has("red");
  std::uint8_t flags = reduces ? kReduces : 0;
  std::size_t k = 0;
  std::int32_t to = -1;
  if (reduces) {
    const Operand& d = b.operand(k++);
    if (b.has("popc")) {
      flags |= static_cast<std::uint8_t>(Warp::Found::count);
      to = b.target(d, Type::u32);
    } else {
      flags |= static_cast<std::uint8_t>(b.has("and") ? Warp::Found::all : Warp::Found::any);
      to = b.predicate_target(d);
    }
  }
  if (b.has("arrive")) flags |= kOnlyArrives;
  const std::int32_t id = b.source(b.operand(k++), Type::u32);
  const std::size_t left = b.count() - k - (reduces ? 1 : 0);
  const std::int32_t threads = left > 0 ? b.source(b.operand(k++), Type::u32) : -1;
  const std::int32_t p = reduces ? b.predicate(b.operand(k)) : -1;
  Op& op = b.emit(&block_barrier);
  op.d[0] = to;
  op.s[0] = id;
  op.s[1] = threads;
  op.s[2] = p;
  op.flags = flags;
}

} // namespace

void add_warp_rules(Rules& r) {
  r["shfl"] = &shfl;
  r["vote"] = &vote_rule;
  r["match"] = &match_rule;
  r["redux"] = &redux;
  r["elect"] = &elect_rule;
  r["activemask"] = [](Body& b) {
    const std::int32_t d = b.target(b.operand(0), Type::b32);
    b.emit(&active).d[0] = d;
  };
  r["bar"] = r["barrier"] = &barrier;
}

} // namespace tasuki::remote::ptx
