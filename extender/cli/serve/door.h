// What the port for calls asks of its clients: TLS, certificates, tokens.
#pragma once

#include "extender/authorization/token_access.h"
#include "extender/cli/flags/flags.h"
#include "extender/cli/serve/tls_files.h"
#include "extender/http/server.h"

namespace winnow {

/// Has the server speak TLS, and ask for certificates and tokens, as the flags say.
/// @param tls, tokens  null: not so. They outlive the server.
void set_door(http::Server& server, const TlsFlags& flags, const TlsFiles* tls, TokenAccess* tokens);

}  // namespace winnow
