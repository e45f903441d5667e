// The workers of the client's other devices, by links of their own.
#include <remote/server/admissions.hpp>
#include <remote/server/calls.hpp>
#include <remote/server/refuse.hpp>
#include <remote/server/visit.hpp>

#include <array>
#include <cstring>

namespace tasuki::remote {

namespace {

constexpr std::chrono::seconds until_there{5}; // until a link is there
constexpr std::size_t peers_at_most = 1024;

Key key_of(const std::string& secret) {
  std::array<unsigned char, Key::kBytes> bytes{};
  if (secret.size() != bytes.size())
    refuse(Status::invalid_value, "a secret of another size", "send 32 bytes");
  std::memcpy(bytes.data(), secret.data(), bytes.size());
  return Key(bytes);
}

// What is not encrypted has been asked for by the client, and allowed by whoever serves.
void check_ucx(u32 ucx, const Grant& grant) {
  if (ucx && !grant.ucx)
    refuse(Status::not_permitted, "a link by UCX, where the client's is not", "run the program with --ucx");
}

void check_lanes(u32 lanes) {
  if (lanes < 1 || lanes > static_cast<u32>(kMostLanes))
    refuse(Status::invalid_value, "so many lanes are none", "ask for 1 to 16");
}

} // namespace

std::shared_ptr<PeerLink> Calls::peer(u32 number) {
  std::lock_guard hold(peers_mutex_);
  const auto at = peers_.find(number);
  if (at == peers_.end())
    refuse(Status::invalid_value, "there is no link to this device", "make one by Admit and Dial");
  return at->second;
}

void Calls::add_peer(u32 number, std::function<std::unique_ptr<Link>()> connect, PeerLink::Told connected) {
  if (!bytes_) refuse(Status::invalid_value, "there is no arena yet", "reserve it first");
  auto link = std::make_shared<PeerLink>(device_, PeerLink::Range{base_, bytes_}, std::move(connect),
                                         std::move(connected));
  std::lock_guard hold(peers_mutex_);
  if (peers_.size() >= peers_at_most && !peers_.count(number))
    refuse(Status::memory_allocation, "a thousand links to other devices", "use fewer");
  peers_[number].swap(link);
  // An earlier one may still wait for the other worker, and the client's calls do not wait for that.
  if (link) waiters_.add([earlier = std::move(link)] { (void)earlier; });
}

void Calls::on(const call::Admit& c, View) {
  check_lanes(c.lanes);
  check_ucx(c.ucx, grant_);
  if (!grant_.admissions)
    refuse(Status::not_supported, "no other worker can come here", "copy through the client");
  grant_.admissions->add(c.peer, key_of(c.secret), c.lanes, c.ucx != 0);
  add_peer(
      c.peer, [admissions = grant_.admissions, peer = c.peer] { return admissions->link(peer, until_there); },
      [](Status, const std::string&) {});
}

void Calls::on(const call::Dial& c, View) {
  check_lanes(c.lanes);
  check_ucx(c.ucx, grant_);
  if (c.port > 0xffff) refuse(Status::invalid_value, "a port that is none", "give that of a gate");
  Entrance to;
  to.host.name = c.host;
  to.host.port = static_cast<std::uint16_t>(c.port);
  to.lane = c.lane;
  to.ucx = c.ucx != 0;
  replied_ = true; // once it is there, or is not
  try {
    add_peer(
        c.peer,
        [to, as = c.as, secret = key_of(c.secret), lanes = c.lanes] {
          return dial_worker(to, as, secret, lanes, until_there);
        },
        [this, number = number_](Status status, const std::string&) {
          try {
            replies_.send(number, answer::Done{}, status);
          } catch (const LinkLost&) {
            // the thread that reads finds it, too
          }
        });
  } catch (...) {
    replied_ = false;
    throw;
  }
}

void Calls::on(const call::Part& c, View) {
  std::lock_guard hold(peers_mutex_);
  const auto at = peers_.find(c.peer);
  if (at != peers_.end()) at->second->end("the other device is lost"); // what is asked for later fails, too
}

void Calls::stop_until(StreamId s, const std::shared_ptr<PeerLink>& peer,
                       const std::function<void(PeerLink&, PeerLink::Told)>& begin) {
  {
    std::lock_guard hold(holds_->mutex);
    ++holds_->waiting;
  }
  const auto go = [holds = holds_] {
    std::lock_guard hold(holds->mutex);
    --holds->waiting;
  };
  Stop stop;
  // The link lives as long as it is among the peers, and not as long as its streams.
  stop.come = [this, begin, go, holds = holds_, link = std::weak_ptr(peer)](std::function<void()> go_on) {
    std::lock_guard hold(holds->mutex);
    if (holds->end) return go_on(); // there may be no Calls any more
    const PeerLink::Told told = [this, go, go_on = std::move(go_on)](Status status, const std::string& what) {
      try {
        if (status != Status::success) tell(0, false, status, what);
      } catch (const LinkLost&) {
        // nobody is there to be told
      }
      go();
      go_on();
    };
    if (const auto there = link.lock())
      begin(*there, told);
    else
      waiters_.add([told] { told(devices_unavailable, "the link to another device was made anew"); });
  };
  try {
    device_.stop(s, std::move(stop));
  } catch (...) {
    go();
    throw;
  }
}

void Calls::on(const call::CopyPeer& c, View) {
  PeerCopy copy;
  copy.way = c.out ? PeerCopy::Way::out : PeerCopy::Way::in;
  copy.here = {c.here, c.here_pitch, c.here_slice};
  copy.there = {c.there, c.there_pitch, c.there_slice};
  copy.box = {c.width, c.height, c.depth};
  check(c.here, checked_span(copy.here, copy.box));
  checked_span(copy.there, copy.box); // whether it can be
  stop_until(stream_of_bytes(c.stream), peer(c.peer),
             [copy](PeerLink& link, PeerLink::Told done) { link.copy(copy, std::move(done)); });
}

// Whoever awaits it goes on also where there is no such event, or the device has a fault.
void Calls::on(const call::TellPeer& c, View) {
  const auto link = peer(c.peer);
  try {
    const std::shared_ptr<const Mark> e = event(c.event);
    if (device_.event_done(e->id())) return link->signal(c.token);
    waiters_.add([this, link, e, token = c.token] {
      try {
        device_.synchronize_event(e->id());
      } catch (const DeviceError&) {
        // whoever calls this device next is told
      }
      link->signal(token);
    });
  } catch (const DeviceError&) {
    link->signal(c.token);
    throw;
  }
}

void Calls::on(const call::AwaitPeer& c, View) {
  stop_until(stream(c.stream), peer(c.peer),
             [token = c.token](PeerLink& link, PeerLink::Told done) { link.await(token, std::move(done)); });
}

} // namespace tasuki::remote
