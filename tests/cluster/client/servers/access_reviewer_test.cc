// What the API servers are asked about a token, and what is made of their answers.
#include "cluster/client/servers/access_reviewer.h"

#include <doctest/doctest.h>

#include <deque>
#include <string>
#include <vector>

#include "cluster/client/servers/api_servers.h"
#include "cluster/client/transport/transport.h"
#include "tests/cluster/manual_clock.h"

namespace winnow::live {
namespace {

using Kind = TransportError::Kind;
using Answer = std::expected<ApiResponse, TransportError>;

/// Gives prepared answers, the last one again and again.
class Answers final : public ApiTransport {
 public:
  explicit Answers(test::ManualClock& clock) : clock_(clock) {}
  std::deque<Answer> next;
  bool slow = false;  ///< Each request takes all of its time.
  std::vector<ApiRequest> requests;
  std::vector<std::string> servers;

  Answer call(const std::string& server, const ApiRequest& request, std::chrono::milliseconds limit,
              const std::stop_token&) override {
    requests.push_back(request);
    servers.push_back(server);
    if (slow) {
      clock_.advance(limit);
      return std::unexpected(TransportError{Kind::kTimeout, server + ": no answer in time"});
    }
    Answer answer = next.front();
    if (next.size() > 1) next.pop_front();
    return answer;
  }
  Answer stream(const std::string&, const ApiRequest&, std::chrono::milliseconds, std::chrono::milliseconds,
                const OnPiece&, const std::stop_token&) override {
    return std::unexpected(TransportError{});
  }

 private:
  test::ManualClock& clock_;
};

struct Bed {
  explicit Bed(std::vector<std::string> urls = {"https://one"}) : servers(std::move(urls), clock) {}
  test::ManualClock clock;
  Answers api{clock};
  ApiServers servers;
  AccessReviewer reviewer{servers, api, clock};

