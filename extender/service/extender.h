// The service: what is answered on which path.
//
// extender/service holds the routes (extender.cc), the verbs, one a file (filter.cc, prioritize.cc,
// preempt.cc, bind.cc, explain.cc), the Question that they share, the World that they are answered from, and
// what is remembered between calls (picks.h, sampling.h, setup_notes.h, named_victims.h). A refusal is held
// until the watch has caught up (hold.h, recency.h, doubts.h), and remembered (refusals.h, recheck.h).
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <semaphore>
#include <string>

#include "cluster/state/picture.h"
#include "extender/engine/engines.h"
#include "extender/engine/select.h"
#include "extender/http/message.h"
#include "extender/metrics/metrics.h"
#include "extender/protocol/node_order.h"
#include "extender/service/doubts.h"
#include "extender/service/hold.h"
#include "extender/service/named_victims.h"
#include "extender/service/picks.h"
#include "extender/service/sampling.h"
#include "extender/service/setup_notes.h"
#include "extender/service/world.h"

namespace winnow {

/// What filter and prioritize tell kube-scheduler (--answer).
enum class AnswerMode : std::uint8_t {
  kComplete,  ///< Every feasible node, every host scored.
  kBest,      ///< filter answers the one best node, so that prioritize is not called.
  kOne,       ///< Every feasible node; prioritize gives 10 to the best one alone.
};

/// Where filter puts a node that evictions could make fit (--failed-nodes).
enum class FailedNodes : std::uint8_t {
  kJudged,  ///< In FailedNodes, always.
  /// In FailedAndUnresolvableNodes, where pods of lower priority are on it. Up to 1.37 kube-scheduler's
  /// preemption knows its own filters only, which have let the node pass with all its pods: it finds no
  /// victim there, says so of every node in an order that changes, and that change has the pod tried again at
  /// once, and so for ever. A node that the pod is nominated for stays in FailedNodes: its victims are on
  /// their way out.
  kQuiet,
};

/// What is served where a request came in.
enum class ServedPaths : std::uint8_t {
  kEverything,
  kHealth,  ///< Probes, metrics and the version: no question about pods, nothing that changes anything.
};

struct ExtenderOptions {
  AnswerMode answer = AnswerMode::kComplete;
  ScoreScale scale = ScoreScale::kBest;
  FailedNodes failed_nodes = FailedNodes::kJudged;
  std::optional<std::uint64_t> seed;  ///< Absent: drawn at start.
  /// Kubernetes' /readyz: why calls should not come here now, in one line; "": they should. Null: always.
  std::function<std::string()> not_ready;
  /// Why the picture is not to be answered from, in one line; "": it is. Null: always.
  std::function<std::string()> unusable;
  /// The picture is a live cluster's: the pick of `best` or `one` is assumed to be on its way.
  bool assume = false;
  /// How long a refusal may be held back until the watch has caught up with kube-scheduler (--catch-up); 0:
  /// it never is. For a picture that is a live cluster's.
  std::chrono::milliseconds catch_up{0};
  /// Binds a pod by the deadline. Null: binding is off.
  std::function<live::BindResult(const live::Binding&, std::chrono::steady_clock::time_point)> bind;
  /// Calls that may compute at once; 0: as many as there are. Binds wait for others and do not count.
  std::size_t computing = 0;
  /// How long /explain may hold the picture to find out what a preemption would do.
  std::chrono::milliseconds preview{250};
  /// Brings figures that are kept elsewhere up to date before a scrape. Null: there are none.
  std::function<void()> before_scrape;
  /// The listener's counters, for /metrics. Null: not shown.
  std::function<http::Counters()> http_counters;
};

class Question;

/// kube-scheduler waits 5 s unless told otherwise: what has waited this long is answered to nobody.
inline constexpr std::chrono::milliseconds kPatience{4500};

/// Answers requests. Thread-safe; the metrics outlive it.
class Extender {
 public:
  Extender(World world, Metrics& metrics, ExtenderOptions options);
  /// For a picture and engines that outlive it.
  Extender(Picture& picture, const Engines& engines, Metrics& metrics, ExtenderOptions options);

  /// What later requests are answered from. Another picture takes over what is assumed in the one before,
  /// while nobody decides. May be called while requests come.
  void replace(World world);

  /// What later requests are answered from.
  World world() const;
  /// The pods that were refused and not asked about since.
  Refusals& refusals() { return refusals_; }

  /// The HTTP handler. Counts, times and (at --v=2) logs every call.
  void handle(http::Request& request, http::Response& response,
              ServedPaths served = ServedPaths::kEverything);

