#include "extender/service/authorization/token_access.h"

#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "extender/service/log/log.h"
#include "extender/service/metrics/live_metrics.h"

namespace winnow {

ReviewThreads::ReviewThreads(std::size_t at_once) {
  for (std::size_t i = 0; i < at_once; ++i)
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
}

void ReviewThreads::add(Job job, bool urgent) {
  const MutexLock lock(mutex_);
  (urgent ? urgent_ : jobs_).push_back(std::move(job));
  added_.notify_one();
}

void ReviewThreads::work(const std::stop_token& stop) {
  while (true) {
    Job job;
    {
      const MutexLock lock(mutex_);
      const auto any = [this]() WINNOW_REQUIRES(mutex_) { return !urgent_.empty() || !jobs_.empty(); };
      if (!added_.wait(mutex_, stop, any) || stop.stop_requested()) return;
      std::deque<Job>& first = urgent_.empty() ? jobs_ : urgent_;
      job = std::move(first.front());
      first.pop_front();
    }
    try {
      job(stop);
    } catch (const std::exception&) {  // Out of memory. The thread stays for other jobs.
    }
  }
}

using live::ReviewKind;
using live::ReviewResult;

TokenAccess::TokenAccess(live::AccessReviewer& reviewer, live::Clock& clock, LiveMetrics& metrics,
                         const TokenAccessLimits& limits)
    : reviewer_(reviewer),
      clock_(clock),
      metrics_(metrics),
      limits_(limits),
      places_(clock, limits.waiting, limits.waiting_of_client, limits.kept),
      identities_(clock, limits.lifetime, limits.kept),
      verdicts_(clock, limits.lifetime, limits.kept),
      threads_(limits.reviews) {}

void TokenAccess::judge(const std::string& token, std::string verb, std::string path, std::string_view remote,
                        Done done) {
  judge(token, Path{std::move(verb), std::move(path)}, remote, std::move(done));
}

void TokenAccess::judge_pods(const std::string& token, std::string ns, std::string_view remote, Done done) {
  judge(token, Pods{std::move(ns)}, remote, std::move(done));
}

void TokenAccess::judge(const std::string& token, Aim aim, std::string_view remote, Done done) {
  const auto question = std::make_shared<Question>(std::move(aim), std::string(), std::move(done));
  guard(*question, [&] {
    const std::string key = digest_(token);
    if (const auto kept = find_kept(key, *question)) return finish(*question, *kept);
    if (!identities_.is_asked(key)) question->client = client_of(remote);
    wait_for_review(key, token, question);
  });
}

TokenAccess::Access TokenAccess::access_of(const live::UserInfo& user, const Aim& aim) {
  if (const auto* const pods = std::get_if<Pods>(&aim)) return live::PodAccess{user, pods->ns};
  const Path& path = std::get<Path>(aim);
  return live::PathAccess{user, path.verb, path.path};
}

std::string TokenAccess::key_of(const Access& access) const {
  return digest_(std::visit([](const auto& one) { return one.spec(); }, access));
}

/// The verdict, if all that it takes is kept.
std::optional<TokenVerdict> TokenAccess::find_kept(const std::string& key, const Question& question) {
  const auto identity = identities_.find(key);
  if (!identity) return std::nullopt;
  if (identity->said != Said::kAllowed)
    return TokenVerdict{.said = identity->said, .user = {}, .reason = identity->reason};
  return verdicts_.find(key_of(access_of(identity->user, question.aim)));
}

void TokenAccess::wait_for_review(const std::string& key, const std::string& token,
                                  const std::shared_ptr<Question>& question) {
  question->is_known = places_.is_known(key);
  question->waits = places_.take(question->client, question->is_known);
  if (question->waits) return identify(key, token, question);
  metrics_.on_access_review(ReviewKind::kToken, ReviewResult::kShed);
  finish(*question, {.said = Said::kBusy, .user = {}, .reason = {}});
}

/// Answers the question as failed where the work throws, as for want of memory.
template <class Work>
void TokenAccess::guard(Question& question, const Work& work) {
  try {
    work();
  } catch (const std::exception&) {
    try {
      finish(question, {});
    } catch (const std::exception&) {  // Whoever asks cannot be told.
    }
  }
}

/// Those who wait for the answer are told that there is none where the work throws.
template <class Answers, class Work>
void TokenAccess::or_fail(Answers& answers, const std::string& key, const Work& work) {
  try {
    work();
  } catch (const std::exception&) {
    answers.put(key, {}, /*keep=*/false);
  }
}

void TokenAccess::identify(const std::string& key, const std::string& token,
                           const std::shared_ptr<Question>& question) {
  const bool first = identities_.get(key, [this, question](const Identity& identity) {
    guard(*question, [&] { authorize(identity, question); });
  });
  if (!first) return;
  or_fail(identities_, key, [&] {
    threads_.add(
        [this, key, token, deadline = deadline()](const std::stop_token& stop) {
          or_fail(identities_, key, [&] { review_token(key, token, deadline, stop); });
        },
        question->is_known);
  });
}

void TokenAccess::review_token(const std::string& key, const std::string& token, live::Clock::Time deadline,
                               const std::stop_token& stop) {
  const auto review = reviewer_.review(token, deadline, stop);
  if (stop.stop_requested()) return;
  if (!review) {
    fail(ReviewKind::kToken, review.error());
    return identities_.put(key, {.reason = review.error()}, /*keep=*/false);
  }
  const bool known = review->authenticated;
  metrics_.on_access_review(ReviewKind::kToken, known ? ReviewResult::kYes : ReviewResult::kNo);
  if (known) places_.note_good(key);
  // Upstream keeps no errors: cachedTokenAuthenticator of token/cache/cached_token_authenticator.go.
  identities_.put(key, {known ? Said::kAllowed : Said::kUnauthenticated, review->user, review->error},
                  /*keep=*/known || review->error.empty());
}

void TokenAccess::authorize(const Identity& identity, const std::shared_ptr<Question>& question) {
  if (identity.said != Said::kAllowed)
    return finish(*question, {.said = identity.said, .reason = identity.reason});
  const Access access = access_of(identity.user, question->aim);
  const std::string key = key_of(access);
  const bool first = verdicts_.get(key, [this, question](const TokenVerdict& verdict) {
    guard(*question, [&] { finish(*question, verdict); });
  });
  if (!first) return;
  or_fail(verdicts_, key, [&] {
    threads_.add(
        [this, key, access, deadline = deadline()](const std::stop_token& stop) {
          or_fail(verdicts_, key, [&] { review_access(key, access, deadline, stop); });
        },
        question->is_known);
  });
}

void TokenAccess::review_access(const std::string& key, const Access& access, live::Clock::Time deadline,
                                const std::stop_token& stop) {
  const auto review =
      std::visit([&](const auto& one) { return reviewer_.review(one, deadline, stop); }, access);
  if (stop.stop_requested()) return;
  if (!review) {
    fail(ReviewKind::kAccess, review.error());
    return verdicts_.put(key, {.reason = review.error()}, /*keep=*/false);
  }
  metrics_.on_access_review(ReviewKind::kAccess, review->allowed ? ReviewResult::kYes : ReviewResult::kNo);
  verdicts_.put(key,
                {review->allowed ? Said::kAllowed : Said::kForbidden,
                 std::visit([](const auto& one) { return one.user.name; }, access), review->reason},
                /*keep=*/true);
}

void TokenAccess::finish(Question& question, const TokenVerdict& verdict) {
  if (question.answered.test_and_set()) return;
  if (question.waits) places_.give_back(question.client, question.is_known);
  question.done(verdict);
}

void TokenAccess::fail(ReviewKind kind, const std::string& error) {
  metrics_.on_access_review(kind, ReviewResult::kFailed);
  if (const auto left_out = failures_.next(clock_.now()))
    log_error("token not judged: the door stays shut",
              {{"review", to_string(kind)}, {"error", error}, {"left_out", *left_out}});
}

}  // namespace winnow
