#include "cluster/servers/access_reviewer.h"

#include <algorithm>
#include <format>
#include <utility>

#include "cluster/decode/decode.h"
#include "cluster/servers/api_status.h"
#include "cluster/text/go_quote.h"
#include "cluster/text/json/json_reader.h"
#include "cluster/text/json/json_string.h"
#include "cluster/text/printable.h"

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

ApiRequest access_request(const PathAccess& access) {
  return {"POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews",
          R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":)" + access.spec() +
              "}"};
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

/// API servers repeat what they were sent, and some of what they say is logged.
std::string without(std::string text, const std::string& secret) {
  if (secret.empty()) return text;
  for (std::size_t at = 0; (at = text.find(secret, at)) != std::string::npos;)
    text.replace(at, secret.size(), "…");
  return text;
}

/// What an API server says in words, for a line of the log or of an answer.
std::string in_words(std::string_view text, const std::string& secret = "") {
  return printable(one_line(without(std::string(text), secret)));
}

/// The answer, or the error for a text that is not what an API server says.
template <class Answer>
std::expected<Answer, std::string> read_answer(const std::string& body, ReviewKind kind) {
  auto answer = decode<Answer>(body);
  if (answer && answer->kind == to_string(kind)) return *std::move(answer);
  return std::unexpected(std::format(
      "the API server's answer is no {}: {}", to_string(kind),
      answer ? "its kind is " + go_quote(in_words(answer->kind)) : in_words(answer.error().message)));
}

/// A status that would be the same the next time.
bool is_last_word(int status) { return status / 100 == 4 && status != 401 && status != 408 && status != 429; }

std::string why_failed(const std::string& server, const std::expected<ApiResponse, TransportError>& answer,
                       ReviewKind kind) {
  if (!answer) return answer.error().message;
  const std::string message = failure_of(*answer).message;
  if (answer->status == 401 || answer->status == 403) return denial(answer->status, to_string(kind), message);
  return server + ": " + message;
}

}  // namespace

std::string_view to_string(ReviewKind kind) {
  return kind == ReviewKind::kToken ? "TokenReview" : "SubjectAccessReview";
}

std::string_view to_string(ReviewResult result) {
  constexpr std::string_view kTexts[kReviewResults] = {"yes", "no", "failed", "shed"};
  return kTexts[static_cast<std::size_t>(result)];
}

std::string PathAccess::spec() const {
  std::string out = R"({"nonResourceAttributes":{"path":)";
  append_quoted(out, path);
  append_quoted(out += R"(,"verb":)", verb);
  append_quoted(out += R"(},"user":)", user.name);
  append_quoted(out += R"(,"uid":)", user.uid);
  append_list(out += R"(,"groups":)", user.groups);
  out += R"(,"extra":{)";
  for (const auto& [key, values] : user.extra) {
    if (!out.ends_with('{')) out += ',';
    append_quoted(out, key);
    append_list(out += ':', values);
  }
  return out + "}}";
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
    // Before anything is cut off or decoded: a part of a secret is one too.
    if (answer) answer->body = without(std::move(answer->body), secret);
    if (answer && answer->status / 100 == 2) {
      servers_.renew(kReviewClient);
      return std::move(answer->body);
    }
    error = without(why_failed(server, answer, kind), secret);
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
  auto answer = read_answer<TokenAnswer>(*body, ReviewKind::kToken);
  if (!answer) return std::unexpected(without(std::move(answer).error(), token));
  answer->status.error = in_words(answer->status.error, token);
  return std::move(answer->status);
}

std::expected<AccessReview, std::string> AccessReviewer::review(const PathAccess& access,
                                                                Clock::Time deadline,
                                                                const std::stop_token& stop) {
  const auto body = post(access_request(access), ReviewKind::kAccess, "", deadline, stop);
  if (!body) return std::unexpected(body.error());
  auto answer = read_answer<AccessAnswer>(*body, ReviewKind::kAccess);
  if (!answer) return std::unexpected(std::move(answer).error());
  // Upstream takes what is both allowed and denied for denied.
  answer->status.allowed = answer->status.allowed && !answer->denied;
  answer->status.reason = in_words(answer->status.reason);
  return std::move(answer->status);
}

}  // namespace winnow::live
