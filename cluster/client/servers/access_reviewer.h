// Whose token this is, and what its user may do: asked of the API servers.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/clock.h"

namespace winnow::live {

class ApiServers;
class ApiTransport;
struct ApiRequest;

/// authentication.k8s.io/v1 UserInfo.
struct UserInfo {
  std::string name, uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>, std::less<>> extra;
};

/// The status of a TokenReview.
struct TokenReview {
  bool authenticated = false;
  UserInfo user;      ///< If authenticated.
  std::string error;  ///< Why it is not, in the API server's words and without the token; may be empty.
};

/// A question about a path that is no resource's, as SubjectAccessReviewSpec has it.
struct PathAccess {
  UserInfo user;
  std::string verb;  ///< As API servers name it: the method in lower case.
  std::string path;

  /// The SubjectAccessReviewSpec in JSON. Equal questions have equal texts.
  std::string spec() const;
};

/// A question about the pods of a namespace: whether the user may `get` them.
struct PodAccess {
  UserInfo user;
  std::string ns;  ///< "": of all namespaces.

  /// As that of PathAccess.
  std::string spec() const;
};

/// The status of a SubjectAccessReview.
struct AccessReview {
  bool allowed = false;
  std::string reason;  ///< In the API server's words; may be empty.
};

/// A question about a resource of all namespaces, as SelfSubjectAccessReviewSpec has it: about our own user.
struct OwnAccess {
  std::string verb, resource, subresource;  ///< Of the core group. No character needs an escape in JSON.
};

enum class ReviewKind : std::uint8_t { kToken, kAccess, kOwnAccess };
inline constexpr std::size_t kReviewKinds = 2;  ///< Those that are counted: all but kOwnAccess.
std::string_view to_string(ReviewKind kind);    ///< The API's kind: "TokenReview".

/// What came of a review.
enum class ReviewResult : std::uint8_t {
  kYes,     ///< Authenticated, or allowed.
  kNo,      ///< Not so.
  kFailed,  ///< No API server has said.
  kShed,    ///< Not asked: too many wait for reviews.
};
inline constexpr std::size_t kReviewResults = 4;
std::string_view to_string(ReviewResult result);  ///< As a metric's label has it: "yes".

/// Posts TokenReviews and SubjectAccessReviews. No audience is given, so a token must be for the API servers.
///
/// A server that cannot be reached, fails, or answers 429 is left for another one, with growing pauses. One
/// that answers 401 is left without a pause; when all have, and one of them twice, the review has failed. So
/// has it with any other 4xx, as where a right is missing. Errors are one line, without the token.
/// Thread-safe; calls block. They return by the deadline.
/// Upstream: k8s.io/apiserver plugin/pkg/authenticator/token/webhook/webhook.go and
/// plugin/pkg/authorizer/webhook/webhook.go v0.37.0.
class AccessReviewer {
 public:
  /// All of them outlive this.
  AccessReviewer(ApiServers& servers, ApiTransport& transport, Clock& clock)
      : servers_(servers), transport_(transport), clock_(clock) {}

  /// @param token  not empty; of characters that JSON does not escape.
  std::expected<TokenReview, std::string> review(const std::string& token, Clock::Time deadline,
                                                 const std::stop_token& stop);
  std::expected<AccessReview, std::string> review(const PathAccess& access, Clock::Time deadline,
                                                  const std::stop_token& stop);
  std::expected<AccessReview, std::string> review(const PodAccess& access, Clock::Time deadline,
                                                  const std::stop_token& stop);
  std::expected<AccessReview, std::string> review(const OwnAccess& access, Clock::Time deadline,
                                                  const std::stop_token& stop);

 private:
  std::expected<AccessReview, std::string> review(const ApiRequest& request, ReviewKind kind,
                                                  Clock::Time deadline, const std::stop_token& stop);
  /// @return the answer's body, as it came. An error has no `secret`; "": there is none.
  std::expected<std::string, std::string> post(const ApiRequest& request, ReviewKind kind,
                                               const std::string& secret, Clock::Time deadline,
                                               const std::stop_token& stop);

  ApiServers& servers_;
  ApiTransport& transport_;
  Clock& clock_;
};

}  // namespace winnow::live
