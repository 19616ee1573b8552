#include "extender/service/authorization/token_guard.h"

#include <algorithm>
#include <format>
#include <optional>
#include <utility>

#include "cluster/function_ref.h"
#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"
#include "extender/service/authorization/token_access.h"
#include "extender/service/log/log.h"
#include "extender/service/verbs/routes.h"

namespace winnow {
namespace {

using Said = TokenVerdict::Said;

bool opens_by_token(const http::Request& request) {
  return std::ranges::any_of(routes(), [&](const Route& route) {
    return route.by_token == ByToken::kOpen && route.path == request.path && route.method == request.method;
  });
}

/// A character of a token. JSON would write the others in another way, and so they could not be found in what
/// an API server says of the token.
bool is_of_token(char c) { return c > ' ' && c < 0x7f && !std::string_view(R"("\<>&)").contains(c); }

std::string lower_case(std::string_view text) {
  std::string lowered(text);
  std::ranges::transform(lowered, lowered.begin(), lower);
  return lowered;
}

/// What the guard and its callback need of a request.
struct Asked {
  std::string verb, path, remote, id;
};

http::Response answer_to(const Asked& asked, const TokenVerdict& verdict) {
  if (verdict.said == Said::kUnauthenticated)
    return http::line_response(401, "Unauthorized: the API server does not take this bearer token");
  if (verdict.said == Said::kBusy)
    return http::line_response(503, "overloaded: too many requests wait for a review of their tokens");
  if (verdict.said == Said::kForbidden)
    return http::line_response(
        403, std::format("forbidden: User {} cannot {} path {}{}", go_quote(verdict.user), asked.verb,
                         go_quote(asked.path), verdict.reason.empty() ? "" : ": " + verdict.reason));
  return http::line_response(
      500,
      std::format("Internal Server Error: {}: the API server has not said whose bearer token this is, and "
                  "what its user may do",
                  go_quote(asked.path)));
}

/// The refusal, which is logged; nothing if the request goes on.
std::optional<http::Response> refusal_of(const Asked& asked, const TokenVerdict& verdict) {
  if (verdict.said == Said::kAllowed) return std::nullopt;
  http::Response response = answer_to(asked, verdict);
  if (log_enabled(2))
    log_info("token refused", {{"verb", asked.verb},
                               {"path", asked.path},
                               {"remote", asked.remote},
                               {"status", response.status},
                               {"user", verdict.user},
                               {"reason", verdict.reason},
                               {"request_id", asked.id}});
  return response;
}

}  // namespace

std::string_view bearer_token(std::string_view authorization) {
  authorization = trim(authorization);
  const std::size_t blank = authorization.find(' ');
  if (blank == std::string_view::npos || !equal_but_for_case(authorization.substr(0, blank), "bearer"))
    return {};
  const std::string_view rest = authorization.substr(blank + 1);
  const std::string_view token = rest.substr(0, rest.find(' '));
  return std::ranges::all_of(token, is_of_token) ? token : std::string_view();
}

http::Guard token_guard(TokenAccess& access, std::vector<std::string> anonymous, http::Guard certificates) {
  return [&access, anonymous = std::move(anonymous), certificates = std::move(certificates)](
             const http::Request& request, http::Response& response, FunctionRef<http::Admit()> later) {
    if (std::ranges::contains(anonymous, request.path)) return http::Admission::kPass;
    if (request.client_names || !opens_by_token(request))
      return certificates ? certificates(request, response, later) : http::Admission::kPass;
    const std::string token(bearer_token(request.authorization));
    if (token.empty()) {
      response = http::line_response(
          401, certificates ? "Unauthorized: a client certificate or a bearer token is required"
                            : "Unauthorized: a bearer token is required");
      return http::Admission::kRefused;
    }
    if (!later) return http::Admission::kLater;
    const Asked asked{lower_case(request.method), request.path, request.remote, request.id};
    access.judge(
        token, asked.verb, asked.path, request.remote,
        [asked, admit = later()](const TokenVerdict& verdict) { admit(refusal_of(asked, verdict)); });
    return http::Admission::kLater;
  };
}

}  // namespace winnow