 private:
  struct Route;
  /// One call in the making: what it answers, and what is counted of it.
  struct Call {
    http::Request& request;
    http::Response& response;
    std::size_t bytes_in = 0;
    RequestRecord record;
    PassTimes times;
    std::vector<std::uint32_t> rejected;  ///< By Engines::predicate_names.
    std::string pod;
    std::string remark;              ///< Behind each reason of a refusal.
    const Engine* engine = nullptr;  ///< The pod's.
    World world = {};
    std::chrono::steady_clock::time_point deadline = {};  ///< After it nobody waits for the answer.
    ServedPaths served = ServedPaths::kEverything;
  };

  /// What the predicates say of a question.
  struct Judged {
    std::optional<std::string> error;  ///< Which fails the call.
    Filtered filtered;
    std::int64_t feasible = 0;  ///< How many nodes fit.
    bool fits() const { return !error && feasible > 0; }
  };

  /// @return what was there: it ends when the last call that holds it does.
  World exchange(World world);
  static std::span<const Route> routes();
  void dispatch(Call& call);
  void finish(Call& call, double seconds);

  void filter(Call& call);
  void prioritize(Call& call);
  void explain(Call& call);
  struct Place;
  void explain_asked(Call& call, Question& question, const Place& place);
  void preempt(Call& call);
  void bind(Call& call);
  void healthy(Call& call);
  void readiness(Call& call);
  void version(Call& call);
  void rules(Call& call);
  void show_metrics(Call& call);

  std::string unusable() const { return options_.unusable ? options_.unusable() : std::string(); }
  void notice_sampling(const Question& question);
  // How kube-scheduler is set up (notice_setup.cc).
  static SetupNotes::Flags setup_flags(const ExtenderOptions& options);
  void notice_setup(const Call& call);
  static void notice(SetupNotes::Noticed problem);
  void show_setup();
  /// Reads the body into the question; on false the call has been answered with what is wrong.
  bool read_question(Call& call, Question& question, bool needs_nodes);
  /// Only one call at a time decides where a pod goes, from reading the picture to putting the pod there; it
  /// does so in the world of now, which stays that long.
  std::unique_lock<std::mutex> deciding(Call& call);
  /// Changes what is assumed in the world of now, while nobody decides.
  void change_assumed(Call& call, const std::function<void(AssumedPods&)>& change);
  /// The pod is on its way to that node, for every call that comes after. Before it is answered so. Not for
  /// full nodes: who sends them may be asking about nodes that there are not (an autoscaler).
  void assume(const Call& call, const Question& question, std::string_view node);
  Judged judge(Call& call, const Question& question) const;
  void answer_filter(Call& call, Question& question, const Judged& judged);
  /// Another call may compute meanwhile. With nothing of the picture's held, and nobody deciding.
  void wait_for_news(Call& call, News::Count seen, Hold::Time until);
  std::unique_lock<std::mutex> look_again(Call& call, Question& question, News::Count& news);
  Hold hold_for(const Call& call, const Question& question);
  static bool is_of_this_cluster(const Question& question);
  bool may_hold(const Question& question) const;
  void note_filtered(Call& call, const Question& question, Hold& hold, const Hold::Seen& seen,
                     const Judged& judged);
  struct PreemptQuestion;
  struct PreemptJudged;
  static std::expected<PreemptQuestion, std::string> read_preempt(std::string_view body);
  PreemptJudged judge_held(Call& call, const PreemptQuestion& question);
  PreemptJudged judge_preempt(Call& call, const PreemptQuestion& question) const;
  static void refuse(Call& call, int status, Result result, std::string line);
  /// 200 with `Error`: kube-scheduler shows it to the pod's owner.
  static void filter_error(Call& call, std::string_view error);
  void encode_filter(Call& call, const Question& question, const Filtered& filtered,
                     const std::vector<std::uint8_t>& fits, const std::vector<std::uint8_t>& beyond_help);
  /// By known node: 1 for one that kube-scheduler's preemption would try in vain; empty: none is.
  std::vector<std::uint8_t> beyond_help(const Question& question, const Filtered& filtered) const;
  /// The index of the pick among the nodes scored; nothing where there are none.
  std::optional<std::size_t> pick(const Question& question, std::span<const NodeId> nodes,
                                  std::span<const std::int64_t> totals) const;
  std::optional<std::size_t> pick_that_fits(const Call& call, const Question& question,
                                            std::span<const std::int64_t> totals) const;
  bool answer_best(Call& call, Question& question, const Filtered& filtered);

  mutable std::mutex world_mutex_;
  World world_;  ///< Guarded by world_mutex_.
  Metrics& metrics_;
  const ExtenderOptions options_;
  const std::uint64_t seed_;
  NodeOrder order_;
  Picks picks_;
  Recency recency_;
  Refusals refusals_;
  Doubts doubts_;
  NamedVictims named_victims_;
  Sampling sampling_;
  SetupNotes setup_{setup_flags(options_)};
  std::atomic<bool> warned_of_sampling_ = false;
  std::mutex deciding_;                                   ///< Taken before world_mutex_.
  std::unique_ptr<std::counting_semaphore<>> computing_;  ///< Null: no bound.
};

}  // namespace winnow
