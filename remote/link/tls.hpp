// TLS 1.3 with a secret that both ends have: it proves each to the other, hides what is sent and finds what was changed.
// One suite (TLS_AES_128_GCM_SHA256), a fresh exchange of keys for each connection (RFC 8446, psk_dhe_ke), no certificates.
//
//   std::unique_ptr<Link> link = tls_client(dial_tcp(host, patience), secret, "b", patience);
#pragma once

#include <remote/link/descriptor.hpp>
#include <remote/link/key.hpp>
#include <remote/link/link.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace tasuki::remote {

// Take a connected socket; throw Error where the other end does not prove that it has the secret, within `patience`.
std::unique_ptr<Link> tls_client(Descriptor socket, const Key& secret, const std::string& peer,
                                 std::chrono::milliseconds patience);
std::unique_ptr<Link> tls_server(Descriptor socket, const Key& secret, const std::string& peer,
                                 std::chrono::milliseconds patience);

} // namespace tasuki::remote
