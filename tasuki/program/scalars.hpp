// Numbers that are worked out of reductions while a program runs and used by the sweeps that follow: alpha and beta of
// conjugate gradients. They stay on the device; the host is not asked.
#pragma once

#include <tasuki/device/settle.hpp>
#include <tasuki/program/access.hpp>
#include <tasuki/program/reduction.hpp>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace tasuki {

namespace detail {

class ScalarsCore {
public:
  ScalarsCore(World& world, std::string name, int count);

  World& world() const { return world_; }
  Device& device() const { return device_; }
  const std::string& name() const { return name_; }
  double* data() const { return reinterpret_cast<double*>(memory_.data()); } // of the device
  void read(double* to) const;                                               // waits for the device
  void write(const double* from);

private:
  World& world_;
  Device& device_;
  std::string name_;
  int count_;
  Buffer memory_;
};

} // namespace detail

// Scalars<3> s(world, "cg");  settle(Alpha{}, s, rr, pq)  in a program, and uses(s) in a sweep, whose cell function is
// then given s[0], s[1], s[2]. 0 at first; the same on every rank.
template <int K>
class Scalars {
public:
  static constexpr int count = K;
  Scalars(World& world, std::string name)
      : core_(std::make_shared<detail::ScalarsCore>(world, std::move(name), K)) {}

  std::array<double, K> value() const { // waits for the device
    std::array<double, K> values;
    core_->read(values.data());
    return values;
  }
  void set(const std::array<double, K>& values) { core_->write(values.data()); }
  const std::shared_ptr<detail::ScalarsCore>& core() const { return core_; }

private:
  std::shared_ptr<detail::ScalarsCore> core_;
};

struct ScalarsView { // what a cell function is given
  const double* p;
  TS_HD double operator[](int k) const { return p[k]; }
};

template <int K>
struct Uses {
  Scalars<K> scalars;
};
template <int K>
Uses<K> uses(const Scalars<K>& scalars) {
  return {scalars};
}

// What planner and executors see of a settlement.
class SettleCore {
public:
  virtual ~SettleCore() = default;
  const std::string& name() const { return name_; }
  // Enqueues it behind the sweeps that fill its reductions. Where ranks cannot reach each other the host waits.
  // Collective.
  virtual void launch(Stream& stream) const = 0;
  // Whether launch() needs nothing of the host, so that it can stand in a CUDA graph.
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
  SettleOf(F f, const Scalars<K>& scalars, std::string name, const Reduction<Op>&... reductions)
      : SettleCore(std::move(name)),
        f_(f),
        scalars_(scalars.core()),
        reductions_(reductions...),
        mail_(scalars_->world().template part<RankMail>()) {}

  bool on_device() const override { return kPartsFit && mail_.carries(parts()); }

  void launch(Stream& stream) const override {
    if (on_device()) {
      std::apply([](const auto&... r) { (r.core()->need_swept(), ...); }, reductions_);
      settle_once<Op...>(stream, name().c_str(), mail_, parts(), scalars_->world().settings().deterministic,
                         f_, scalars_->data());
    } else {
      settle_here(std::index_sequence_for<Op...>{});
    }
  }

private:
  static constexpr bool kPartsFit = sizeof...(Op) <= MailParts::kMost;

  MailParts parts() const {
    MailParts parts;
    std::apply([&](const auto&... r) { (parts.add(r.core()->part(), r.core()->part_bytes()), ...); },
               reductions_);
    return parts;
  }

  // Through the host and MPI.
  template <std::size_t... N>
  void settle_here(std::index_sequence<N...>) const {
    const auto parts = gather_parts(scalars_->world(), {std::get<N>(reductions_).core().get()...});
    std::array<double, K> values;
    scalars_->read(values.data());
    f_(values.data(), std::get<N>(reductions_).value_of(parts[N])...);
    scalars_->write(values.data());
  }

  F f_;
  std::shared_ptr<ScalarsCore> scalars_;
  std::tuple<Reduction<Op>...> reductions_;
  RankMail& mail_;
};

} // namespace detail
} // namespace tasuki
