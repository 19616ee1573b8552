// TLS as the byte stream of a connection.
#pragma once

#include <memory>

#include "extender/http/transport/tls_context.h"
#include "extender/http/transport/transport.h"

namespace winnow::http {

/// A TLS session over a connected, non-blocking socket, which it owns. The handshake is a part of read() and
/// write(), and so holds no thread. A client that has sent nothing costs no session.
std::unique_ptr<Transport> make_tls_transport(int fd, std::shared_ptr<const TlsContext> context);

}  // namespace winnow::http
