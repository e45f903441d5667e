#include <remote/link/tls.hpp>

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <remote/link/ending.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>

namespace tasuki::remote {

namespace {

using Clock = std::chrono::steady_clock;
constexpr unsigned char kSuite[] = {0x13, 0x01}; // TLS_AES_128_GCM_SHA256
constexpr std::size_t kRecord = 16384;           // the largest size of a record, in bytes

struct Free {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* connection) const { SSL_free(connection); }
  void operator()(SSL_SESSION* session) const { SSL_SESSION_free(session); }
};

// What a handshake needs: a client's identity, and the secret of each identity.
struct Proof {
  std::string identity;
  Secrets secrets;
};

// OpenSSL takes an external pre-shared key in the form of an earlier session.
SSL_SESSION* session_of(SSL* connection, const std::string& identity) {
  const Proof* proof = static_cast<const Proof*>(SSL_get_app_data(connection));
  const Key secret = proof ? proof->secrets(identity) : Key();
  std::unique_ptr<SSL_SESSION, Free> session(SSL_SESSION_new());
  const SSL_CIPHER* suite = SSL_CIPHER_find(connection, kSuite);
  if (!secret.there() || !session || !suite ||
      !SSL_SESSION_set1_master_key(session.get(), secret.data(), secret.size()) ||
      !SSL_SESSION_set_cipher(session.get(), suite) ||
      !SSL_SESSION_set_protocol_version(session.get(), TLS1_3_VERSION))
    return nullptr;
  return session.release();
}

int offer(SSL* connection, const EVP_MD* /*digest*/, const unsigned char** identity, std::size_t* size,
          SSL_SESSION** session) {
  const std::string& name = static_cast<const Proof*>(SSL_get_app_data(connection))->identity;
  *session = session_of(connection, name);
  *identity = reinterpret_cast<const unsigned char*>(name.data());
  *size = name.size();
  return *session != nullptr;
}

int find(SSL* connection, const unsigned char* identity, std::size_t size, SSL_SESSION** session) {
  *session = session_of(connection, std::string(reinterpret_cast<const char*>(identity), size));
  return 1; // an unknown identity: no shared key, so the handshake fails
}

std::unique_ptr<SSL_CTX, Free> context_for(bool server) {
  OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, nullptr); // threads may be making links while the program ends
  std::unique_ptr<SSL_CTX, Free> context(SSL_CTX_new(server ? TLS_server_method() : TLS_client_method()));
  if (!context || !SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION) ||
      !SSL_CTX_set_max_proto_version(context.get(), TLS1_3_VERSION) ||
      !SSL_CTX_set_ciphersuites(context.get(), "TLS_AES_128_GCM_SHA256"))
    throw Error("OpenSSL has no TLS 1.3 with AES-128-GCM here", "look at the system's OpenSSL policy");
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_num_tickets(context.get(), 0);
  SSL_CTX_set_max_early_data(context.get(), 0); // could be replayed
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // Certificates are not used: a server that has no key and presents a certificate is refused.
  SSL_CTX_set_verify(context.get(), server ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, nullptr);
  if (server)
    SSL_CTX_set_psk_find_session_callback(context.get(), find);
  else
    SSL_CTX_set_psk_use_session_callback(context.get(), offer);
  return context;
}

// OpenSSL would call write(), which raises SIGPIPE in a user's program; this function calls send().
int send_bytes(BIO* bio, const char* from, int size) {
  BIO_clear_retry_flags(bio);
  const int socket = static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
  const ssize_t sent = send(socket, from, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (sent < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}
int take_bytes(BIO* bio, char* to, int size) {
  BIO_clear_retry_flags(bio);
  const int socket = static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
  const ssize_t got = recv(socket, to, static_cast<std::size_t>(size), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  return static_cast<int>(got);
}
long control(BIO* /*bio*/, int what, long /*number*/, void* /*pointer*/) { return what == BIO_CTRL_FLUSH; }

BIO* bio_over(int socket) {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "tasuki socket");
    BIO_meth_set_write(made, send_bytes);
    BIO_meth_set_read(made, take_bytes);
    BIO_meth_set_ctrl(made, control);
    return made;
  }();
  BIO* bio = BIO_new(method);
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(socket)));
  BIO_set_init(bio, 1);
  return bio;
}

class TlsLink : public Link {
public:
  TlsLink(Descriptor socket, std::string peer, bool server)
      : socket_(std::move(socket)),
        peer_(std::move(peer)),
        context_(context_for(server)),
        ssl_(SSL_new(context_.get())) {
    fcntl(socket_.number(), F_SETFL, fcntl(socket_.number(), F_GETFL) | O_NONBLOCK);
    BIO* bio = bio_over(socket_.number());
    SSL_set_bio(ssl_.get(), bio, bio);
    if (server)
      SSL_set_accept_state(ssl_.get());
    else
      SSL_set_connect_state(ssl_.get());
  }
  ~TlsLink() override { shut(); }

