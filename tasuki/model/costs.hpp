// The costs of the parts of a step: cells, exchanges, looks. The rows of model/executors.hpp add them up.
#pragma once

#include <tasuki/model/constants.hpp>
#include <tasuki/model/parts.hpp>
#include <tasuki/model/workload.hpp>

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tasuki {

// The launcher of work on a device: the host (each sweep), a graph (many sweeps), or a persistent kernel or threads.
enum class Begun { by_host, by_graph, by_itself };

struct Forced {
  std::optional<ChannelKind> channel; // between ranks, as set by --channel
};

// The time of an exchange: a part that does not depend on its size, and the time of its bytes.
struct ExchangeSeconds {
  double latency = 0, bandwidth = 0;
  double total() const { return latency + bandwidth; }
};

class Costs {
public:
  // All arguments but `begun` must outlive this object.
  Costs(const Workload& load, Begun begun, const Constants& constants, const Joining& joining,
        const Forced& forced);

  const Workload& load() const { return load_; }
  const Constants& machine() const { return c_; }

  bool remote() const;             // some messages go to another rank
  bool by(ChannelKind kind) const; // some messages use this channel
  double answer() const;           // until the host has a value from all ranks
  double look() const;             // of the host at a value that is noted behind its step
  double gap() const;              // between two sweeps
  int calls_of(const std::vector<FaceLoad>& faces) const; // calls of the host for an exchange

  // Messages to other ranks, and copies within a rank. On a GPU the channels work concurrently; on the host the rank's
  // cores copy for all of them.
  ExchangeSeconds exchange(const std::vector<FaceLoad>& faces) const;
  ExchangeSeconds wrapped(const std::vector<FaceLoad>& faces) const;

  // A sweep with the exchange before it; `beside`: the interior overlaps with the exchange.
  void add_sweep(const SweepLoad& sweep, bool beside, Parts& parts) const;
  // An explicit exchange of the program.
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
  double read_near(const std::vector<FaceLoad>& faces) const;

  const Workload& load_;
  Begun begun_;
  const Constants& c_;
  const Joining& joining_;
  const Forced& forced_;
  int sharers_ = 1; // ranks that share the memory of this rank's host
};

} // namespace tasuki
