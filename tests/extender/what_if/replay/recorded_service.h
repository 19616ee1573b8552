// A service over a cache that a watch fills, with its recording.
#pragma once

#include <doctest/doctest.h>

#include <format>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/client/watch/cache_sink.h"
#include "cluster/client/watch/resource.h"
#include "extender/config/extenders.h"
#include "extender/service/extender.h"
#include "extender/what_if/record/recorder.h"
#include "extender/what_if/replay/recording_reader.h"
#include "extender/what_if/replay/replay.h"
#include "tests/cluster/client/transport/temp_folder.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {

/// The flags of a recorded service.
struct Recorded {
  AnswerMode answer = AnswerMode::kComplete;
  std::optional<std::uint64_t> seed = {};
  std::string config = {};
  std::size_t bytes = 64UL << 20;
  bool assume = true;
  FailedNodes failed_nodes = FailedNodes::kQuiet;
};

inline constexpr const char* kTodaysConfig =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

class RecordedService {
 public:
  RecordedService(const std::string& dir, const Recorded& flags)
      : recorder_(open(dir, flags)),
        loaded_(rules_of(flags.config)),
        engines_(loaded_.sets, workers_),
        cache_(std::make_shared<ClusterCache>(options_of(loaded_))) {
    recorder_->on_rules(loaded_);
    cache_->set_journal(recorder_->journal_of(options_of(loaded_)));
    nodes_ = live::make_cache_sink(kind_of<Node>, *cache_, [](auto, auto) {});
    pods_ = live::make_cache_sink(kind_of<Pod>, *cache_, [](auto, auto) {});
    ExtenderOptions options{.answer = flags.answer, .seed = flags.seed};
    options.failed_nodes = flags.failed_nodes;
    options.assume = flags.assume;
    options.drawn = recorder_->options().drawn;
    options.preview = std::chrono::hours(1);
    const ActiveConfig active{
        .engines = {std::shared_ptr<const Engines>(), &engines_}, .cache = cache_, .rejections = nullptr};
    recorder_->on_serving(active);
    extender_.emplace(active, metrics_, std::move(options), ExtenderServices{.tracer = recorder_.get()});
    // The first lists.
    for (live::ObjectSink* sink : {nodes_.get(), pods_.get()}) {
      sink->begin_list();
      sink->end_list("1");
    }
  }

  void set_node(const std::string& json) { nodes_->set(json), nodes_->flush(); }
  void remove_node(const std::string& json) { nodes_->remove(json), nodes_->flush(); }
  void set_pod(const std::string& json) { pods_->set(json), pods_->flush(); }
  void remove_pod(const std::string& json) { pods_->remove(json), pods_->flush(); }

  http::Response post(const std::string& path, std::string body, const std::string& query = "") {
    http::Request request;
    request.method = "POST";
    request.path = path;
    request.query = query;
    request.content_type = "application/json";
    request.body = std::move(body);
    http::Response response;
    extender_->handle(request, response);
    return response;
  }
  ClusterCache& cache() { return *cache_; }
  Extender& extender() { return *extender_; }
  Recorder& recorder() { return *recorder_; }

 private:
  static std::unique_ptr<Recorder> open(const std::string& dir, const Recorded& flags) {
    RecordedOptions options{.answer = flags.answer, .seed = flags.seed};
    options.failed_nodes = flags.failed_nodes;
    options.assume = flags.assume;
    return Recorder::open({.dir = dir, .most_bytes = flags.bytes}, options, "").value();
  }
  static LoadedRules rules_of(const std::string& config) {
    const Gates gates = parse_gates("").value();
    return config.empty() ? classic_rules(gates) : load_rules("f", config, gates).value();
  }
  static State::Options options_of(const LoadedRules& rules) {
    const bool todays = rules.sets.front().generation == Generation::kToday;
    return todays ? kTodaysOptions : State::Options{};
  }

  std::unique_ptr<Recorder> recorder_;
  const LoadedRules loaded_;
  Workers workers_{0};
  const Engines engines_;
  Metrics metrics_{"", ""};
  std::shared_ptr<ClusterCache> cache_;
  std::unique_ptr<live::ObjectSink> nodes_, pods_;
  std::optional<Extender> extender_;
};

/// Plays a recording to its end.
inline ReplayResult play(const std::string& path) {
  auto recording = RecordingReader::open(path);
  if (!recording) {
    ReplayResult none;
    none.error = recording.error();
    return none;
  }
  Workers workers(0);
  return replay(*recording, workers, {});
}

/// Checks that all calls are compared and equal.
inline void check_equal(const ReplayResult& result, std::uint64_t calls) {
  std::string report;
  append_report(report, result);
  CAPTURE(report);
  CHECK(result.error == "");
  CHECK(result.equal == calls);
  CHECK(result.different == 0);
}

inline std::string recorded_node(const std::string& name, int cpu, const std::string& labels = "") {
  return R"({"metadata":{"name":")" + name + R"(","uid":"n-)" + name +
         R"(","resourceVersion":"5","labels":{)" + R"("kubernetes.io/hostname":")" + name + '"' + labels +
         R"(}},"status":{"allocatable":{"cpu":")" + std::to_string(cpu) +
         R"(","memory":"32Gi","pods":"110"},"conditions":[{"type":"Ready","status":"True"}]}})";
}
/// @param more  further members of the spec, with a leading comma.
inline std::string recorded_pod(const std::string& name, int version, const std::string& more = "") {
  const std::uint64_t number = std::hash<std::string>()(name) & 0xffffffffffff;
  return R"({"metadata":{"name":")" + name + R"(","namespace":"shop","uid":")" +
         std::format("00000000-0000-4000-8000-{:012x}", number) + R"(","resourceVersion":")" +
         std::to_string(version) +
         R"(","labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"registry.example/web:1.2",)" +
         R"("resources":{"requests":{"cpu":"1"}}}])" + more + "}}";
}

}  // namespace winnow::test
