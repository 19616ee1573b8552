// Bodies of requests, one verb a part: each is answered, in a form that kube-scheduler reads. A good request
// gets its answer afterwards, and the cache is as it was.
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include "cluster/api/names.h"
#include "cluster/client/servers/api_servers.h"
#include "cluster/client/servers/binder.h"
#include "cluster/files/cluster_file.h"
#include "cluster/text/json.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "extender/service/extender.h"
#include "extender/service/metrics/metrics.h"
#include "extender/service/protocol/args.h"
#include "predicates/records.h"
#include "tests/cluster/state/describe.h"
#include "tests/extender/service/answers.h"
#include "tests/fuzz/fuzz.h"

namespace winnow::fuzz {
namespace {

constexpr const char* kCluster = R"({"kind":"List","items":[
  {"kind":"Node","metadata":{"name":"node-00000","labels":{"zone":"a","topology.kubernetes.io/zone":"a",
    "kubernetes.io/hostname":"node-00000"}},
   "status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"110","example.com/widget":"3"}}},
  {"kind":"Node","metadata":{"name":"node-00001","labels":{"zone":"b","topology.kubernetes.io/zone":"b",
    "kubernetes.io/hostname":"node-00001"}},
   "spec":{"taints":[{"key":"gpu","value":"yes","effect":"NoSchedule"}]},
   "status":{"allocatable":{"cpu":"8","memory":"8Gi","pods":"110"}}},
  {"kind":"Node","metadata":{"name":"a\"b","labels":{"zone":"c"}},
   "status":{"allocatable":{"cpu":"1","memory":"1Gi","pods":"2"}}},
  {"kind":"Service","metadata":{"name":"s"},"spec":{"selector":{"app":"web"}}},
  {"kind":"PodDisruptionBudget","metadata":{"name":"b"},"spec":{"selector":{"matchLabels":{"app":"web"}}},
   "status":{"disruptionsAllowed":0}},
  {"kind":"StorageClass","metadata":{"name":"late"},"provisioner":"x.example.com",
   "volumeBindingMode":"WaitForFirstConsumer"},
  {"kind":"PersistentVolume","metadata":{"name":"v0"},"spec":{"capacity":{"storage":"1Gi"},
   "accessModes":["ReadWriteOnce"],"storageClassName":"late","nodeAffinity":{"required":{"nodeSelectorTerms":[
   {"matchExpressions":[{"key":"zone","operator":"In","values":["a"]}]}]}}}},
  {"kind":"PersistentVolumeClaim","metadata":{"name":"c0"},"spec":{"storageClassName":"late",
   "accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}},
  {"kind":"Pod","metadata":{"name":"web-0","uid":"u0","labels":{"app":"web"}},"spec":{"nodeName":"node-00000",
   "priority":5,"containers":[{"resources":{"requests":{"cpu":"3"}},"ports":[{"hostPort":80}]}]}},
  {"kind":"Pod","metadata":{"name":"db-0","uid":"u1","labels":{"app":"db"}},"spec":{"nodeName":"node-00001",
   "affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"zone",
   "labelSelector":{"matchLabels":{"app":"web"}}}]}},"containers":[{}]}},
  {"kind":"Pod","metadata":{"name":"waits","uid":"u2","resourceVersion":"7","labels":{"app":"web"}},
   "spec":{"priority":10,"containers":[{"resources":{"requests":{"cpu":"2"}}}]}}]})";

constexpr const char* kPlainPod = R"({"metadata":{"name":"p","namespace":"default","uid":"u9"},
  "spec":{"containers":[{"resources":{"requests":{"cpu":"1"}}}]}})";

std::unique_ptr<ClusterCache> small_cache(Generation generation) {
  auto cache = std::make_unique<ClusterCache>(State::Options{.generation = generation});
  cache->write([](State& state) { load(state, read_cluster_text("cluster", kCluster).value()); });
  return cache;
}

test::Lines all_of(const ClusterCache& cache) {
  const ClusterCache::ReadGuard state = cache.read();
  test::Lines lines = test::describe(View(*state), {"default"}, {}, {});
  test::append(lines, test::describe_pods(*state));
  return lines;
}

