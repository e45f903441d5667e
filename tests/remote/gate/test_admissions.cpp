// The worker of another device comes to a worker by a secret of its own: once, with all its lanes, and nobody else by it.
#include <remote/server/admissions.hpp>

#include "house.hpp"

namespace tasuki::remote {
namespace {

constexpr std::uint32_t peer = 3, lanes = 2;

// The worker expects somebody by this secret.
void admit(Link& client, const Key& secret) {
  client.write({"a", 1});
  client.write({secret.data(), Key::size()});
  char letter = 0;
  client.read(&letter, 1, 1);
  EXPECT_EQ(letter, 'A');
}

// Whether it is refused, by the proof or by what comes of it.
bool opens_nothing(const Entrance& to, std::uint32_t as, const Key& secret) {
  return said([&] { dial_worker(to, as, secret, lanes, std::chrono::seconds(5)); }) != "";
}

TEST(Admissions, LetAWorkerInOnceAndByItsSecretAlone) {
  const House house;
  for (const Host* host : {&house.tcp, &house.local}) {
    SCOPED_TRACE(host->shown());
    const Visit visit = open_device(*host, house.key, 0);
    const Key secret = new_key();
    // Not by `secret`: a lane of this host sends it and goes on, so a slow worker could look at it after admit().
    EXPECT_TRUE(opens_nothing(visit.entrance, peer, new_key())) << "before anybody is expected";
    admit(*visit.link, secret);
    EXPECT_TRUE(opens_nothing(visit.entrance, peer, new_key()));
    EXPECT_TRUE(opens_nothing(visit.entrance, peer, house.key));
    if (host->path.empty()) { // a socket of this host has no names, but the secret
      EXPECT_TRUE(opens_nothing(visit.entrance, peer + 1, secret));
    }
    Entrance elsewhere = visit.entrance;
    elsewhere.lane[0] = static_cast<char>(elsewhere.lane[0] ^ 1);
    EXPECT_TRUE(opens_nothing(elsewhere, peer, secret)) << "at another worker";
    visit.link->write({"l", 1}); // the worker takes who comes, and tells what he brings
    const auto link = dial_worker(visit.entrance, peer, secret, lanes, kLong);
    link->write({"7", 1});
    char brought = 0;
    visit.link->read(&brought, 1, 1);
    EXPECT_EQ(brought, '7');
    EXPECT_TRUE(opens_nothing(visit.entrance, peer, secret)) << "a second time";
    EXPECT_EQ(echo(*visit.link), 'E');
  }
}

TEST(Admissions, EndWhereALaneDoesNotCome) {
  Admissions admissions;
  const Key secret = new_key();
  admissions.add(peer, secret, lanes);
  EXPECT_EQ(admissions.peer_of(identity_of_peer(peer)), peer);
  EXPECT_EQ(admissions.peer_of(secret), peer);
  Ends lane = ends_of("socket");
  admissions.take(peer, 1, std::move(lane.worker));
  EXPECT_NE(said([&] { admissions.link(peer, std::chrono::milliseconds(10)); }), "");
  EXPECT_FALSE(admissions.secret_of(peer).there());
  EXPECT_NE(said([&] { lane.client->read(&lane, 1, 1); }), "") << "the lane that had come is shut";
}

} // namespace
} // namespace tasuki::remote
