// The guard of --authorization-webhook=apiserver: what a bearer token opens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "extender/service/http/message.h"

namespace winnow {

class TokenAccess;

/// The bearer token in the value of an Authorization header; "": there is none, or none that could be good.
/// Read as upstream does, but for characters that JSON would escape: k8s.io/apiserver
/// pkg/authentication/request/bearertoken/bearertoken.go v0.37.0.
std::string_view bearer_token(std::string_view authorization);

/// The guard of a listener on which a token opens the routes of ByToken::kOpen. Whoever shows a certificate
/// is judged by it alone.
///
/// 401: there is no token, or nobody's. 403: its user may not, in an API server's words. 500: the API servers
/// do not say. 503: too many wait for them. At --v=2 the log has a line for each that is refused.
/// Upstream: k8s.io/apiserver pkg/endpoints/filters, pkg/endpoints/handlers/responsewriters/errors.go
/// v0.37.0.
/// @param access  outlives the guard.
/// @param anonymous  paths that are open to everybody.
/// @param certificates  judges who shows a certificate, and all other paths. Null: those are open.
http::Guard token_guard(TokenAccess& access, std::vector<std::string> anonymous, http::Guard certificates);

}  // namespace winnow
