// What a token's user is told of the pods of others.
#include "extender/service/authorization/pod_sight.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/client/servers/access_reviewer.h"
#include "cluster/client/servers/api_servers.h"
#include "extender/explain/decision_log.h"
#include "extender/service/authorization/token_access.h"
#include "extender/service/metrics/metrics.h"
#include "tests/cluster/manual_clock.h"
#include "tests/extender/explain/records.h"
#include "tests/extender/service/answers.h"
#include "tests/extender/service/authorization/fake_reviews.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

/// A way to the API servers, which know who may what.
struct Reviews {
  Reviews() {
    api.users = {{"admin", "ann"}, {"tenant", "tom"}, {"poor", "pat"}};
    api.rights = {"ann get pods of all", "tom get pods of shop"};
  }

  live::test::ManualClock clock;
  FakeReviews api;
  live::ApiServers servers{{"https://one"}, clock};
  live::AccessReviewer reviewer{servers, api, clock};
  Metrics metrics{"", ""};
  TokenAccess access{reviewer, clock, metrics.live()};
  PodSight sight{access, {"/open"}};
};

http::Request by_token(const std::string& token, const std::string& path = "/explain") {
  http::Request request;
  request.path = path;
  request.remote = "10.0.0.1:4000";
  request.authorization = "Bearer " + token;
  return request;
}

PodSight::Time far_away() { return std::chrono::steady_clock::now() + std::chrono::hours(1); }

TEST_CASE("a token's user sees the pods that he may get") {
  Reviews reviews;
  struct Row {
    const char* sentence;
    const char* token;
    bool shop, bank;
    int asked;  ///< Reviews of access.
  };
  const Row rows[] = {
      {"who may get the pods of all namespaces is asked once", "admin", true, true, 1},
      {"who may get those of one", "tenant", true, false, 3},
      {"who may get none", "poor", false, false, 3},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    reviews.api.rights_asked = 0;
    const PodSight::Sees sees = reviews.sight.of(by_token(row.token), far_away());
    REQUIRE(sees != nullptr);
    for (int i = 0; i < 2; ++i) {
      CHECK(sees("shop") == row.shop);
      CHECK(sees("bank") == row.bank);
    }
    CHECK(reviews.api.rights_asked == row.asked);
  }
}

TEST_CASE("whoever is not judged by a token is told all") {
  Reviews reviews;
  http::Request with_certificate = by_token("poor");
  with_certificate.client_names = {std::vector<std::string>{"kube-scheduler"}};
  CHECK(reviews.sight.of(with_certificate, far_away()) == nullptr);
  CHECK(reviews.sight.of(by_token("poor", "/open"), far_away()) == nullptr);
}

TEST_CASE("what the API servers do not say is not told") {
  Reviews reviews;
  reviews.api.down = true;
  CHECK_FALSE(reviews.sight.of(by_token("admin"), far_away())("shop"));
  reviews.api.down = false;
  reviews.api.hold();
  CHECK_FALSE(reviews.sight.of(by_token("admin"), std::chrono::steady_clock::now())("shop"));
  reviews.api.go();
}

TEST_CASE("only so many namespaces are asked about for one request") {
  Reviews reviews;
  const PodSight::Sees sees = reviews.sight.of(by_token("tenant"), far_away());
  for (std::size_t i = 0; i < PodSight::kMostAsked; ++i) CHECK_FALSE(sees("n" + std::to_string(i)));
  CHECK_FALSE(sees("shop"));
  CHECK(reviews.api.rights_asked == static_cast<int>(PodSight::kMostAsked) + 1);
}

/// A service in which the vault of namespace bank holds host port 8080 on the only node.
class Bank {
 public:
  /// @param asks  whether tokens are looked at.
  explicit Bank(bool asks) : services_(keeping_decisions(10)) {
    if (asks) services_.sight = &reviews_.sight;
    auto cache = std::make_unique<ClusterCache>(kTodaysOptions);
    cache->write([](State& state) {
      state.set_node(node("n1").cpu("4").memory("8Gi").pods("9"));
      state.set_pod(pod("vault-0").in("bank").cpu("1").host_port(8080).on("n1"));
      state.set_pod(pod("web").in("shop").cpu("1").host_port(8080));
    });
    DecisionRecord record = decided("web");
    record.nearest = {{"n1", {{0, {Cause{"port"}.with("heldBy", "bank/vault-0")}}}}};
    services_.decision_log->keep(record);
    service_ = std::make_unique<RunningService>(std::move(cache), todays_rule_set(), ExtenderOptions(),
                                                http::Limits(), services_);
  }

  std::string explain(const std::string& token) const {
    return ask("POST", "/explain", R"({"Namespace":"shop","Name":"web"})", token);
  }
  std::string decisions(const std::string& token) const { return ask("GET", "/decisions", "", token); }

 private:
  std::string ask(std::string_view method, std::string_view path, std::string_view body,
                  const std::string& token) const {
    const std::string header = token.empty() ? "" : "Authorization: Bearer " + token + "\r\n";
    return service_->ask(method, path, body, header).body;
  }

  Reviews reviews_;
  ExtenderServices services_;
  std::unique_ptr<RunningService> service_;
};

TEST_CASE("explanations and kept decisions name the pods that a token may get, and count the others") {
  struct Row {
    const char* sentence;
    bool asks;
    const char* token;
    const char* held_by;
  };
  const Row rows[] = {
      {"no tokens are asked for: all is told", false, "", "bank/vault-0"},
      {"nor looked at", false, "tenant", "bank/vault-0"},
      {"a user who may get all pods", true, "admin", "bank/vault-0"},
      {"a user who may get his own", true, "tenant", "1 pod"},
      {"a user who may get none", true, "poor", "1 pod"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const Bank bank(row.asks);
    const std::string told = bank.explain(row.token), kept = bank.decisions(row.token);
    CHECK(json_at(told, "feasible") == "0");
    CHECK(told.contains(std::string(R"("heldBy":")") + row.held_by + '"'));
    CHECK(told.contains(std::string("is held by ") + row.held_by));
    CHECK(kept.contains(std::string(R"("heldBy":")") + row.held_by + '"'));
    CHECK(told.contains("vault") == (row.held_by != std::string("1 pod")));
    CHECK(kept.contains("vault") == (row.held_by != std::string("1 pod")));
  }
}

}  // namespace
}  // namespace winnow::test
