#include "extender/what_if/replay/player.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <format>
#include <type_traits>

#include "cluster/api/decode.h"
#include "cluster/api/device.h"
#include "cluster/api/wanted_fields.h"
#include "cluster/cel/times.h"
#include "cluster/files/cluster_file.h"
#include "cluster/rule/extended_resource_claim.h"
#include "cluster/state/state.h"
#include "cluster/text/characters.h"
#include "cluster/text/json.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/service/scheduling/live_memory.h"
#include "extender/service/verbs/call.h"
#include "extender/service/verbs/routes.h"
#include "extender/version.h"
#include "extender/what_if/replay/recording_reader.h"

namespace winnow {
namespace {

/// Nobody waits for the answer.
constexpr std::chrono::hours kNoHurry{24 * 365};
/// A service answers as many calls at once as it has threads.
constexpr std::size_t kMostPending = 10'000;
/// Objects of files are loaded in such pieces.
constexpr std::size_t kMostGivenBytes = std::size_t{4} << 20;
/// Caches that are there at once: a service makes one for each set of kinds that its rules read, and ends
/// it.
constexpr std::size_t kMostCaches = 100;

/// Tells a call what its recording says that it was told. Nothing is kept: what followed is in the recording.
class ReplayingMemory : public LiveMemory {
 public:
  /// @param context  outlives this.
  ReplayingMemory(VerbContext& context, Remembered told)
      : LiveMemory(context.memory), told_(std::move(told)) {}

  const NodePicker& picker_for(std::string_view pod_key) override {
    earlier().picker.repeat(pod_key, {told_.not_followed.begin(), told_.not_followed.end()});
    return earlier().picker;
  }
  std::string note_refusal(RefusalHold&, const RefusedPod&) override { return told_.remark; }
  std::vector<std::string> named_victims(std::string_view, std::string_view) override { return told_.named; }
  bool believes_gone(std::string_view) override { return told_.believed; }
  bool refused_nominated(const RefusalHold&) override { return told_.refused_nominated; }
  bool fits_outside(const RefusalHold&) override { return told_.fits_outside; }
  void nominate_refused(const Pod&, bool) override {}
  void note_preempts(const Pod&) override {}
  std::vector<std::string> promised_to_others(const State&, std::uint64_t, const Pod&) override {
    return told_.promised;
  }
  std::string why_not_nominated(std::string_view, std::string_view, std::string_view) override {
    return told_.not_nominated;
  }
  std::optional<Remembered::Refused> last_refusal(std::string_view) override { return told_.refused; }
  Remembered::HeldPlaces held_since(const std::vector<HeldPlace>&) override { return told_.held; }
  bool looks_once() const override { return true; }

  void picked(std::string_view, std::string_view) override {}
  void assume(ClusterCache&, const Pod&, std::string_view, std::vector<ClaimedDevices>) override {}
  void release(ClusterCache&, const Pod&) override {}
  void doubt(ClusterCache&, const std::vector<AssumedPods::Attempt>&) override {}
  void note_fit(RefusalHold&, std::string_view) override {}
  void note_gone(std::string_view) override {}
  void note_victims(const Pod&, std::vector<MetaVictims>) override {}

