#include "extender/service/extender.h"

#include <array>
#include <random>

#include "extender/config/rules_summary.h"
#include "extender/log/log.h"
#include "extender/service/question.h"
#include "extender/version.h"

namespace winnow {

namespace {

/// One of the calls that may compute at once, if there is a bound.
class Turn {
 public:
  explicit Turn(std::counting_semaphore<>* turns) : turns_(turns) {
    if (turns_) turns_->acquire();
  }
  ~Turn() {
    if (turns_) turns_->release();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::counting_semaphore<>* turns_;
};

}  // namespace

struct Extender::Route {
  std::string_view path;
  std::string_view method;
  Verb verb;
  void (Extender::*answer)(Call&);
  bool health = false;  ///< See ServedPaths::kHealth.
};

std::span<const Extender::Route> Extender::routes() {
  static constexpr std::array kRoutes = {
      Route{"/filter", "POST", Verb::kFilter, &Extender::filter},
      Route{"/prioritize", "POST", Verb::kPrioritize, &Extender::prioritize},
      Route{"/predicates", "POST", Verb::kFilter, &Extender::filter},
      Route{"/priorities", "POST", Verb::kPrioritize, &Extender::prioritize},
      Route{"/rules", "GET", Verb::kOther, &Extender::rules},
      Route{"/explain", "POST", Verb::kExplain, &Extender::explain},
      Route{"/preempt", "POST", Verb::kPreempt, &Extender::preempt},
      Route{"/bind", "POST", Verb::kOther, &Extender::bind},
      Route{"/livez", "GET", Verb::kOther, &Extender::healthy, true},
      Route{"/readyz", "GET", Verb::kOther, &Extender::readiness, true},
      Route{"/healthz", "GET", Verb::kOther, &Extender::healthy, true},
      Route{"/version", "GET", Verb::kOther, &Extender::version, true},
      Route{"/metrics", "GET", Verb::kOther, &Extender::show_metrics, true},
  };
  return kRoutes;
}

Extender::Extender(World world, Metrics& metrics, ExtenderOptions options)
    : world_(std::move(world)),
      metrics_(metrics),
      options_(std::move(options)),
      seed_(options_.seed ? *options_.seed : std::random_device{}()),
      recency_(options_.catch_up, std::chrono::steady_clock::now()) {
  if (options_.computing > 0)
    computing_ = std::make_unique<std::counting_semaphore<>>(static_cast<std::ptrdiff_t>(options_.computing));
}

Extender::Extender(Picture& picture, const Engines& engines, Metrics& metrics, ExtenderOptions options)
    : Extender(World{.engines = {std::shared_ptr<const Engines>(), &engines},
                     .picture = {std::shared_ptr<Picture>(), &picture},
                     .rejections = nullptr},
               metrics, std::move(options)) {}

void Extender::replace(World world) {
  const World before = exchange(std::move(world));
  before.picture->news().tell(/*for_others=*/true);  // A call that is held looks at what is there now.
}

World Extender::exchange(World world) {
  const std::lock_guard deciding(deciding_);
  const World before = this->world();
  if (before.picture != world.picture) {
    const Picture::Reader old = before.picture->read();
    world.picture->write_pods([&](AssumedPods& pods) { pods.take_over(old.assumed()); });
  }
  const std::lock_guard lock(world_mutex_);
  return std::exchange(world_, std::move(world));
}

World Extender::world() const {
  const std::lock_guard lock(world_mutex_);
  return world_;
}

void Extender::handle(http::Request& request, http::Response& response, ServedPaths served) {
  const auto now = std::chrono::steady_clock::now();
  const auto start = request.arrived == decltype(request.arrived)() ? now : request.arrived;
  Call call{.request = request, .response = response, .bytes_in = request.body.size(), .served = served};
  call.world = world();
  call.deadline = start + kPatience;
  try {
    if (now - start > kPatience)
      refuse(call, 503, Result::kShed, "overloaded: the request waited too long to be of use to its sender");
    else
      dispatch(call);
  } catch (const std::exception& error) {  // Memory running out; nothing else is known to throw.
    log_error("request failed", {{"path", request.path}, {"error", error.what()}});
    response = http::Response();
    refuse(call, 500, Result::kInternal, "internal error");
  }
  finish(call, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  notice_setup(call);
  call.world.picture->settle();
}

void Extender::dispatch(Call& call) {
  const Route* found = nullptr;
  std::string paths;
  for (const Route& route : routes()) {
    if (call.served == ServedPaths::kHealth && !route.health) continue;
    if (route.path == call.request.path) found = &route;
    paths.append(paths.empty() ? "" : ", ").append(route.path);
  }
  if (!found) return refuse(call, 404, Result::kNotFound, "no such path; there are " + paths);
  call.record.verb = found->verb;
  if (found->method != call.request.method) {
    call.response.headers.emplace_back("Allow", found->method == "GET" ? "GET, HEAD" : "POST");
    return refuse(call, 405, Result::kMethodNotAllowed,
                  std::string(found->path) + " takes " + std::string(found->method) + " only");
  }
  const Turn turn(found->verb == Verb::kOther ? nullptr : computing_.get());
  (this->*found->answer)(call);
}

void Extender::finish(Call& call, double seconds) {
  RequestRecord& record = call.record;
  record.seconds = seconds;
  record.pass_seconds = call.times.seconds();
  record.rejected = call.rejected;
  record.rules = call.world.rejections.get();
  metrics_.observe(record);
  if (!log_enabled(2)) return;
  log_info("request", {{"method", call.request.method},
                       {"path", call.request.path},
                       {"remote", call.request.remote},
                       {"status", call.response.status},
                       {"result", to_string(record.result)},
                       {"pod", call.pod},
                       {"nodes", record.nodes},
                       {"feasible", record.feasible},
                       {"bytes_in", call.bytes_in},
                       {"bytes_out", call.response.body.size()},
                       {"seconds", seconds}});
}

void Extender::refuse(Call& call, int status, Result result, std::string line) {
  call.record.result = result;
  call.response.status = status;
  call.response.content_type = "text/plain; charset=utf-8";
  call.response.body = std::move(line) + '\n';
}

void Extender::filter_error(Call& call, std::string_view error) {
  call.record.result = Result::kError;
  append_filter_error(call.response.body, error);
}

bool Extender::read_question(Call& call, Question& question, bool needs_nodes) {
  std::optional<std::string> wrong = question.read(std::move(call.request.body));
  if (!wrong && !question.has_pod() && needs_nodes) wrong = "Pod: the request has none";
  if (!wrong && !question.asks_for_nodes() && needs_nodes)
    wrong = "the request names no nodes: expected NodeNames (nodeCacheCapable: true) or Nodes";
  if (wrong) {
    refuse(call, 400, Result::kBadRequest, "bad request body: " + *wrong);
    return false;
  }
  call.record.nodes = static_cast<std::int64_t>(question.asked().size());
  call.record.unknown_nodes = question.asked().size() - question.known().size();
  if (needs_nodes) notice(setup_.on_nodes(question.form() == FilterAnswer::Form::kNodes));
  if (question.has_pod()) call.engine = call.world.engines->find(question.pod());
  if (question.has_pod()) call.pod = question.pod().metadata.namespace_ + '/' + question.pod().metadata.name;
  call.times.lap(Pass::kDecode);
  return true;
}

void Extender::healthy(Call& call) {
  call.response.content_type = "text/plain; charset=utf-8";
  call.response.body = "ok\n";
}

void Extender::readiness(Call& call) {
  const std::string reason = options_.not_ready ? options_.not_ready() : "";
  if (reason.empty()) return healthy(call);
  refuse(call, 503, Result::kInternal, "not ready: " + reason);
}

void Extender::version(Call& call) { call.response.body = version_json(); }

void Extender::rules(Call& call) {
  append_json(call.response.body, summarize(call.world.engines->sets()));
  call.response.body += '\n';
}

void Extender::show_metrics(Call& call) {
  if (options_.before_scrape) options_.before_scrape();
  show_setup();
  {
    const auto age = std::chrono::system_clock::now() - call.world.picture->changed();
    const Picture::Reader state = call.world.picture->read();
    metrics_.set_state({.nodes = state->node_count(),
                        .pods = state->pod_count() - state->pending_count(),
                        .pending_pods = state->pending_count(),
                        .groups = state->groups.groups(),
                        .classes = state->groups.classes(),
                        .age_seconds = std::chrono::duration<double>(age).count()});
    const AssumedPods& assumed = state.assumed();
    metrics_.live().set_assumed({.pods = assumed.size(),
                                 .oldest_seconds = assumed.oldest(std::chrono::steady_clock::now()).count(),
                                 .outcomes = assumed.outcomes(),
                                 .overdue_total = assumed.overdue_count()});
  }
  const auto seconds = [](auto duration) { return std::chrono::duration<double>(duration).count(); };
  const auto now = std::chrono::steady_clock::now();
  metrics_.live().set_refusals({.pods = refusals_.size(),
                                .would_fit = refusals_.would_fit(now, std::chrono::seconds(1)),
                                .told_total = refusals_.told_count(),
                                .doubts_total = doubts_.told(),
                                .lateness_seconds = seconds(recency_.lateness())});
  if (options_.http_counters) metrics_.set_http(options_.http_counters());
  call.response.content_type = kMetricsContentType;
  call.response.body = metrics_.render();
}

std::unique_lock<std::mutex> Extender::deciding(Call& call) {
  if (!options_.assume || options_.answer == AnswerMode::kComplete) return {};
  std::unique_lock lock(deciding_);
  call.world = world();
  return lock;
}

void Extender::wait_for_news(Call& call, News::Count seen, Hold::Time until) {
  if (computing_) computing_->release();
  call.world.picture->news().wait_beyond(seen, until);
  if (computing_) computing_->acquire();
  call.times.lap(Pass::kHold);
}

void Extender::change_assumed(Call& call, const std::function<void(AssumedPods&)>& change) {
  const std::lock_guard lock(deciding_);
  call.world = world();
  call.world.picture->write_pods(change);
}

void Extender::assume(const Call& call, const Question& question, std::string_view node) {
  if (!options_.assume || question.form() != FilterAnswer::Form::kNames) return;
  call.world.picture->write_pods([&](AssumedPods& pods) {
    pods.assume(question.pod(), std::string(node), std::chrono::steady_clock::now());
  });
}

void Extender::notice_sampling(const Question& question) {
  if (!sampling_.notice(question.known(), question.view().node_count())) return;
  metrics_.live().on_sampled_call();
  if (warned_of_sampling_.exchange(true)) return;
  log_warn(
      "kube-scheduler shows a part of the nodes only, others each time: a pod that fits on none of them "
      "stays "
      "pending; write this line into its configuration",
      {{"line", "percentageOfNodesToScore: 100"},
       {"shown", question.known().size()},
       {"nodes", question.view().node_count()}});
}

std::optional<std::size_t> Extender::pick(const Question& question, std::span<const NodeId> nodes,
                                          std::span<const std::int64_t> totals) const {
  if (nodes.empty()) return std::nullopt;
  const std::string& uid = question.pod().metadata.uid;
  const auto refused = picks_.not_followed(question.pod_key());
  // With a seed the choice may not depend on the order in which the nodes were asked about.
  std::vector<std::size_t> order(nodes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (options_.seed)
    std::ranges::sort(order, {}, [&](std::size_t i) { return question.view().node_name(nodes[i]); });

  // A node that was answered and not followed steps back behind its equals, then behind all.
  using Rank = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  std::vector<Rank> ranks;
  for (const std::size_t i : order) {
    const auto it =
        refused.empty() ? refused.end() : refused.find(std::string(question.view().node_name(nodes[i])));
    const std::int64_t times = it == refused.end() ? 0 : it->second;
    ranks.emplace_back(times > 1 ? -times : 0, totals[i], times == 1 ? -1 : 0);
  }
  const Rank best = *std::ranges::max_element(ranks);
  std::vector<std::int64_t> is_best;
  for (const Rank& rank : ranks) is_best.push_back(rank == best);
  Draw draw(seed_, uid);
  return order[*select_host(is_best, draw)];
}

}  // namespace winnow