/// An API server that binds, and says so in words that a pod's name chooses.
class FakeApiServer final : public live::ApiTransport {
 public:
  std::expected<live::ApiResponse, live::TransportError> call(const std::string&,
                                                              const live::ApiRequest& request,
                                                              std::chrono::milliseconds,
                                                              const std::stop_token&) override {
    const std::string path = request.path.substr(0, request.path.find("/binding"));
    must(path.starts_with("/api/v1/namespaces/") && std::ranges::count(path, '/') == 6, "a path is a pod's",
         path);
    must(path.find_first_of("?#% \\") == std::string::npos, "it has nothing else in it", path);
    must(request.body.empty() || test::is_json(request.body), "a binding is JSON", request.body);
    const std::size_t way = request.path.size() % 5;
    if (request.method == "GET") return live::ApiResponse{.status = 200, .body = kPlainPod};
    if (way == 0) return live::ApiResponse{.status = 201, .body = R"({"kind":"Status","code":201})"};
    if (way == 1)
      return live::ApiResponse{.status = 409, .body = R"({"kind":"Status","code":409,"message":"no"})"};
    if (way == 2) return live::ApiResponse{.status = 404, .body = "<html>\nnot found"};
    if (way == 3) return live::ApiResponse{.status = 403, .body = R"({"kind":"Status","message":"100%\n"})"};
    return live::ApiResponse{.status = 201, .body = ""};
  }
  std::expected<live::ApiResponse, live::TransportError> stream(const std::string&, const live::ApiRequest&,
                                                                std::chrono::milliseconds,
                                                                std::chrono::milliseconds, const OnPiece&,
                                                                const std::stop_token&) override {
    return live::ApiResponse{.status = 500};
  }
};

/// A clock that runs ahead with each wait, so that nothing waits.
class RunningClock final : public live::Clock {
 public:
  Time now() const override { return now_; }
  bool sleep(Duration duration, const std::stop_token&) override {
    now_ += duration;
    return true;
  }

 private:
  Time now_ = std::chrono::steady_clock::now();
};

const std::vector<RuleSet>& rules_of(Generation generation) {
  constexpr const char* kText =
      "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
  static const std::vector<RuleSet> kClassic = classic_rules(Gates{}).sets;
  static const std::vector<RuleSet> kToday = load_rules("today", kText, Gates{}).value().sets;
  return generation == Generation::kClassic ? kClassic : kToday;
}

/// A service over a small cluster.
class Service {
 public:
  Service(Generation generation, AnswerMode answer, bool assume)
      : rules_(rules_of(generation)),
        cache_(small_cache(generation)),
        engines_(rules_, workers_),
        extender_(active(), metrics(), options(answer, assume)),
        before_(all_of(*cache_)) {}

  http::Response ask(const char* path, std::string_view body) {
    http::Request request{.method = "POST", .path = path, .content_type = "application/json"};
    request.body = body;
    request.host = "localhost:10290";
    http::Response response;
    extender_.handle(request, response);
    return response;
  }
  void check_unchanged() const {
    const test::Lines now = all_of(*cache_);
    must(now == before_, "a request changes nothing", test::difference(now, before_));
  }
  ClusterCache& cache() { return *cache_; }

 private:
  static Metrics& metrics() {
    static Metrics all("test", "test");
    return all;
  }
  ActiveConfig active() {
    return {.engines = {std::shared_ptr<const Engines>(), &engines_},
            .cache = cache_,
            .rejections = metrics().rules(engines_.predicate_names())};
  }
  ExtenderOptions options(AnswerMode answer, bool assume) {
    ExtenderOptions options;
    options.answer = answer;
    options.assume = assume;
    options.seed = 1;
    options.binds = true;
    return options;
  }
  /// Binds, and checks what is bound.
  struct Binding : ClusterServices {
    explicit Binding(Service& service_) : service(service_) {}
    live::BindResult bind(const live::Binding& binding, std::chrono::steady_clock::time_point) override {
      must(object_name_errors(binding.name).empty() && object_name_errors(binding.node).empty() &&
               namespace_name_errors(binding.ns).empty(),
           "names are names", binding.ns + '/' + binding.name + ' ' + binding.node);
      ++service.binds;
      return service.binder_.bind(binding, service.clock_.now() + std::chrono::seconds(4), {});
    }
    Service& service;
  };

  const std::vector<RuleSet>& rules_;
  Workers workers_{0};
  std::shared_ptr<ClusterCache> cache_;
  const Engines engines_;
  RunningClock clock_;
  FakeApiServer transport_;
  live::ApiServers servers_{{"https://a", "https://b"}, clock_};
  live::Binder binder_{servers_, transport_, clock_};
  Binding binding_{*this};
  Extender extender_;
  const test::Lines before_;

 public:
  std::size_t binds = 0;
};

void check_refusal(const http::Response& response) {
  must(response.status == 400 || response.status == 404 || response.status == 500, "a refusal has its status",
       std::to_string(response.status));
  must(response.body.ends_with('\n'), "it is a line", response.body);
  check_error(std::string_view(response.body).substr(0, response.body.size() - 1));
}

