// Who has not the key gets nothing, and bytes that were changed on the way never arrive.
#include <remote/link/trial.hpp>

#include <openssl/ssl.h>

#include <atomic>
#include <thread>

#include "ends.hpp"

namespace tasuki::remote {
namespace {

constexpr auto kPatience = std::chrono::seconds(5);

// What client and worker say of a handshake.
std::pair<std::string, std::string> handshake(const Key& of_client, const Key& of_worker) {
  auto [a, b] = socket_pair();
  auto worker = std::async(std::launch::async, [&of_worker, end = std::move(b)]() mutable {
    return said([&] { tls_server(std::move(end), of_worker, "client", kPatience); });
  });
  const std::string client =
      said([&, &end = a] { tls_client(std::move(end), of_client, "worker", kPatience); });
  return {client, worker.get()};
}

TEST(Tls, IsRefusedWithAnotherKey) {
  const auto [client, worker] = handshake(new_key(), new_key());
  EXPECT_NE(client.find("worker has another key"), std::string::npos) << client;
  EXPECT_NE(worker.find("client has another key"), std::string::npos) << worker;
}

// A worker that shows no proof is refused by the client as well: whoever listens at the port is not trusted.
TEST(Tls, AsksTheWorkerForItsProofToo) {
  auto [a, b] = socket_pair();
  std::thread impostor([end = std::move(b)] {
    SSL_CTX* context = SSL_CTX_new(TLS_server_method());
    EVP_PKEY* pair = EVP_EC_gen("P-256");
    X509* certificate = X509_new();
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, pair);
    X509_sign(certificate, pair, EVP_sha256());
    SSL_CTX_use_certificate(context, certificate);
    SSL_CTX_use_PrivateKey(context, pair);
    SSL* connection = SSL_new(context);
    SSL_set_fd(connection, end.number());
    EXPECT_NE(SSL_accept(connection), 1);
    SSL_free(connection);
    SSL_CTX_free(context);
    X509_free(certificate);
    EVP_PKEY_free(pair);
  });
  const Key key = new_key();
  EXPECT_NE(said([&, &end = a] {
              tls_client(std::move(end), key, "worker", kPatience);
            }).find("another key, or none"),
            std::string::npos);
  impostor.join();
}

TEST(Tls, GivesUpOnWhoSaysNothing) {
  auto [a, b] = socket_pair();
  const Key key = new_key();
  const std::string line =
      said([&, &end = b] { tls_server(std::move(end), key, "client", std::chrono::milliseconds(80)); });
  EXPECT_NE(line.find("client does not answer"), std::string::npos) << line;
}

// OpenSSL would end with the program, under the hands of threads that bring a spare meanwhile.
TEST(TlsDeathTest, AProgramMayEndWhileItsThreadsMakeLinks) {
  testing::FLAGS_gtest_death_test_style = "threadsafe"; // a process that has not used OpenSSL
  const auto ends = [] {
    const Key key(std::array<unsigned char, Key::kBytes>{});
    for (int n = 0; n < 3; ++n)
      std::thread([&key] {
        for (;;) handshake(key, key);
      }).detach();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::exit(0);
  };
  for (int n = 0; n < 4; ++n) EXPECT_EXIT(ends(), testing::ExitedWithCode(0), "");
}

// A network between two sockets: what one end sends goes through `change`, and is kept.
struct Wire {
  Descriptor left, right;
  std::string seen;           // of what the left end sent
  std::atomic<long> flip{-1}; // a byte to change
  std::atomic<long> cut{-1};  // bytes after which it ends
  std::atomic<long> taken{0}; // bytes of `seen`
  void carry() {
    std::thread back([this] {
      char bytes[4096];
      for (ssize_t n; (n = recv(right.number(), bytes, sizeof bytes, 0)) > 0;)
        if (send(left.number(), bytes, static_cast<std::size_t>(n), MSG_NOSIGNAL) != n) break;
      ::shutdown(left.number(), SHUT_WR);
    });
    char bytes[4096];
    for (ssize_t n; (n = recv(left.number(), bytes, sizeof bytes, 0)) > 0;) {
      const long before = static_cast<long>(seen.size());
      seen.append(bytes, static_cast<std::size_t>(n));
      taken = static_cast<long>(seen.size());
      if (flip >= before && flip < before + n) bytes[flip - before] ^= 1;
      if (cut >= 0 && cut < before + n) n = std::max(0L, cut.load() - before);
      if (send(right.number(), bytes, static_cast<std::size_t>(n), MSG_NOSIGNAL) != n) break;
      if (cut >= 0 && static_cast<long>(seen.size()) > cut) break;
    }
    ::shutdown(right.number(), SHUT_WR);
    back.join();
  }
};

struct Over {
  std::string worker_said; // behind the handshake, or of it
  std::string seen;
  std::string text; // that arrived
};

Over talk_over(int flip_behind, long cut_behind, const Key& key) {
  auto [client_end, left] = socket_pair();
  auto [right, worker_end] = socket_pair();
  Wire wire;
  wire.left = std::move(left);
  wire.right = std::move(right);
  std::thread network([&] { wire.carry(); });
  Over over;
  std::thread worker([&, &end = worker_end] {
    over.worker_said = said([&] {
      auto link = tls_server(std::move(end), key, "client", kPatience);
      link->write({"k", 1});
      char bytes[1024];
      for (;;) {
        const std::size_t n = link->read(bytes, 1, sizeof bytes);
        over.text.append(bytes, n);
      }
    });
  });
  {
    auto link = tls_client(std::move(client_end), key, "worker", kPatience);
    char letter;
    link->read(&letter, 1, 1); // all of the handshake is through, so the next bytes are the text's
    const long begin = wire.taken;
    if (flip_behind >= 0) wire.flip = begin + flip_behind;
    if (cut_behind >= 0) wire.cut = begin + cut_behind;
    const std::string text(600, 'x');
    said([&] { link->write({text.data(), text.size()}); });
    said([&] { link->write({text.data(), text.size()}); });
  }
  worker.join();
  network.join();
  over.seen = wire.seen;
  return over;
}

TEST(Tls, HidesAndDeliversWhatIsSent) {
  const Over over = talk_over(-1, -1, new_key());
  EXPECT_EQ(over.text, std::string(1200, 'x'));
  EXPECT_NE(over.worker_said.find("it ended"), std::string::npos) << over.worker_said;
  EXPECT_EQ(over.seen.find("xxxx"), std::string::npos);
}

TEST(Tls, FindsAChangedBit) {
  const Over over = talk_over(300, -1, new_key());
  EXPECT_EQ(over.text, "");
  EXPECT_NE(over.worker_said.find("changed on the way"), std::string::npos) << over.worker_said;
}

// A stream that a stranger ends is not one that its sender ended.
TEST(Tls, KnowsThatItWasCutShort) {
  for (const long cut : {0L, 300L, 622L}) {
    const Over over = talk_over(-1, cut, new_key());
    EXPECT_TRUE(over.text.size() == 0 || over.text.size() == 600) << over.text.size();
    EXPECT_NE(over.worker_said.find("cut short"), std::string::npos) << over.worker_said;
  }
}

// A greeting that was heard on the network opens nothing when it is sent again.
TEST(Tls, IsNotOpenedByAReplay) {
  const Key key = new_key();
  const Over over = talk_over(-1, -1, key);
  auto [a, b] = socket_pair();
  std::thread stranger([&over, end = std::move(a)] {
    send(end.number(), over.seen.data(), over.seen.size(), MSG_NOSIGNAL);
    ::shutdown(end.number(), SHUT_WR);
    char bytes[4096];
    while (recv(end.number(), bytes, sizeof bytes, 0) > 0) {}
  });
  std::string text;
  const std::string line = said([&, &end = b] {
    auto link = tls_server(std::move(end), key, "client", kPatience);
    char letter;
    link->read(&letter, 1, 1);
    text += letter;
  });
  stranger.join();
  EXPECT_NE(line, "");
  EXPECT_EQ(text, "");
}

} // namespace
} // namespace tasuki::remote
