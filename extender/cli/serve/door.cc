#include "extender/cli/serve/door.h"

#include <utility>

#include "extender/authorization/token_guard.h"
#include "extender/http/transport/tls_transport.h"

namespace winnow {

void set_door(http::Server& server, const TlsFlags& flags, const TlsFiles* tls, TokenAccess* tokens) {
  if (tls != nullptr)
    server.set_transport([tls](int fd) { return http::make_tls_transport(fd, tls->current()); });
  http::Guard guard = flags.client_ca_file.empty() ? http::Guard() : client_guard(flags);
  if (tokens != nullptr) guard = token_guard(*tokens, flags.anonymous_paths, std::move(guard));
  if (guard) server.set_guard(std::move(guard));
}

}  // namespace winnow