 private:
  const Remembered told_;
};

/// When a call was. A text that is no time is one that nobody has recorded: it counts as now.
Budget::Wall time_of(std::string_view at) {
  const auto time = cel::parse_timestamp(at);
  if (!time) return std::chrono::system_clock::now();
  return Budget::Wall(std::chrono::seconds(time->seconds) + std::chrono::nanoseconds(time->nanos));
}

ExtenderOptions extender_options(const RecordedOptions& recorded) {
  ExtenderOptions options{.answer = recorded.answer, .scale = recorded.scale};
  options.failed_nodes = recorded.failed_nodes;
  options.preempt_search = recorded.preempt_search;
  options.scheduler_filters = recorded.scheduler_filters;
  options.seed = recorded.seed;
  options.drawn = recorded.drawn;
  options.assume = recorded.assume;
  options.nominates_refused = recorded.nominates_refused;
  options.preview = kNoHurry;
  options.request_timeout = kNoHurry;
  return options;
}

/// The route of a call that is recorded. Others are for people, and may start threads.
const Route* find_route(std::string_view path) {
  if (!is_recorded(path)) return nullptr;
  const auto all = routes();
  const auto found = std::ranges::find(all, path, &Route::path);
  return found == all.end() ? nullptr : &*found;
}

/// What the line is of, for errors: "look 7".
std::string object_of(const LineFields& fields, LineFields& reading) {
  const std::string first(fields.first());
  if (first == "picture" || first == "look" || first == "answer" || first == "rules")
    return printable(std::format("{} {}", first, reading.raw(first)));
  return printable(first);
}

}  // namespace

Remembered read_remembered(LineFields& look) {
  Remembered remembered;
  if (!look.has("remembered")) return remembered;
  LineFields fields(look.raw("remembered"));
  if (fields.has("notFollowed"))
    for (const auto& [node, times] : fields.members("notFollowed")) {
      const std::string text = std::format(R"({{"times":{}}})", times);
      LineFields one(text);
      remembered.not_followed[node] = static_cast<std::uint32_t>(one.number("times"));
      if (!one.error().empty()) fields.fail("notFollowed", times, "a whole number for each node");
    }
  remembered.remark = fields.text_or_none("remark");
  if (fields.has("named")) remembered.named = fields.texts("named");
  remembered.believed = fields.is_set("believed");
  remembered.refused_nominated = fields.is_set("refusedNominated");
  remembered.fits_outside = fields.is_set("fitsOutside");
  if (fields.has("promised")) remembered.promised = fields.texts("promised");
  if (fields.has("refused")) {
    LineFields refused(fields.raw("refused"));
    Remembered::Refused& one = remembered.refused.emplace(Remembered::Refused{});
    one.times = refused.number("times");
    one.seconds = refused.real("seconds");
    if (refused.has("wouldFitSeconds")) {
      one.would_fit_on = refused.text("wouldFitOn");
      one.would_fit_seconds = refused.real("wouldFitSeconds");
    }
    if (!refused.error().empty()) fields.fail("refused", refused.error(), "what explain tells of a refusal");
  }
  if (fields.has("held"))
    for (const auto& [pod, text] : fields.members("held")) {
      LineFields one(text);
      const auto tried = held_tried_of(one.text("tried"));
      remembered.held[pod] = {.seconds = one.real("seconds"), .tried = tried.value_or(HeldTried::kNever)};
      if (!one.error().empty() || !tried) fields.fail("held", text, "what explain tells of a held place");
    }
  remembered.not_nominated = fields.text_or_none("notNominated");
  if (!fields.error().empty()) look.fail("remembered", fields.error(), "what the call was told of others");
  return remembered;
}

Player::Player(Workers& workers) : workers_(workers), metrics_(build_info().version, build_info().revision) {}
Player::~Player() = default;

void Player::begin_file(const RecordingHead& head) {
  if (head.run != head_.run) pending_.clear();
  head_ = head;
  contexts_.clear();
  caches_.clear();
  rules_.clear();
}

std::expected<std::optional<PlayedCall>, std::string> Player::play(std::string_view line) {
  LineFields fields(line);
  const std::string_view first = fields.first();
  if (!fields.error().empty()) return std::unexpected("object: " + fields.error());
  std::optional<PlayedCall> call;
  if (first == "picture")
    change(fields);
  else if (first == "look")
    look(fields);
  else if (first == "answer")
    call = answer(fields);
  else if (first == "rules")
    take_rules(fields);
  else if (first != "begins" && first != "ends")
    fields.fail(first, "is unknown", "rules, picture, look, answer, begins or ends");
  if (fields.error().empty()) return call;
  LineFields again(line);
  return std::unexpected(std::format("{}: {}", object_of(fields, again), fields.error()));
}

void Player::take_rules(LineFields& fields) {
  const std::uint64_t number = fields.number("rules");
  const auto gates = parse_gates(fields.text("gates"));
  const std::string config = fields.text("config");
  if (!gates) return fields.fail("gates", gates.error(), "feature gates that Winnow knows");
  if (!fields.error().empty()) return;
  if (config.empty()) {
    rules_[number] = std::make_shared<const Rules>(classic_rules(*gates), workers_);
    return;
  }
  auto loaded = load_rules("config", config, *gates);
  if (!loaded) return fields.fail("config", loaded.error(), "a configuration that Winnow reads");
  rules_[number] = std::make_shared<const Rules>(std::move(*loaded), workers_);
}

void Player::change(LineFields& fields) {
  const std::uint64_t number = fields.number("picture");
  if (fields.has("generation")) {
    State::Options options;
    options.accounting = static_cast<Accounting>(fields.word("accounting", kAccountingWords));
    options.exact_zones = fields.truth("exactZones");
    options.generation = static_cast<Generation>(fields.word("generation", kGenerationWords));
    if (fields.has("facts"))
      for (const std::string& text : fields.texts("facts")) options.facts.push_back(fact_of(text));
    if (fields.has("podFields")) options.pod_fields = fields.texts("podFields");
    if (fields.has("nodeFields")) options.node_fields = fields.texts("nodeFields");
    options.node_load = fields.is_set("nodeLoad");
    if (options.node_load) want_running_since();
    want_fields(FieldsOf::kPods, options.pod_fields);
    want_fields(FieldsOf::kNodes, options.node_fields);
    end_cache(number);
    if (caches_.size() == kMostCaches)
      return fields.fail("picture", std::format("{} others are there", kMostCaches), "fewer at once");
    caches_[number].cache = std::make_shared<ClusterCache>(options);
    return;
  }
  if (fields.has("ended")) return end_cache(number);
  const auto played = caches_.find(number);
  if (played == caches_.end())
    return fields.fail("picture", std::format("{} has not begun", number), "a picture that is there");
  ++changes_;
  change(played->second, fields);
}

void Player::change(Played& played, LineFields& fields) {
  if (fields.has("given")) {
    played.given += played.given.empty() ? R"({"kind":"List","apiVersion":"v1","items":[)" : ",";
    played.given += fields.raw("given");
    // As text, document and objects at once they would take many times their memory.
    if (played.given.size() > kMostGivenBytes) load_given(played, fields);
    return;
  }
  load_given(played, fields);
  ClusterCache& cache = *played.cache;
  if (fields.has("set"))
    set_object(cache, fields);
  else if (fields.has("gone"))
    remove_object(cache, fields);
  else if (fields.has("assumed"))
    assume(cache, fields);
  else if (fields.has("released"))
    release(cache, fields);
  else if (fields.has("unread") || fields.has("read"))
    set_unread(cache, fields);
  else if (fields.has("lost"))
    played.cache = std::make_shared<ClusterCache>(cache.read()->options());
  else
    fields.fail("picture", "changes in no way",
                "set, gone, assumed, released, unread, read, lost, given or ended");
}

void Player::load_given(Played& played, LineFields& fields) {
  if (played.given.empty()) return;
  auto objects = read_cluster_text("given", std::exchange(played.given, {}) + "]}");
  if (!objects) return fields.fail("given", objects.error().message, "objects that Winnow reads");
  played.cache->write([&](State& state) { load(state, *objects); });
}

void Player::set_object(ClusterCache& cache, LineFields& fields) {
  const std::string kind_name = fields.text("set");
  const std::string_view json = fields.raw("object");
  bool known = false;
  for_each_kind([&]<class T>(const Kind<T>& kind) {
    if (kind.kind != kind_name) return;
    known = true;
    auto object = decode<T>(json);
    if (!object) return fields.fail("object", object.error().message, "a " + kind_name);
    if constexpr (std::is_same_v<T, Pod>) {
      if (object->metadata.namespace_.empty()) object->metadata.namespace_ = "default";
      cache.write_pods([&](AssumedPods& pods) { pods.repeat(*object); });
    } else {
      cache.write([&](State& state) { ObjectWriter<T>::set(state, std::move(*object)); });
    }
  });
  if (!known) fields.fail("set", kind_name, "a kind that Winnow reads");
}

void Player::remove_object(ClusterCache& cache, LineFields& fields) {
  const std::string kind_name = fields.text("gone");
  const std::string ns = fields.text("ns");
  const std::string name = fields.text("name");
  bool known = false;
  for_each_kind([&]<class T>(const Kind<T>& kind) {
    if (kind.kind != kind_name) return;
    known = true;
    if constexpr (std::is_same_v<T, Pod>)
      cache.write_pods([&](AssumedPods& pods) { pods.remove(ns, name, 0); });
    else
      cache.write([&](State& state) { ObjectWriter<T>::remove(state, ns, name); });
  });
  if (!known) fields.fail("gone", kind_name, "a kind that Winnow reads");
}

void Player::set_unread(ClusterCache& cache, LineFields& fields) {
  const bool unread = fields.has("unread");
  const std::string kind_name = fields.text(unread ? "unread" : "read");
  bool known = false;
  for_each_kind([&]<class T>(const Kind<T>& kind) {
    if (kind.kind != kind_name) return;
    known = true;
    cache.write([&](State& state) {
      state.set_unread(kind_of<T>, unread);
      state.count_change(kind_of<T>);
    });
  });
  if (!known) fields.fail(unread ? "unread" : "read", kind_name, "a kind that Winnow reads");
}

void Player::assume(ClusterCache& cache, LineFields& fields) {
  LineFields one(fields.raw("assumed"));
  AssumedPods::Entry entry{.ns = one.text("ns"),
                           .name = one.text("name"),
                           .uid = one.text("uid"),
                           .node = one.text("node"),
                           .since = std::chrono::steady_clock::now()};
  entry.nomination = one.is_set("nomination");
  entry.bound = one.is_set("bound");
  if (one.has("claims"))
    for (const auto& [name, json] : one.members("claims")) {
      auto claim = decode<ResourceClaim>(json);
      if (!claim || !claim->allocation) return fields.fail("claims", name, "an allocated ResourceClaim");
      entry.devices.push_back(
          {name,
           name == kExtendedResourceClaim ? extended_resource_claim_uid(entry.uid) : claim->metadata.uid,
           *std::move(claim->allocation)});
    }
  if (!one.error().empty()) return fields.fail("assumed", one.error(), "a pod and its node");
  cache.write_pods([&](AssumedPods& pods) { pods.repeat(std::move(entry)); });
}

void Player::release(ClusterCache& cache, LineFields& fields) {
  LineFields one(fields.raw("released"));
  const std::string ns = one.text("ns");
  const std::string name = one.text("name");
  if (!one.error().empty()) return fields.fail("released", one.error(), "a pod");
  const AssumedOutcome outcome =
      one.is_set("keepsDevices") ? AssumedOutcome::kConfirmed : AssumedOutcome::kAskedAgain;
  cache.write_pods([&](AssumedPods& pods) {
    if (const AssumedPods::Entry* const entry = pods.find(ns, name))
      pods.release(ns, name, std::string(entry->uid), outcome);
  });
}

void Player::end_cache(std::uint64_t number) {
  std::erase_if(contexts_, [&](const auto& one) { return one.first.second == number; });
  caches_.erase(number);
}

VerbContext& Player::context_of(std::uint64_t rules, std::uint64_t cache) {
  const std::shared_ptr<const Rules>& used = rules_.at(rules);
  std::unique_ptr<VerbContext>& context = contexts_[{rules, cache}];
  const ActiveConfig active{
      .engines = {used, &used->engines}, .cache = caches_.at(cache).cache, .rejections = nullptr};
  // Another cache of that number: the one before was lost, or other rules have that number now.
  if (!context || context->decisions.active() != active)
    context = std::make_unique<VerbContext>(active, metrics_, extender_options(head_.options));
  return *context;
}

void Player::look(LineFields& fields) {
  const std::uint64_t number = fields.number("look");
  const std::uint64_t rules = fields.number("rules");
  const std::uint64_t cache = fields.number("picture");
  Pending pending{.path = fields.text("path"), .at = fields.text("at"), .pod = {}, .now = {}};
  const std::string query = fields.text("query");
  std::string body = fields.text("body");
  Remembered remembered = read_remembered(fields);
  const Route* const route = find_route(pending.path);
  if (!route) fields.fail("path", pending.path, "the path of a call");
  if (!rules_.contains(rules))
    fields.fail("rules", std::format("{} are not there", rules), "rules of this file");
  const auto played = caches_.find(cache);
  if (played == caches_.end())
    fields.fail("picture", std::format("{} is not there", cache), "a picture of this file");
  if (fields.error().empty()) load_given(played->second, fields);
  if (pending_.size() >= kMostPending && !pending_.contains(number))
    fields.fail("look", std::format("{} calls wait for their answers", pending_.size()),
                std::format("{} at most", kMostPending));
  if (!fields.error().empty()) return;

  VerbContext& context = context_of(rules, cache);
  ReplayingMemory memory(context, std::move(remembered));
  Call call{.body = std::move(body),
            .query = query,
            .arrived = std::chrono::steady_clock::now(),
            .active = context.decisions.active(),
            .timeout = kNoHurry,
            .began = time_of(pending.at),
            .memory = &memory};
  http::Response response;
  Reply reply{.response = response};
  route->answer(context, call, reply);
  call.active.cache->settle();
  pending.pod = reply.pod;
  pending.now = {response.status, std::move(response.body)};
  pending_[number] = std::move(pending);
}

PlayedCall Player::answer(LineFields& fields) {
  PlayedCall call{.number = fields.number("answer")};
  call.recorded = {static_cast<int>(fields.number("status")), fields.text("body")};
  const bool comparable = fields.truth("comparable");
  const auto pending = pending_.find(call.number);
  if (fields.has("request")) {
    call.path = fields.text("path");
    call.at = fields.text("at");
    call.why_not = "answered without the picture";
  } else if (pending == pending_.end()) {
    call.why_not = "its look is in a file that is missing";
  } else {
    call.path = std::move(pending->second.path);
    call.at = std::move(pending->second.at);
    call.pod = std::move(pending->second.pod);
    call.now = std::move(pending->second.now);
    if (!comparable) call.why_not = "its time was over";
  }
  if (pending != pending_.end()) pending_.erase(pending);
  return call;
}

}  // namespace winnow