  Clock::Time deadline() const { return clock.now() + std::chrono::seconds(5); }
  std::expected<TokenReview, std::string> token(const std::string& text = "abc.def") {
    return reviewer.review(text, deadline(), {});
  }
  std::expected<AccessReview, std::string> access(const UserInfo& user = {.name = "u"}) {
    return reviewer.review(PathAccess{user, "get", "/metrics"}, deadline(), {});
  }
};

Answer says(int status, std::string body) { return ApiResponse{status, std::move(body), {}}; }
Answer fails(Kind kind) { return std::unexpected(TransportError{kind, "https://one: no luck"}); }
const Answer kKnown = says(201, R"({"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1",
  "metadata":{"creationTimestamp":null},"spec":{"token":"abc.def"},"status":{"authenticated":true,
  "user":{"username":"system:serviceaccount:m:prometheus","uid":"u-1",
  "groups":["system:serviceaccounts","system:authenticated"],
  "extra":{"authentication.kubernetes.io/pod-name":["p-0"]}},"audiences":["https://kubernetes.default.svc"]}})");

TEST_SUITE("access reviewer") {
  TEST_CASE("a token is posted as a TokenReview, without audiences, and its user is read") {
    Bed bed;
    bed.api.next = {kKnown};
    const auto review = bed.token();
    REQUIRE(review);
    CHECK(review->authenticated);
    CHECK(review->user.name == "system:serviceaccount:m:prometheus");
    CHECK(review->user.uid == "u-1");
    CHECK(review->user.groups == std::vector<std::string>{"system:serviceaccounts", "system:authenticated"});
    CHECK(review->user.extra.at("authentication.kubernetes.io/pod-name") == std::vector<std::string>{"p-0"});
    const ApiRequest& asked = bed.api.requests.front();
    CHECK(asked.method == "POST");
    CHECK(asked.path == "/apis/authentication.k8s.io/v1/tokenreviews");
    CHECK(asked.body ==
          R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"abc.def"}})");
  }

  TEST_CASE("a right of our own is asked for as that of a resource, by all namespaces") {
    Bed bed;
    const OwnAccess patch{.verb = "patch", .resource = "pods", .subresource = "status"};
    bed.api.next = {
        says(201, R"({"kind":"SelfSubjectAccessReview","status":{"allowed":false,"reason":"no rule"}})"),
        says(201, R"({"kind":"SelfSubjectAccessReview","status":{"allowed":true}})"),
        says(201, R"({"kind":"SubjectAccessReview","status":{"allowed":true}})")};
    const auto denied = bed.reviewer.review(patch, bed.deadline(), {});
    REQUIRE(denied);
    CHECK_FALSE(denied->allowed);
    CHECK(denied->reason == "no rule");
    const ApiRequest& asked = bed.api.requests.front();
    CHECK(asked.method == "POST");
    CHECK(asked.path == "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
    CHECK(asked.body ==
          R"({"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":)"
          R"({"resourceAttributes":{"verb":"patch","resource":"pods","subresource":"status"}}})");
    CHECK(bed.reviewer.review(patch, bed.deadline(), {})->allowed);
    const auto other = bed.reviewer.review(patch, bed.deadline(), {});
    REQUIRE_FALSE(other);
    CHECK(other.error().contains("is no SelfSubjectAccessReview"));
  }

  TEST_CASE("a right is asked for as a path that is no resource's, with all that is known of the user") {
    Bed bed;
    bed.api.next = {
        says(201, R"({"kind":"SubjectAccessReview","status":{"allowed":true,"reason":"RBAC: x"}})")};
    const auto review = bed.access({"a\"b", "u-1", {"g", "h"}, {{"k", {"v", "w"}}, {"l", {}}}});
    REQUIRE(review);
    CHECK(review->allowed);
    CHECK(review->reason == "RBAC: x");
    const ApiRequest& asked = bed.api.requests.front();
    CHECK(asked.method == "POST");
    CHECK(asked.path == "/apis/authorization.k8s.io/v1/subjectaccessreviews");
    CHECK(asked.body == R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":)"
                        R"({"nonResourceAttributes":{"path":"/metrics","verb":"get"},"user":"a\"b",)"
                        R"("uid":"u-1","groups":["g","h"],"extra":{"k":["v","w"],"l":[]}}})");
  }

  TEST_CASE("what is no yes is a no, in the API server's words") {
    struct Row {
      const char* sentence;
      const char* status;
      const char* error;
    };
    const Row rows[] = {
        {"nothing is said", R"({})", ""},
        {"nobody's", R"({"authenticated":false})", ""},
        {"nobody's, and why", R"({"error":"[invalid bearer token]"})", "[invalid bearer token]"},
        {"another audience's",
         R"({"authenticated":false,"error":"token audiences [\"vault\"] is invalid for the target audiences"})",
         R"(token audiences ["vault"] is invalid for the target audiences)"},
        {"the token is told back", R"({"error":"abc.def is odd, abc.def\nlevel=error"})",
         "… is odd, … level=error"},
        {"the token is told back in other letters", R"({"error":"abc\u002edef"})", "…"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      Bed bed;
      bed.api.next = {says(201, std::string(R"({"kind":"TokenReview","status":)") + row.status + "}")};
      const auto review = bed.token();
      REQUIRE(review);
      CHECK_FALSE(review->authenticated);
      CHECK(review->error == row.error);
    }
    for (const char* status : {R"({"allowed":false})", R"({})", R"({"allowed":true,"denied":true})"}) {
      CAPTURE(status);
      Bed bed;
      bed.api.next = {says(201, std::string(R"({"kind":"SubjectAccessReview","status":)") + status + "}")};
      const auto review = bed.access();
      REQUIRE(review);
      CHECK_FALSE(review->allowed);
    }
  }

  TEST_CASE("what is no answer is an error, and neither yes nor no") {
    struct Row {
      const char* sentence;
      Answer answer;
      const char* error;
    };
    const Row rows[] = {
        {"a proxy's page", says(200, "<html>"),
         "the API server's answer is no TokenReview: line 1, column 1: not JSON: "},
        {"another kind", says(200, R"({"kind":"SubjectAccessReview","status":{"authenticated":true}})"),
         "the API server's answer is no TokenReview: its kind is \"SubjectAccessReview\""},
        {"a user that is none",
         says(200, R"({"kind":"TokenReview","status":{"authenticated":true,"user":7}})"),
         "the API server's answer is no TokenReview: status.user: 7 is not an object"},
        {"a missing right",
         says(403,
              R"({"kind":"Status","reason":"Forbidden","code":403,"message":"tokenreviews is forbidden"})"),
         "the API server denies Winnow a right: 403 Forbidden: tokenreviews is forbidden"},
        {"what it was sent, repeated", says(400, "no abc.def here"), "https://one: 400: no … here"},
        {"what it was sent, repeated and cut off", says(400, std::string(297, 'x') + "abc.def"),
         "https://one: 400: xxx"},
        {"a redirect", says(302, ""), "https://one: 302: a redirect, which Winnow does not follow"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      Bed bed;
      bed.api.next = {row.answer};
      const auto review = bed.token();
      REQUIRE_FALSE(review);
      CHECK_MESSAGE(review.error().starts_with(row.error), review.error());
      CHECK_FALSE(review.error().contains("abc"));
      CHECK_FALSE(review.error().contains('\n'));
    }
  }

  TEST_CASE(
      "a short token is taken out of what the API server says where it is a word, and of nothing else") {
    struct Row {
      const char* sentence;
      const char* token;
      Answer answer;
      const char* error;  ///< Of the review, or of the token.
    };
    const Row rows[] = {
        {"a letter in the API's own words", "e",
         says(201, R"({"kind":"TokenReview","status":{"error":"the token e is no one's, see e."}})"),
         "the token … is no one's, see …."},
        {"a word of the API's own", "status", says(201, R"({"kind":"TokenReview","status":{"error":"no"}})"),
         "no"},
        {"a word of the log's own", "right", says(403, R"({"kind":"Status","code":403,"message":"no"})"),
         "the API server denies Winnow a right: 403: no"},
        {"the server's address", "one", says(400, "no one here"), "https://one: 400: no … here"},
        {"the kind of the answer", "TokenReview", says(201, R"({"kind":"TokenReview","status":{}})"), ""},
        {"a letter where there is no answer", "e", says(200, "<e>"),
         "the API server's answer is no TokenReview: line 1, column 1: not JSON: "},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      Bed bed;
      bed.api.next = {row.answer};
      const auto review = bed.reviewer.review(row.token, bed.deadline(), {});
      const std::string error = review ? review->error : review.error();
      CHECK_MESSAGE(error.starts_with(row.error), error);
    }
  }

  TEST_CASE("a user whose name has the token is none: names are told") {
    Bed bed;
    const std::string token = "eyJhbGciOiJSUzI1NiJ9.e30.c2ln";
    bed.api.next = {says(
        201,
        R"({"kind":"TokenReview","status":{"authenticated":true,"user":{"username":"u )" + token + "\"}}}")};
    const auto review = bed.reviewer.review(token, bed.deadline(), {});
    REQUIRE_FALSE(review);
    CHECK(review.error() == "the API server's answer has the token in its user's name");
  }

  TEST_CASE("a failure is tried again, at another server where there is one, until the deadline") {
    Bed bed({"https://one", "https://two"});
    bed.api.next = {fails(Kind::kUnreachable), says(500, ""), says(429, ""), fails(Kind::kBroken), kKnown};
    CHECK(bed.token()->authenticated);
    REQUIRE(bed.api.servers.size() == 5);
    for (std::size_t i = 1; i < 5; ++i) CHECK(bed.api.servers[i] != bed.api.servers[i - 1]);

    Bed down;
    down.api.next = {fails(Kind::kUnreachable)};
    const auto deadline = down.deadline();
    CHECK(down.token().error() == "https://one: no luck");
    CHECK(down.clock.now() >= deadline);
    CHECK(down.api.requests.size() < 10);
  }

  TEST_CASE("a slow server gets all of the time if it is the only one, and half if not") {
    Bed one;
    one.api.slow = true;
    const auto deadline = one.deadline();
    CHECK(one.token().error() == "https://one: no answer in time");
    CHECK(one.api.requests.size() == 1);
    CHECK(one.clock.now() == deadline + std::chrono::milliseconds(1));  // No pause is shorter.
    Bed two({"https://one", "https://two"});
    two.api.slow = true;
    CHECK_FALSE(two.token());
    CHECK(two.api.servers[0] != two.api.servers[1]);
  }

  TEST_CASE("a deadline that has passed asks nobody; nor does a stop") {
    Bed bed;
    CHECK(bed.reviewer.review("t", bed.clock.now(), {}).error() == "no API server has answered in time");
    std::stop_source stop;
    stop.request_stop();
    CHECK_FALSE(bed.reviewer.review("t", bed.deadline(), stop.get_token()));
    CHECK(bed.api.requests.empty());
  }

  TEST_CASE("credentials that are refused are tried at each server, and once more") {
    Bed bed({"https://one", "https://two"});
    bed.api.next = {says(401, "")};
    const auto before = bed.clock.now();
    CHECK(bed.token().error() == "the API server refuses Winnow's credentials (401): no TokenReview");
    CHECK(bed.api.requests.size() == 3);
    CHECK(bed.clock.now() == before);
    Bed renewed;
    renewed.api.next = {says(401, ""), kKnown};
    CHECK(renewed.token()->authenticated);
  }
}

}  // namespace
}  // namespace winnow::live
