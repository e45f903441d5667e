// What the parts of a step cost a program on a machine: cells, exchanges, looks. The rows of model/executors.hpp add them up.
#pragma once

#include <tasuki/model/constants.hpp>
#include <tasuki/model/parts.hpp>
#include <tasuki/model/workload.hpp>

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tasuki {

// What starts the work on a device: the host (every sweep), a graph (many sweeps), or a kernel (threads, on the host) that stays.
enum class Begun { by_host, by_graph, by_itself };

struct Forced {
  std::optional<ChannelKind> channel; // between ranks, as --channel has it
};

// Of an exchange: seconds however short it is, and seconds of its bytes.
struct ExchangeSeconds {
  double latency = 0, bandwidth = 0;
  double total() const { return latency + bandwidth; }
};

class Costs {
public:
  // All but `begun` has to outlive it.
  Costs(const Workload& load, Begun begun, const Constants& constants, const Joining& joining,
        const Forced& forced);

  const Workload& load() const { return load_; }
  const Constants& machine() const { return c_; }

  bool remote() const;                                    // something goes to another rank
  bool by(ChannelKind kind) const;                        // some of it goes by this channel
  double answer() const;                                  // a value of all ranks at the host
  double gap() const;                                     // from a sweep to the next
  int calls_of(const std::vector<FaceLoad>& faces) const; // that the host makes for an exchange

  // Of what goes to other ranks, and of what a rank sends itself. On a GPU channels work at once, on the host the rank's
  // cores copy for all of them.
  ExchangeSeconds exchange(const std::vector<FaceLoad>& faces) const;
  ExchangeSeconds wrapped(const std::vector<FaceLoad>& faces) const;

  // A sweep with the exchange before it; `beside`: the interior goes beside the exchange.
  void add_sweep(const SweepLoad& sweep, bool beside, Parts& parts) const;
  // An exchange that the program asks for.
  void add_refresh(const std::vector<FaceLoad>& faces, Parts& parts) const;

private:
  struct Travel {
    ChannelKind channel;
    Tuning::Cost cost;
  };
  Travel travel(const FaceLoad& face) const;
  Travel cheapest(const FaceLoad& face, PairKind pair, const std::vector<ChannelKind>& channels) const;
  double latency(const Travel& travel) const;
  double streaming(double bytes, const std::string& sweep) const;

  const Workload& load_;
  Begun begun_;
  const Constants& c_;
  const Joining& joining_;
  const Forced& forced_;
  int sharers_ = 1; // ranks that share the memory of this one's host
};

} // namespace tasuki
