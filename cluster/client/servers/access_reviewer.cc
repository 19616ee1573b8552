#include "cluster/client/servers/access_reviewer.h"

#include <algorithm>
#include <format>
#include <utility>

#include "cluster/api/decode.h"
#include "cluster/client/servers/api_servers.h"
#include "cluster/client/servers/api_status.h"
#include "cluster/client/transport/transport.h"
#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"
#include "cluster/text/json.h"
#include "cluster/text/json_reader.h"

namespace winnow::live {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kReviewClient = "reviews";  ///< Of the balancer.
constexpr milliseconds kShortestPause{50};             ///< Between attempts. Each is twice the one before.

void append_list(std::string& out, const std::vector<std::string>& texts) {
  out += '[';
  for (const std::string& text : texts) {
    if (&text != &texts.front()) out += ',';
    append_quoted(out, text);
  }
  out += ']';
}

ApiRequest token_request(const std::string& token) {
  std::string body = R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":)";
  append_quoted(body, token);
  return {"POST", "/apis/authentication.k8s.io/v1/tokenreviews", body + "}}"};
}

ApiRequest access_request(const std::string& spec) {
  return {"POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews",
          R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":)" + spec + "}"};
}

/// Appends `,"user":…` with all that is known of the user.
void append_user(std::string& out, const UserInfo& user) {
  append_quoted(out += R"(,"user":)", user.name);
  append_quoted(out += R"(,"uid":)", user.uid);
  append_list(out += R"(,"groups":)", user.groups);
  out += R"(,"extra":{)";
  for (const auto& [key, values] : user.extra) {
    if (!out.ends_with('{')) out += ',';
    append_quoted(out, key);
    append_list(out += ':', values);
  }
  out += '}';
}

ApiRequest own_access_request(const OwnAccess& access) {
  return {
      "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      std::format(R"({{"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview",)"
                  R"("spec":{{"resourceAttributes":{{"verb":"{}","resource":"{}","subresource":"{}"}}}}}})",
                  access.verb, access.resource, access.subresource)};
}

/// An answer of an API server, as far as it is read.
struct TokenAnswer {
  std::string kind;
  TokenReview status;
};
struct AccessAnswer {
  std::string kind;
  AccessReview status;
  bool denied = false;
};

bool read_user(const Reader& reader, UserInfo& user) {
  return reader.read("username", user.name) && reader.read("uid", user.uid) &&
         reader.read("groups", user.groups) && reader.read("extra", user.extra);
}

bool read_fields(const Reader& reader, TokenAnswer& answer) {
  return reader.read("kind", answer.kind) && reader.within("status", [&](const Reader& status) {
    return status.read("authenticated", answer.status.authenticated) &&
           status.read("error", answer.status.error) &&
           status.within("user", [&](const Reader& user) { return read_user(user, answer.status.user); });
  });
}

bool read_fields(const Reader& reader, AccessAnswer& answer) {
  return reader.read("kind", answer.kind) && reader.within("status", [&](const Reader& status) {
    return status.read("allowed", answer.status.allowed) && status.read("denied", answer.denied) &&
           status.read("reason", answer.status.reason);
  });
}

/// A token of fewer characters is found in words that have nothing to do with it.
constexpr std::size_t kLongSecret = 6;
/// A token of fewer characters may be a user's name.
constexpr std::size_t kNoName = 16;

/// The text of an API server, without the secret that it was sent: API servers repeat what they get, and some
/// of what they say is logged. A short secret is taken out only where it stands as a word of its own.
std::string without(std::string text, const std::string& secret) {
  if (secret.empty()) return text;
  const auto is_of_word = [&](std::size_t at) { return at < text.size() && is_alphanumeric(text[at]); };
  for (std::size_t at = 0; (at = text.find(secret, at)) != std::string::npos;) {
    const bool whole = (at == 0 || !is_of_word(at - 1)) && !is_of_word(at + secret.size());
    if (whole || secret.size() >= kLongSecret)
      text.replace(at, secret.size(), "…");
    else
      ++at;
  }
  return text;
}

/// What an API server says in words, for a line of the log or of an answer. The secret goes before anything
/// is cut off: a part of it is one too.
std::string in_words(std::string_view text, const std::string& secret = "") {
  return one_line(without(std::string(text), secret));
}

/// The answer, or the error for a text that is not what an API server says.
template <class Answer>
std::expected<Answer, std::string> read_answer(const std::string& body, ReviewKind kind,
                                               const std::string& secret) {
  auto answer = decode<Answer>(body);
  if (answer && answer->kind == to_string(kind)) return *std::move(answer);
  std::string wrong = "it is not well-formed";
  if (answer)
    wrong = "its kind is " + go_quote(in_words(answer->kind, secret));
  else if (const auto again = decode<Answer>(without(body, secret)); !again)
    wrong = in_words(again.error().message, secret);  // It may quote a part of the text.
  return std::unexpected(std::format("the API server's answer is no {}: {}", to_string(kind), wrong));
}

/// A status that would be the same the next time.
bool is_last_word(int status) { return status / 100 == 4 && status != 401 && status != 408 && status != 429; }

/// What the answer of a server that refuses says, without the secret.
std::string message_of(const ApiResponse& response, const std::string& secret) {
  ApiResponse told = response;
  if (auto status = read_status(response.body)) {
    status->reason = without(std::move(status->reason), secret);
    status->message = without(std::move(status->message), secret);
    status->code = response.status;
    return failure_of(*status).message;
  }
  told.body = without(std::move(told.body), secret);
  return failure_of(told).message;
}

std::string why_failed(const std::string& server, const std::expected<ApiResponse, TransportError>& answer,
                       ReviewKind kind, const std::string& secret) {
  if (!answer) return without(answer.error().message, secret);
  const std::string message = message_of(*answer, secret);
  if (answer->status == 401 || answer->status == 403) return denial(answer->status, to_string(kind), message);
  return server + ": " + message;
}

}  // namespace

std::string_view to_string(ReviewKind kind) {
  constexpr std::string_view kTexts[] = {"TokenReview", "SubjectAccessReview", "SelfSubjectAccessReview"};
  return kTexts[static_cast<std::size_t>(kind)];
}

std::string_view to_string(ReviewResult result) {
  constexpr std::string_view kTexts[kReviewResults] = {"yes", "no", "failed", "shed"};
  return kTexts[static_cast<std::size_t>(result)];
}

std::string PathAccess::spec() const {
  std::string out = R"({"nonResourceAttributes":{"path":)";
  append_quoted(out, path);
  append_quoted(out += R"(,"verb":)", verb);
  append_user(out += '}', user);
  return out + "}";
}

std::string PodAccess::spec() const {
  std::string out = R"({"resourceAttributes":{"namespace":)";
  append_quoted(out, ns);
  append_user(out += R"(,"verb":"get","version":"v1","resource":"pods"})", user);
  return out + "}";
}

std::expected<std::string, std::string> AccessReviewer::post(const ApiRequest& request, ReviewKind kind,
                                                             const std::string& secret, Clock::Time deadline,
                                                             const std::stop_token& stop) {
  const auto left = [&] { return std::chrono::duration_cast<milliseconds>(deadline - clock_.now()); };
  std::string server = servers_.choose(kReviewClient);
  std::string error = "no API server has answered in time";
  std::size_t unauthorized = 0;
  for (milliseconds pause = kShortestPause; left() > milliseconds(0) && !stop.stop_requested();) {
    const std::size_t known = servers_.servers().size();
    // Another server gets half of the time.
    auto answer = transport_.call(server, request, known > 1 ? left() / 2 + kShortestPause : left(), stop);
    if (answer && answer->status / 100 == 2) {
      servers_.renew(kReviewClient);
      return std::move(answer->body);
    }
    error = why_failed(server, answer, kind, secret);
    if (answer && is_last_word(answer->status)) break;
    const bool refused = answer && answer->status == 401;
    if (refused && ++unauthorized > known) break;
    server = servers_.choose_another(kReviewClient, server);
    if (refused) continue;  // The next request has other credentials, or goes to another server.
    clock_.sleep(std::clamp(pause, milliseconds(1), std::max(left(), milliseconds(1))), stop);
    pause *= 2;
  }
  return std::unexpected(std::move(error));
}

std::expected<TokenReview, std::string> AccessReviewer::review(const std::string& token, Clock::Time deadline,
                                                               const std::stop_token& stop) {
  const auto body = post(token_request(token), ReviewKind::kToken, token, deadline, stop);
  if (!body) return std::unexpected(body.error());
  auto answer = read_answer<TokenAnswer>(*body, ReviewKind::kToken, token);
  if (!answer) return std::unexpected(std::move(answer).error());
  // A user's name is logged and told.
  if (token.size() >= kNoName && answer->status.user.name.contains(token))
    return std::unexpected("the API server's answer has the token in its user's name");
  answer->status.error = in_words(answer->status.error, token);
  return std::move(answer->status);
}

std::expected<AccessReview, std::string> AccessReviewer::review(const PathAccess& access,
                                                                Clock::Time deadline,
                                                                const std::stop_token& stop) {
  return review(access_request(access.spec()), ReviewKind::kAccess, deadline, stop);
}

std::expected<AccessReview, std::string> AccessReviewer::review(const PodAccess& access, Clock::Time deadline,
                                                                const std::stop_token& stop) {
  return review(access_request(access.spec()), ReviewKind::kAccess, deadline, stop);
}

std::expected<AccessReview, std::string> AccessReviewer::review(const OwnAccess& access, Clock::Time deadline,
                                                                const std::stop_token& stop) {
  return review(own_access_request(access), ReviewKind::kOwnAccess, deadline, stop);
}

std::expected<AccessReview, std::string> AccessReviewer::review(const ApiRequest& request, ReviewKind kind,
                                                                Clock::Time deadline,
                                                                const std::stop_token& stop) {
  const auto body = post(request, kind, "", deadline, stop);
  if (!body) return std::unexpected(body.error());
  auto answer = read_answer<AccessAnswer>(*body, kind, "");
  if (!answer) return std::unexpected(std::move(answer).error());
  // Upstream takes what is both allowed and denied for denied.
  answer->status.allowed = answer->status.allowed && !answer->denied;
  answer->status.reason = in_words(answer->status.reason, "");
  return std::move(answer->status);
}

}  // namespace winnow::live
