#include "cluster/client/servers/pod_events.h"

#include <algorithm>
#include <format>

#include "cluster/client/servers/api_servers.h"
#include "cluster/client/servers/api_status.h"
#include "cluster/client/transport/transport.h"
#include "cluster/text/characters.h"
#include "cluster/text/json.h"

namespace winnow::live {
namespace {

constexpr std::chrono::seconds kPatience{5};
/// Upstream: validateV1EventSeries and legacyValidateEvent of pkg/apis/core/validation/events.go v1.37.0.
constexpr std::size_t kMostNote = 1024;
constexpr std::size_t kMostInstance = 128;
/// A name may have 253 characters, and the time takes 17.
constexpr std::size_t kMostNamePrefix = 230;
/// More than this in the table of what was told is looked through for what is old.
constexpr std::size_t kManyTold = 1000;
constexpr std::string_view kClient = "events";

/// The beginning of the event's name. A part of a name ends with a letter or digit, wherever it is cut.
std::string_view name_prefix(std::string_view pod) {
  const std::string_view prefix = pod.substr(0, kMostNamePrefix);
  return prefix.substr(0, prefix.find_last_not_of("-.") + 1);
}

}  // namespace

std::string event_json(const PodEvent& event, std::string_view controller, std::string_view instance,
                       std::chrono::system_clock::time_point at) {
  // A name as client-go makes it: the object's, and the time in nanoseconds.
  const auto since_epoch = std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch());
  std::string json = R"({"apiVersion":"events.k8s.io/v1","kind":"Event","metadata":{"name":)";
  append_quoted(json, std::format("{}.{:x}", name_prefix(event.name), since_epoch.count()));
  append_quoted(json += R"(,"namespace":)", event.ns);
  json +=
      std::format(R"(}},"eventTime":"{:%FT%T}Z","action":"Nominating","type":"{}")",
                  std::chrono::floor<std::chrono::microseconds>(at), event.is_warning ? "Warning" : "Normal");
  append_quoted(json += R"(,"reason":)", event.reason);
  append_quoted(json += R"(,"reportingController":)", controller);
  append_quoted(json += R"(,"reportingInstance":)", instance.substr(0, kMostInstance));
  append_quoted(json += R"(,"note":)", utf8_prefix(event.note, kMostNote));
  append_quoted(json += R"(,"regarding":{"apiVersion":"v1","kind":"Pod","namespace":)", event.ns);
  append_quoted(json += R"(,"name":)", event.name);
  append_quoted(json += R"(,"uid":)", event.uid);
  return json + "}}";
}

PodEvents::PodEvents(ApiServers& servers, ApiTransport& transport, Clock& clock, Options options)
    : servers_(servers),
      transport_(transport),
      clock_(clock),
      options_(std::move(options)),
      filled_(clock.now()),
      rests_until_(clock.now()),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

PodEvents::~PodEvents() = default;

bool PodEvents::tell(PodEvent event) {
  {
    const MutexLock lock(mutex_);
    if (!may_tell(event)) return false;
    told_[{event.uid, event.reason}] = clock_.now();
    waiting_.push_back(std::move(event));
  }
  added_.notify_one();
  return true;
}

bool PodEvents::may_tell(const PodEvent& event) {
  const Clock::Time now = clock_.now();
  if (now < rests_until_ || waiting_.size() >= kMostWaiting) return false;
  if (told_.size() > kManyTold)
    std::erase_if(told_, [&](const auto& one) { return now - one.second >= kSamePod; });
  const auto told = told_.find({event.uid, event.reason});
  if (told != told_.end() && now - told->second < kSamePod) return false;
  const auto more = (now - filled_) / kEvery;
  tokens_ = static_cast<unsigned>(std::min<std::int64_t>(kAtOnce, tokens_ + more));
  filled_ = tokens_ == kAtOnce ? now : filled_ + more * kEvery;
  if (tokens_ == 0) return false;
  --tokens_;
  return true;
}

void PodEvents::run(const std::stop_token& stop) {
  while (const auto event = next(stop)) send(*event, stop);
}

std::optional<PodEvent> PodEvents::next(const std::stop_token& stop) {
  const MutexLock lock(mutex_);
  const auto has_some = [this]() WINNOW_REQUIRES(mutex_) { return !waiting_.empty(); };
  if (!added_.wait(mutex_, stop, has_some)) return std::nullopt;
  PodEvent event = std::move(waiting_.front());
  waiting_.pop_front();
  return event;
}

void PodEvents::send(const PodEvent& event, const std::stop_token& stop) {
  const std::string server = servers_.choose(kClient);
  if (server.empty()) return fail("no API server to ask");
  const ApiRequest request{.method = "POST",
                           .path = "/apis/events.k8s.io/v1/namespaces/" + event.ns + "/events",
                           .body = event_json(event, options_.controller, options_.instance, options_.now())};
  const auto answer = transport_.call(server, request, kPatience, stop);
  if (!answer) {
    servers_.choose_another(kClient, server);
    return fail(answer.error().message);
  }
  if (answer->status / 100 == 2) return;
  const std::string message = failure_of(*answer).message;
  if (answer->status == 401 || answer->status == 403)
    return fail(denial(answer->status, "creation of events", message));
  fail(std::format("{}: {}", answer->status, message));
}

/// What is wrong with one event may be right with the next: a namespace that is being deleted, a name. That
/// costs one line and a pause too, for events are not worth more.
void PodEvents::fail(const std::string& why) {
  {
    const MutexLock lock(mutex_);
    rests_until_ = clock_.now() + kRest;
    waiting_.clear();
  }
  if (options_.on_failure) options_.on_failure(why);
}

}  // namespace winnow::live
