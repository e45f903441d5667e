// Device-side scalars are numbers that are computed from reductions and used in later sweeps.
//
//   struct Square {
//     TS_CELL void operator()(auto c, auto u, auto sum) const { sum(c, u(c) * u(c)); }
//   };
//   struct Inverse {
//     TS_CELL void operator()(double* s, double sum) const { s[0] = 1 / sum; }
//   };
//   struct Scale {
//     TS_CELL void operator()(auto c, auto u, auto s) const { u(c) *= static_cast<float>(s[0]); }
//   };
//   ts::Sum<double> sum(world, "sum");
//   ts::Scalars<1> s(world, "s");
//   ts::run(ts::program(ts::sweep(Square{}, grid.all(), ts::reads(u), ts::reduces(sum)), ts::settle(Inverse{}, s, sum),
//                       ts::sweep(Scale{}, grid.all(), ts::updates(u), ts::uses(s))));
//
// Such are alpha and beta of conjugate gradients. They stay on the device, without transfers to the host.
#pragma once

#include <tasuki/device/signal/settle.hpp>
#include <tasuki/program/access.hpp>
#include <tasuki/program/reduction.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

namespace tasuki {

namespace detail {

class ScalarsCore {
public:
  ScalarsCore(Device& device, std::string name, int count);

  World& world() const { return world_; }
  Device& device() const { return device_; }
  const std::string& name() const { return name_; }
  double* data() const { return reinterpret_cast<double*>(memory_.data()); } // in device memory
  // `count` scalars, from index `first` on.
  void read(double* to, int first, int count) const; // waits for the device
  void write(const double* from, int first, int count);

private:
  World& world_;
  Device& device_;
  std::string name_;
  Buffer memory_;
};

} // namespace detail

// Scalars<3> s(world, "cg");  settle(Alpha{}, s, rr, pq)  in a program, and uses(s) in a sweep, whose cell function
// then gets s[0], s[1], s[2]. Initially 0; the same on every rank.
template <int K>
class Scalars {
public:
  static constexpr int count = K;
  Scalars(World& world, std::string name) : Scalars(world.part<Device>(), std::move(name)) {}
  // For sweeps of grids on this device.
  Scalars(Device& device, std::string name)
      : core_(std::make_shared<detail::ScalarsCore>(device, std::move(name), K)) {}

  std::array<double, K> value() const { // waits for the device
    std::array<double, K> values;
    core_->read(values.data(), first_, K);
    return values;
  }
  void set(const std::array<double, K>& values) const { core_->write(values.data(), first_, K); }
  // N scalars from index `first` on, for an object that contains the scalars of several systems. Throws Error if
  // the object has fewer.
  template <int N>
  Scalars<N> part(int first) const {
    if (first < 0 || first + N > K)
      throw Error("scalars '" + core_->name() + "' are " + std::to_string(K) + ", of which " +
                      std::to_string(N) + " from number " + std::to_string(first) + " on were asked for",
                  "ask for some that are there");
    return Scalars<N>(core_, first_ + first);
  }
  double* data() const { return core_->data() + first_; } // in device memory
  const std::shared_ptr<detail::ScalarsCore>& core() const { return core_; }

private:
  template <int>
  friend class Scalars;
  Scalars(std::shared_ptr<detail::ScalarsCore> core, int first) : core_(std::move(core)), first_(first) {}

