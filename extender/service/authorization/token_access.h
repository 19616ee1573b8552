// Who may open a path by a bearer token (the API server decides), and the threads that wait for reviews.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include "cluster/client/servers/access_reviewer.h"
#include "cluster/clock.h"
#include "cluster/mutex.h"
#include "cluster/text/keyed_hash.h"
#include "extender/service/authorization/shared_answers.h"
#include "extender/service/log/log.h"

namespace winnow {

class LiveMetrics;

/// Runs jobs in the order in which they come, some at once; urgent ones go before others. Thread-safe.
class ReviewThreads {
 public:
  /// @param stop  is requested when the threads are to end. A job that throws ends.
  using Job = std::function<void(const std::stop_token& stop)>;

  /// @param at_once  how many jobs run at once, each on a thread.
  explicit ReviewThreads(std::size_t at_once);
  /// Ends the jobs that run. Those that wait are dropped.
  ~ReviewThreads() = default;
  ReviewThreads(const ReviewThreads&) = delete;
  ReviewThreads& operator=(const ReviewThreads&) = delete;

  void add(Job job, bool urgent = false);

 private:
  void work(const std::stop_token& stop);

  Mutex mutex_;
  std::condition_variable_any added_;
  std::deque<Job> urgent_ WINNOW_GUARDED_BY(mutex_), jobs_ WINNOW_GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_;  ///< Last member, so that they end first.
};

// Who may open a path by a bearer token: the API server decides.
//
// extender/service/authorization is --authorization-webhook=apiserver. token_guard.h is the guard of the
// listener. It asks TokenAccess, which asks the API servers by live::AccessReviewer: first a TokenReview,
// whose token this is, then a SubjectAccessReview, whether that user may. shared_answers.h keeps what they
// said. The threads that wait for them are above.

/// What the API server says of a token and a path, or of a token and a namespace's pods.
struct TokenVerdict {
  enum class Said : std::uint8_t {
    kAllowed,
    kUnauthenticated,  ///< The token is nobody's, or not for the API server.
    kForbidden,        ///< The user may not.
    kFailed,           ///< The API servers do not say.
    kBusy,             ///< Too many wait for them.
  };
  Said said = Said::kFailed;
  std::string user;    ///< With kAllowed and kForbidden.
  std::string reason;  ///< In the API server's words; may be empty. With kFailed why, for the log alone.
};

/// The bounds, with the lifetimes that k8s.io/apiserver has: CacheTTL of DelegatingAuthenticationOptions,
/// AllowCacheTTL and DenyCacheTTL of DelegatingAuthorizationOptions (pkg/server/options v0.37.0).
struct TokenAccessLimits {
  std::size_t reviews = 4;    ///< Reviews in flight.
  std::size_t waiting = 256;  ///< Requests that wait for reviews of unknown tokens. As many again may
                              ///< wait for those of tokens that were good lately (WaitingPlaces).
  std::size_t waiting_of_client = 32;  ///< Unknown tokens of one client.
  std::size_t kept = 1024;             ///< Answers that are kept, of each review.
  std::chrono::seconds lifetime{10};  ///< Of an answer, be it yes or no. Failures are not kept, nor is a "no"
                                      ///< that comes with an error.
  std::chrono::seconds review{5};     ///< For one review, from the moment that it is wanted.
};

/// Asks about tokens, without a thread of the caller. What is kept is answered at once, whoever waits.
/// Reviews of tokens that were good lately go before others. Requests that want the same at the same time ask
/// once. Tokens are kept as digests. For want of memory a request gets kFailed. The log names why a token
/// could not be judged, at a bounded rate. Thread-safe.
class TokenAccess {
 public:
  using Done = std::function<void(const TokenVerdict&)>;

  /// All of them outlive this.
  TokenAccess(live::AccessReviewer& reviewer, live::Clock& clock, LiveMetrics& metrics,
              const TokenAccessLimits& limits = {});

  /// Calls `done` once: now, if the answer is kept, or from another thread. Never, if this is destroyed
  /// before.
  /// @param token  as live::AccessReviewer takes it.  @param verb, path  as in live::PathAccess.
  /// @param remote  as in http::Request.
  void judge(const std::string& token, std::string verb, std::string path, std::string_view remote,
             Done done);
  /// The same, whether the token's user may `get` the pods of a namespace. @param ns  "": of all namespaces.
  void judge_pods(const std::string& token, std::string ns, std::string_view remote, Done done);

 private:
  using Said = TokenVerdict::Said;
  /// What a token is to be good for.
  struct Path {
    std::string verb, path;
  };
  struct Pods {
    std::string ns;
  };
  using Aim = std::variant<Path, Pods>;
  using Access = std::variant<live::PathAccess, live::PodAccess>;
  /// A request that asks.
  struct Question {
    Aim aim;
    std::string client;  ///< "": it waits for a review that others have begun.
    Done done;
    bool is_known = false;  ///< Its token.
    bool waits = false;     ///< It has a place.
    std::atomic_flag answered = {};
  };
  /// What a TokenReview has said.
  struct Identity {
    Said said = Said::kFailed;  ///< kAllowed: authenticated.
    live::UserInfo user = {};
    std::string reason = {};
  };

  void judge(const std::string& token, Aim aim, std::string_view remote, Done done);
  static Access access_of(const live::UserInfo& user, const Aim& aim);
  std::string key_of(const Access& access) const;
  template <class Work>
  void guard(Question& question, const Work& work);
  template <class Answers, class Work>
  static void or_fail(Answers& answers, const std::string& key, const Work& work);

  std::optional<TokenVerdict> find_kept(const std::string& key, const Question& question);
  void wait_for_review(const std::string& key, const std::string& token,
                       const std::shared_ptr<Question>& question);
  void identify(const std::string& key, const std::string& token, const std::shared_ptr<Question>& question);
  void review_token(const std::string& key, const std::string& token, live::Clock::Time deadline,
                    const std::stop_token& stop);
  void authorize(const Identity& identity, const std::shared_ptr<Question>& question);
  void review_access(const std::string& key, const Access& access, live::Clock::Time deadline,
                     const std::stop_token& stop);
  void finish(Question& question, const TokenVerdict& verdict);
  live::Clock::Time deadline() const { return clock_.now() + limits_.review; }
  void fail(live::ReviewKind kind, const std::string& error);

  live::AccessReviewer& reviewer_;
  live::Clock& clock_;
  LiveMetrics& metrics_;
  const TokenAccessLimits limits_;
  const KeyedDigest digest_;
  LogRate failures_;
  WaitingPlaces places_;
  SharedAnswers<Identity> identities_;
  SharedAnswers<TokenVerdict> verdicts_;
  ReviewThreads threads_;  ///< Last member, so that they end first.
};

}  // namespace winnow
