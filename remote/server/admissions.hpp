// Workers of other devices that may come to this one: each has proven lanes by a secret that the client has told both.
//
//   admissions.add(3, secret, 4);                       // four lanes, once
//   admissions.take(3, 1, std::move(lane));             // by whoever takes connections, once the lane has proven the secret
//   std::unique_ptr<Link> link = admissions.link(3, patience);   // waits for all; the secret opens nothing from then on
//
// By any thread.
#pragma once

#include <openssl/crypto.h>
#include <remote/link/key.hpp>
#include <remote/link/lanes.hpp>
#include <remote/link/ucx/ucx_link.hpp>
#include <remote/server/coming.hpp>
#include <remote/server/visit.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace tasuki::remote {

class Admissions {
public:
  static constexpr std::size_t at_most = 1024; // that have not come yet

  // Replaces an earlier one of the same number. Throws Error where there are too many. By `ucx` there is one lane.
  void add(std::uint32_t peer, const Key& secret, std::uint32_t lanes, bool ucx = false) {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (expected_.size() >= at_most && !expected_.count(peer))
      throw Error("too many workers are expected at once", "ask for fewer devices");
    expected_[peer] = std::make_shared<Expected>(secret, lanes, ucx);
  }

  // Who is expected as identity_of_peer(), or by this secret.
  std::optional<std::uint32_t> peer_of(const std::string& identity) const {
    return first([&](std::uint32_t peer, const Expected&) { return identity_of_peer(peer) == identity; });
  }
  std::optional<std::uint32_t> peer_of(const Key& shown) const {
    return first([&](std::uint32_t, const Expected& one) {
      return CRYPTO_memcmp(one.secret.data(), shown.data(), Key::kBytes) == 0;
    });
  }
  Key secret_of(std::uint32_t peer) const { // none where nobody is expected
    const auto one = find(peer);
    return one ? one->secret : Key();
  }

  void take(std::uint32_t peer, std::uint32_t number, std::unique_ptr<Link> lane) {
    if (const auto one = find(peer)) one->coming.take(number, std::move(lane));
  }

  // Throws Error where a lane has not come in time. In any case none is expected any more.
  std::unique_ptr<Link> link(std::uint32_t peer, std::chrono::milliseconds patience) {
    const auto one = find(peer);
    if (!one) throw Error("no worker of this number is expected", "admit it first");
    const auto end = [&] {
      const std::lock_guard<std::mutex> guard(mutex_);
      if (const auto at = expected_.find(peer); at != expected_.end() && at->second == one)
        expected_.erase(at);
    };
    try {
      auto lanes = one->coming.all(patience);
      end();
      std::unique_ptr<Link> first = std::move(lanes.front());
      lanes.erase(lanes.begin());
      auto link = laned(std::move(first), std::move(lanes));
      link->write({&kArrived, 1});
      return one->ucx ? ucx_over(std::move(link), patience) : std::move(link);
    } catch (...) {
      end();
      throw;
    }
  }

private:
  struct Expected {
    Expected(const Key& key, std::uint32_t count, bool by_ucx) : secret(key), ucx(by_ucx), coming(count) {}
    const Key secret;
    const bool ucx;
    Coming coming;
  };
  std::shared_ptr<Expected> find(std::uint32_t peer) const {
    const std::lock_guard<std::mutex> guard(mutex_);
    const auto at = expected_.find(peer);
    return at == expected_.end() ? nullptr : at->second;
  }
  template <class Fits>
  std::optional<std::uint32_t> first(const Fits& fits) const {
    const std::lock_guard<std::mutex> guard(mutex_);
    for (const auto& [peer, one] : expected_)
      if (fits(peer, *one)) return peer;
    return std::nullopt;
  }

  mutable std::mutex mutex_;
  std::map<std::uint32_t, std::shared_ptr<Expected>> expected_;
};

} // namespace tasuki::remote
