// An API server that answers reviews as a test wants.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <vector>

#include "cluster/client/servers/access_reviewer.h"
#include "cluster/client/transport/transport.h"

namespace winnow::test {

/// Knows tokens and rights. Thread-safe once it is asked.
class FakeReviews final : public live::ApiTransport {
 public:
  using Answer = std::expected<live::ApiResponse, live::TransportError>;

  std::map<std::string, std::string> users;  ///< By token.
  std::set<std::string> rights;  ///< "USER get /metrics", "USER get pods of shop", "USER get pods of all"
  std::string unknown_says = "invalid bearer token";  ///< The error about an unknown token; "": none.
  std::atomic<int> tokens_asked = 0, rights_asked = 0;
  std::atomic<bool> down = false;
  std::atomic<bool> no_memory = false;  ///< Requests throw.

  /// From now on requests are held, until go() is called.
  void hold() {
    const std::lock_guard lock(mutex_);
    held_ = true;
  }
  void go() {
    const std::lock_guard lock(mutex_);
    held_ = false;
    changed_.notify_all();
  }
  /// Lets so many of the held requests go, or of those to come.
  void let(int requests) {
    const std::lock_guard lock(mutex_);
    let_ = requests;
    changed_.notify_all();
  }
  /// Waits until that many requests are held at once.
  void wait_for(std::size_t requests) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ >= requests; });
  }
  std::size_t most_at_once() const {
    const std::lock_guard lock(mutex_);
    return most_;
  }

  Answer call(const std::string&, const live::ApiRequest& request, std::chrono::milliseconds,
              const std::stop_token& stop) override {
    const bool token = request.path.ends_with("/tokenreviews");
    ++(token ? tokens_asked : rights_asked);
    if (no_memory) throw std::bad_alloc();
    if (!enter(stop)) return fail(live::TransportError::Kind::kStopped);
    // A 403 is a last word, so that nobody waits for a second try.
    if (down)
      return live::ApiResponse{403, R"({"kind":"Status","code":403,"message":"no reviews today"})", {}};
    return live::ApiResponse{201, token ? review_token(request.body) : review_access(request.body), {}};
  }
  Answer stream(const std::string&, const live::ApiRequest&, std::chrono::milliseconds,
                std::chrono::milliseconds, const OnPiece&, const std::stop_token&) override {
    return fail(live::TransportError::Kind::kUnreachable);
  }

 private:
  static Answer fail(live::TransportError::Kind kind) {
    return std::unexpected(live::TransportError{kind, "no luck"});
  }
  static std::string text_after(const std::string& body, const std::string& key) {
    const std::size_t at = body.find('"' + key + "\":\"");
    if (at == std::string::npos) return "";
    const std::size_t begin = at + key.size() + 4;
    return body.substr(begin, body.find('"', begin) - begin);
  }
  bool enter(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    most_ = std::max(most_, ++waiting_);
    changed_.notify_all();
    const bool goes_on = changed_.wait(lock, stop, [&] { return !held_ || let_ > 0; });
    if (held_) --let_;
    --waiting_;
    return goes_on;
  }
  std::string review_token(const std::string& body) const {
    const auto user = users.find(text_after(body, "token"));
    if (user == users.end())
      return R"({"kind":"TokenReview","status":{"authenticated":false,"error":")" + unknown_says + "\"}}";
    return R"({"kind":"TokenReview","status":{"authenticated":true,"user":{"username":")" + user->second +
           R"(","groups":["system:authenticated"]}}})";
  }
  std::string review_access(const std::string& body) const {
    const std::string ns = text_after(body, "namespace");
    const std::string what = body.contains("resourceAttributes")
                                 ? text_after(body, "resource") + " of " + (ns.empty() ? "all" : ns)
                                 : text_after(body, "path");
    const bool may = rights.contains(text_after(body, "user") + ' ' + text_after(body, "verb") + ' ' + what);
    return std::string(R"({"kind":"SubjectAccessReview","status":{"allowed":)") +
           (may ? "true}}" : R"(false,"reason":"no RBAC policy matched"}})");
  }

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool held_ = false;
  int let_ = 0;
  std::size_t waiting_ = 0, most_ = 0;
};

}  // namespace winnow::test