  void prove(const Proof& proof, std::chrono::milliseconds patience) {
    SSL_set_app_data(ssl_.get(), const_cast<Proof*>(&proof));
    const Clock::time_point end = Clock::now() + patience;
    for (;;) {
      ERR_clear_error();
      const int done = SSL_do_handshake(ssl_.get());
      if (done == 1) break;
      const int why = SSL_get_error(ssl_.get(), done);
      if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) refuse();
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
      if (left <= 0 || !wait(why == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, static_cast<int>(left)))
        throw Error(peer_ + " does not answer", "look whether GPUs are served there");
    }
    SSL_set_app_data(ssl_.get(), nullptr); // the proof belongs to the caller
    if (!SSL_session_reused(ssl_.get())) refuse();
  }

  using Link::write;
  void write(const Piece* pieces, std::size_t count) override {
    // A record costs about 30 bytes and a call, so small pieces are combined.
    std::array<char, kRecord> together;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (kept + pieces[i].size > together.size()) {
        send_all(together.data(), kept);
        kept = 0;
      }
      if (pieces[i].size >= together.size()) {
        send_all(static_cast<const char*>(pieces[i].data), pieces[i].size);
      } else if (pieces[i].size > 0) { // the pointer of an empty piece may be null
        std::memcpy(together.data() + kept, pieces[i].data, pieces[i].size);
        kept += pieces[i].size;
      }
    }
    send_all(together.data(), kept);
  }

  std::size_t read(void* to, std::size_t at_least, std::size_t at_most) override {
    std::size_t got = 0;
    while (got < at_most) {
      int why = 0;
      std::size_t now = 0;
      {
        const std::lock_guard<std::mutex> guard(mutex_);
        ERR_clear_error();
        const int done = SSL_read_ex(ssl_.get(), static_cast<char*>(to) + got, at_most - got, &now);
        if (done != 1) why = SSL_get_error(ssl_.get(), done);
      }
      got += now;
      if (now > 0) {
        if (got >= at_least && at_least > 0 && now < kRecord)
          break; // one more read would return nothing, after a call in vain
        continue;
      }
      if (got >= at_least && (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE)) break;
      wait_or_raise(why);
    }
    return got;
  }

  void shut() noexcept override {
    {
      const std::lock_guard<std::mutex> guard(mutex_);
      ERR_clear_error();
      if (SSL_is_init_finished(ssl_.get())) SSL_shutdown(ssl_.get()); // tells the peer that no data was cut
    }
    ::shutdown(socket_.number(), SHUT_RDWR);
  }
  void shut_for(const std::string& why) noexcept override {
    ending_.because(why);
    shut();
  }
  void set_patience(std::chrono::milliseconds patience) override {
    patience_ = static_cast<int>(patience.count());
  }
  std::string peer() const override { return peer_; }

private:
  [[noreturn]] void refuse() const {
    throw Error(peer_ + " has another key, or none",
                "copy the same file (`tasuki gpus key` makes one) to all hosts");
  }

  bool wait(short events, int milliseconds) const {
    pollfd about{socket_.number(), events, 0};
    int ready;
    do ready = poll(&about, 1, milliseconds);
    while (ready < 0 && errno == EINTR);
    return ready > 0;
  }

  void wait_or_raise(int why) const {
    if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) {
      const bool reads = why == SSL_ERROR_WANT_READ;
      if (!wait(reads ? POLLIN : POLLOUT, reads && patience_ > 0 ? patience_ : -1))
        ending_.raise(peer_, "no answer in time");
      return;
    }
    if (why == SSL_ERROR_ZERO_RETURN) ending_.raise(peer_, "it ended");
    ending_.raise(peer_, "it was cut short, or its bytes were changed on the way");
  }

  void send_all(const char* from, std::size_t size) {
    while (size > 0) {
      int why = 0;
      std::size_t sent = 0;
      {
        const std::lock_guard<std::mutex> guard(mutex_);
        ERR_clear_error();
        const int done = SSL_write_ex(ssl_.get(), from, std::min(size, kRecord), &sent);
        if (done != 1) why = SSL_get_error(ssl_.get(), done);
      }
      from += sent;
      size -= sent;
      if (sent == 0) wait_or_raise(why);
    }
  }

  Descriptor socket_;
  std::string peer_;
  std::unique_ptr<SSL_CTX, Free> context_;
  std::unique_ptr<SSL, Free> ssl_;
  std::mutex
      mutex_; // for ssl_, which allows one thread at a time; never held while waiting for the other end
  int patience_ = 0;
  Ending ending_;
};

std::unique_ptr<Link> proven(std::unique_ptr<TlsLink> link, const Proof& proof,
                             std::chrono::milliseconds patience) {
  link->prove(proof, patience);
  return link;
}

} // namespace

std::unique_ptr<Link> tls_client(Descriptor socket, const Key& secret, const std::string& peer,
                                 std::chrono::milliseconds patience, const std::string& identity) {
  return proven(std::make_unique<TlsLink>(std::move(socket), peer, false),
                {identity, [&](const std::string&) { return secret; }}, patience);
}

std::unique_ptr<Link> tls_server(Descriptor socket, const Key& secret, const std::string& peer,
                                 std::chrono::milliseconds patience) {
  return tls_server(
      std::move(socket), [&](const std::string& identity) { return identity == kIdentity ? secret : Key(); },
      peer, patience);
}

std::unique_ptr<Link> tls_server(Descriptor socket, const Secrets& secrets, const std::string& peer,
                                 std::chrono::milliseconds patience) {
  return proven(std::make_unique<TlsLink>(std::move(socket), peer, true), {"", secrets}, patience);
}

} // namespace tasuki::remote