  std::shared_ptr<detail::ScalarsCore> core_;
  int first_ = 0;
};

struct ScalarsView { // the argument of a cell function for uses()
  const double* p;
  TS_HD double operator[](int k) const { return p[k]; }
};

template <int K>
struct Uses {
  Scalars<K> scalars;
};
// uses(s): the cell function gets s[0] .. s[K - 1], as the last settlement left them.
template <int K>
Uses<K> uses(const Scalars<K>& scalars) {
  return {scalars};
}

// A settlement without template types, as the planner and the executors use it.
class SettleCore {
public:
  virtual ~SettleCore() = default;
  const std::string& name() const { return name_; }
  // Enqueues the settlement after the sweeps of its reductions. If ranks cannot
  // store into each other's memory, the host waits for the device. Collective.
  virtual void launch(Stream& stream) const = 0;
  // True if launch() does not involve the host, so that a CUDA graph can contain it.
  virtual bool on_device() const = 0;

protected:
  explicit SettleCore(std::string name) : name_(std::move(name)) {}

private:
  std::string name_;
};
using Settle = std::shared_ptr<const SettleCore>;

namespace detail {

template <class F, int K, class... Op>
class SettleOf final : public SettleCore {
public:
  // The scalars and the reductions of each set.
  SettleOf(F f, const std::vector<Scalars<K>>& scalars, std::string name,
           std::vector<std::tuple<Reduction<Op>...>> sets)
      : SettleCore(std::move(name)),
        f_(f),
        scalars_(scalars),
        sets_(std::move(sets)),
        device_(scalars.front().core()->device()),
        mail_(device_.template part<RankMail>()),
        at_once_(most_at_once()) {
    for (const Scalars<K>& each : scalars_) expect_same(each.core()->device(), each.core()->name());
    each(0, sets_.size(), [&](int, const ReductionCore& r) { expect_same(r.device(), r.name()); });
  }

  bool on_device() const override { return at_once_ > 0; }

  void launch(Stream& stream) const override {
    if (at_once_ == 0) {
      settle_here(std::index_sequence_for<Op...>{});
      return;
    }
    for (std::size_t first = 0; first < sets_.size(); first += at_once_) {
      const std::size_t end = std::min(first + at_once_, sets_.size());
      ScalarsOfSets to;
      for (std::size_t set = first; set < end; ++set) to.scalars[set - first] = scalars_[set].data();
      each(first, end, [](int, const ReductionCore& reduction) { reduction.need_swept(); });
      settle_once<Op...>(stream, name().c_str(), mail_, parts(first, end), device_.exact_sums(), f_, to);
    }
  }

private:
  void expect_same(const Device& device, const std::string& what) const {
    if (&device == &device_) return;
    throw Error("settlement '" + name() + "' has '" + what + "' on another device than its scalars",
                "make its scalars and reductions for one device");
  }

  std::size_t most_at_once() const {
    std::size_t most = std::min<std::size_t>(sets_.size(), ScalarsOfSets::kMost);
    while (most > 0 && !mail_.carries(parts(0, most))) --most;
    return most;
  }

  template <class Visit>
  void each(std::size_t first, std::size_t end, const Visit& visit) const {
    for (std::size_t set = first; set < end; ++set)
      std::apply([&](const auto&... r) { (visit(static_cast<int>(set - first), *r.core()), ...); },
                 sets_[set]);
  }

  MailParts parts(std::size_t first, std::size_t end) const {
    MailParts parts;
    each(first, end, [&](int set, const ReductionCore& reduction) {
      parts.add(set, reduction.part(), reduction.part_bytes());
    });
    return parts;
  }

  // Computes the scalars on the host, from parts that MPI gathers.
  template <std::size_t... N>
  void settle_here(std::index_sequence<N...>) const {
    std::vector<ReductionCore*> reductions;
    each(0, sets_.size(), [&](int, ReductionCore& reduction) { reductions.push_back(&reduction); });
    const auto parts = parts_of_all(device_.world(), reductions);
    for (std::size_t set = 0; set < sets_.size(); ++set) {
      std::array<double, K> values = scalars_[set].value();
      f_(values.data(), std::get<N>(sets_[set]).value_of(parts[set * sizeof...(Op) + N])...);
      scalars_[set].set(values);
    }
  }

  F f_;
  std::vector<Scalars<K>> scalars_;
  std::vector<std::tuple<Reduction<Op>...>> sets_;
  Device& device_;
  RankMail& mail_;
  std::size_t at_once_; // sets that the mail transfers in a turn; 0: none, the host computes the scalars
};

} // namespace detail
} // namespace tasuki
