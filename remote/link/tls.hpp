// TLS 1.3 with a pre-shared key: both ends prove that they have it, and the data is encrypted and authenticated. One
// suite (TLS_AES_128_GCM_SHA256), with a new key exchange per connection (RFC 8446, psk_dhe_ke), no certificates.
//
//   std::unique_ptr<Link> link = tls_client(dial_tcp(host, patience), secret, "b", patience);
#pragma once

#include <remote/link/descriptor.hpp>
#include <remote/link/key.hpp>
#include <remote/link/link.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace tasuki::remote {

// The usual identity. An identity names the secret that a client has, and is sent in the clear.
inline constexpr char kIdentity[] = "tasuki";

// For a connected socket. They throw Error if the other end does not prove that it has the key within `patience`.
std::unique_ptr<Link> tls_client(Descriptor socket, const Key& secret, const std::string& peer,
                                 std::chrono::milliseconds patience, const std::string& identity = kIdentity);
std::unique_ptr<Link> tls_server(Descriptor socket, const Key& secret, const std::string& peer,
                                 std::chrono::milliseconds patience);
// The secret of the identity that the client names; a key that is not there() refuses it.
using Secrets = std::function<Key(const std::string& identity)>;
std::unique_ptr<Link> tls_server(Descriptor socket, const Secrets& secrets, const std::string& peer,
                                 std::chrono::milliseconds patience);

} // namespace tasuki::remote