/// Names and objects that the request's text has: what fits is among them.
void check_filter(const http::Response& response, std::string_view) {
  if (response.status != 200) return check_refusal(response);
  std::string buffer;
  rapidjson::Document document;
  must(parse(response.body, buffer, document).empty(), "an answer is JSON", response.body);
  // The test's reader takes the first of equal keys of a node that was sent, and Winnow the last.
  if (has_equal_keys(document["Nodes"])) return;
  const auto result = test::read_filter(response.body);
  must(result.valid, "kube-scheduler reads the answer", response.body);
  const std::set<std::string> fit(result.fit.begin(), result.fit.end());
  must(fit.size() == result.fit.size(), "a node is answered once", response.body);
  must(result.entries == result.failed.size() + result.unresolvable.size(), "so is one that fails",
       response.body);
  for (const auto& [name, reason] : result.failed) {
    must(!fit.contains(name) && !result.unresolvable.contains(name), "a node is in one list", name);
    check_error(reason);
  }
  for (const auto& [name, reason] : result.unresolvable) {
    must(!fit.contains(name), "a node is in one list", name);
    check_error(reason);
  }
  if (!result.error.empty()) check_error(result.error);
}

void check_scores(const http::Response& response, std::string_view) {
  if (response.status != 200) return check_refusal(response);
  const auto scores = test::read_scores(response.body);
  must(scores.has_value(), "kube-scheduler reads the scores", response.body);
  for (const auto& [host, score] : *scores)
    must(score >= 0 && score <= 10, "a score is from 0 to 10", response.body);
}

void check_json(const http::Response& response, std::string_view) {
  if (response.status != 200) return check_refusal(response);
  must(test::is_json(response.body), "an answer is JSON", response.body);
}

void check_bind(const http::Response& response, std::string_view body) {
  check_json(response, body);
  if (response.status != 200) return;
  must(response.body.starts_with(R"({"Error":")"), "a bind says an error, or none", response.body);
  check_error(response.body);
  must(!response.body.contains('%'), "it is no format", response.body);
  must(read_binding(body).has_value(), "what is bound was read");
}

struct Verb {
  const char* path;
  void (*check)(const http::Response&, std::string_view);
};
constexpr Verb kVerbs[] = {{"/filter", check_filter},
                           {"/prioritize", check_scores},
                           {"/explain", check_json},
                           {"/preempt", check_json},
                           {"/bind", check_bind}};
constexpr unsigned kVerbCount = std::size(kVerbs);

constexpr std::string_view kGood =
    R"({"Pod":{"metadata":{"name":"p"}},"Nodes":null,"NodeNames":["node-00000","a\"b","x","node-00001"]})";

/// A service that answers from a cache that does not change, and its answer to a good request.
struct Steady {
  explicit Steady(Generation generation)
      : service(generation, AnswerMode::kComplete, false), good(service.ask("/filter", kGood).body) {}
  Service service;
  const std::string good;
};

void steady(Steady& asked, const Verb& verb, std::string_view body) {
  Service& service = asked.service;
  const http::Response response = service.ask(verb.path, body);
  verb.check(response, body);
  const http::Response again = service.ask(verb.path, body);
  if (!response.body.contains("\"seconds\""))
    must(again.status == response.status, "the same again", again.body);
  if (verb.check == check_filter || verb.check == check_scores)
    must(again.body == response.body, "the same question has the same answer", again.body + response.body);
  must(service.ask("/filter", kGood).body == asked.good, "a good request has its answer");
  if (verb.check != check_bind) service.check_unchanged();
}

/// A service that chooses a node and assumes the pod there. It is made anew each time.
void choosing(AnswerMode mode, Generation generation, const Verb& verb, std::string_view body) {
  Service service(generation, mode, true);
  const http::Response response = service.ask(verb.path, body);
  verb.check(response, body);
  const auto assumed = [&] { return service.cache().read().assumed().size(); };
  const std::size_t first = assumed();
  must(first <= 1, "one request assumes one pod");
  verb.check(service.ask(verb.path, body), body);
  must(assumed() <= 1, "the same request assumes no other");
  if (response.status != 200 && first == 0) service.check_unchanged();
}

/// Parts: each verb in three services.
void request(unsigned part, std::string_view body) {
  const Verb& verb = kVerbs[part % kVerbCount];
  static Steady classic(Generation::kClassic), today(Generation::kToday);
  const bool binds = verb.check == check_bind;
  if (part / kVerbCount == 2 || binds)
    return choosing(part / kVerbCount == 1 ? AnswerMode::kOne : AnswerMode::kBest,
                    part / kVerbCount == 0 ? Generation::kClassic : Generation::kToday, verb, body);
  steady(part / kVerbCount == 0 ? classic : today, verb, body);
}

}  // namespace
}  // namespace winnow::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = winnow::fuzz::split(data, size, 3 * winnow::fuzz::kVerbCount);
  winnow::fuzz::request(input.part, input.text);
  return 0;
}
