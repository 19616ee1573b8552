#include "extender/service/metrics/figure_series.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "extender/service/http/message.h"
#include "extender/service/metrics/figures.h"

namespace winnow {
namespace {

prometheus::Gauge* gauge(prometheus::Registry& registry, const char* name, const char* help) {
  return &prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add({});
}

prometheus::Counter* counter(prometheus::Registry& registry, const char* name, const char* help) {
  return &prometheus::BuildCounter().Name(name).Help(help).Register(registry).Add({});
}

/// Raises a counter to a total. A counter can only be added to, so a lower total changes nothing.
void raise_to(prometheus::Counter& counter, double total) {
  const double more = total - counter.Value();
  if (more > 0) counter.Increment(more);
}
void raise_to(prometheus::Counter& counter, std::uint64_t total) {
  raise_to(counter, static_cast<double>(total));
}

constexpr GaugeRow<StateFigures> kStateGauges[] = {
    {"winnow_state_nodes", "Nodes in the picture of the cluster.", &figure<&StateFigures::nodes>},
    {"winnow_state_pods", "Pods in the picture that are bound to a node.", &figure<&StateFigures::pods>},
    {"winnow_state_pending_pods", "Pods in the picture that wait for a node.",
     &figure<&StateFigures::pending_pods>},
    {"winnow_state_groups", "Groups of pods that the rules cannot tell apart.",
     &figure<&StateFigures::groups>},
    {"winnow_state_classes", "Selectors whose pods are counted node by node.",
     &figure<&StateFigures::classes>},
    {"winnow_state_age_seconds", "Time since the last event was applied to the picture.",
     &figure<&StateFigures::age_seconds>},
};

void set_to(prometheus::Gauge* gauge, std::uint64_t value) { gauge->Set(static_cast<double>(value)); }

template <class Number>
void set_if(prometheus::Gauge* gauge, const std::optional<Number>& value) {
  if (gauge != nullptr && value) gauge->Set(static_cast<double>(*value));
}

}  // namespace

StateSeries::StateSeries(prometheus::Registry& registry) : GaugeTable(registry, kStateGauges) {}

DeviceSeries::DeviceSeries(prometheus::Registry& registry)
    : family_(prometheus::BuildGauge()
                  .Name("winnow_devices")
                  .Help("Devices that a DeviceClass selects. Each is allocated, tainted or free.")
                  .Register(registry)) {}

void DeviceSeries::set(std::span<const DeviceFigures> figures) {
  constexpr const char* kStates[] = {"allocated", "tainted", "free"};
  for (auto known = by_class_.begin(); known != by_class_.end();) {
    if (std::ranges::contains(figures, known->first, &DeviceFigures::device_class)) {
      ++known;
      continue;
    }
    for (prometheus::Gauge* gauge : known->second) family_.Remove(gauge);
    known = by_class_.erase(known);
  }
  for (const DeviceFigures& one : figures) {
    const auto [known, is_new] = by_class_.try_emplace(one.device_class);
    for (std::size_t i = 0; is_new && i < std::size(kStates); ++i)
      known->second[i] = &family_.Add({{"class", one.device_class}, {"state", kStates[i]}});
    set_to(known->second[0], one.allocated);
    set_to(known->second[1], one.tainted);
    set_to(known->second[2], one.free);
  }
}

ExpressionSeries::ExpressionSeries(prometheus::Registry& registry)
    : evaluations_(counters(registry, "winnow_expression_evaluations_total",
                            "Evaluations of expressions of rules of the user's own.")),
      errors_(
          counters(registry, "winnow_expression_errors_total", "Of these, those that ended in an error.")),
      cost_(counters(registry, "winnow_expression_cost_total",
                     "What these cost together, in the units of Kubernetes' CEL.")) {}

void ExpressionSeries::set(std::span<const CountedExpression> counted) {
  for (const CountedExpression& one : counted) {
    const prometheus::Labels rule = {{"rule", one.rule}};
    raise_to(evaluations_.Add(rule), one.evaluations);
    raise_to(errors_.Add(rule), one.errors);
    raise_to(cost_.Add(rule), one.cost);
  }
}

HttpSeries::HttpSeries(prometheus::Registry& registry)
    : open_(gauge(registry, "winnow_http_connections_open", "Connections open.")),
      idle_(gauge(registry, "winnow_http_connections_idle", "Connections open without a request.")),
      buffered_(gauge(registry, "winnow_http_buffered_bytes", "Bytes held for requests and unsent answers.")),
      accepted_(counter(registry, "winnow_http_connections_accepted_total", "Connections accepted.")) {
  auto& closed = prometheus::BuildCounter()
                     .Name("winnow_http_connections_closed_total")
                     .Help("Connections closed other than after an answer or a refusal.")
                     .Register(registry);
  idle_expired_ = &closed.Add({{"reason", "idle"}});
  evicted_ = &closed.Add({{"reason", "evicted"}});
  client_gone_ = &closed.Add({{"reason", "client_gone"}});
  auto& refused = prometheus::BuildCounter()
                      .Name("winnow_http_refused_total")
                      .Help("Requests refused and connections given up by the listener.")
                      .Register(registry);
  for (std::size_t i = 0; i < http::kCauses; ++i) {
    refused_[i] = &refused.Add({{"cause", std::string(http::to_string(static_cast<http::Cause>(i)))}});
  }
}

void HttpSeries::set(const http::Counters& counters) {
  set_to(open_, counters.open);
  set_to(idle_, counters.idle);
  set_to(buffered_, counters.buffered_bytes);
  raise_to(*accepted_, counters.accepted);
  raise_to(*idle_expired_, counters.idle_expired);
  raise_to(*evicted_, counters.evicted);
  raise_to(*client_gone_, counters.client_gone);
  for (std::size_t i = 0; i < http::kCauses; ++i) raise_to(*refused_[i], counters.refused[i]);
}

ProcessSeries::ProcessSeries(prometheus::Registry& registry) {
  const ProcessFigures now = read_process();
  const auto gauge_if = [&](bool readable, const char* name, const char* help) {
    return readable ? gauge(registry, name, help) : nullptr;
  };
  if (now.cpu_seconds) {
    cpu_ = counter(registry, "process_cpu_seconds_total",
                   "CPU time of all threads, user and system, in seconds.");
  }
  start_ = gauge_if(now.start_time.has_value(), "process_start_time_seconds",
                    "When the process started, in seconds since 1970.");
  resident_ =
      gauge_if(now.resident_bytes.has_value(), "process_resident_memory_bytes", "Memory resident, in bytes.");
  virtual_ = gauge_if(now.virtual_bytes.has_value(), "process_virtual_memory_bytes",
                      "Address space in use, in bytes.");
  threads_ = gauge_if(now.threads.has_value(), "process_threads", "Threads of the process.");
  open_fds_ = gauge_if(now.open_fds.has_value(), "process_open_fds", "File descriptors open.");
  max_fds_ =
      gauge_if(now.max_fds.has_value(), "process_max_fds", "File descriptors that may be open at once.");
  set(now);
}

void ProcessSeries::set(const ProcessFigures& figures) {
  if (cpu_ != nullptr && figures.cpu_seconds) raise_to(*cpu_, *figures.cpu_seconds);
  set_if(start_, figures.start_time);
  set_if(resident_, figures.resident_bytes);
  set_if(virtual_, figures.virtual_bytes);
  set_if(threads_, figures.threads);
  set_if(open_fds_, figures.open_fds);
  set_if(max_fds_, figures.max_fds);
}

namespace {

std::string read_whole(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t first = text.find_first_not_of(" \n");
    if (first == std::string_view::npos) return words;
    text.remove_prefix(first);
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

std::optional<double> ticks_to_seconds(std::optional<std::uint64_t> ticks) {
  const long per_second = sysconf(_SC_CLK_TCK);
  if (!ticks || per_second <= 0) return std::nullopt;
  return static_cast<double>(*ticks) / static_cast<double>(per_second);
}

/// The time of the machine's start, in seconds since 1970.
std::optional<std::uint64_t> boot_time() {
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("btime ")) return number_in(std::string_view(line).substr(6));
  return std::nullopt;
}

/// Reads /proc/self/stat; see proc(5). The name before the numbers may contain spaces and parentheses.
void read_stat(ProcessFigures& figures) {
  const std::string text = read_whole("/proc/self/stat");
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return;
  const auto words = split(std::string_view(text).substr(name_end + 1));
  // Fields are numbered from 1, and the name is the second.
  const auto field = [&](std::size_t number) -> std::optional<std::uint64_t> {
    return words.size() > number - 3 ? number_in(words[number - 3]) : std::nullopt;
  };
  const auto user = field(14);
  const auto system = field(15);
  if (user && system) figures.cpu_seconds = ticks_to_seconds(*user + *system);
  figures.threads = field(20);
  const auto boot = boot_time();
  const auto started = ticks_to_seconds(field(22));
  if (boot && started) figures.start_time = static_cast<double>(*boot) + *started;
  figures.virtual_bytes = field(23);
  const auto pages = field(24);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  if (pages && page_bytes > 0) figures.resident_bytes = *pages * static_cast<std::uint64_t>(page_bytes);
}

std::optional<std::uint64_t> count_open_fds() {
  std::error_code error;
  std::uint64_t count = 0;
  std::filesystem::directory_iterator entry("/proc/self/fd", error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) ++count;
  // One of them is open to read the directory.
  if (error || count == 0) return std::nullopt;
  return count - 1;
}

}  // namespace

ProcessFigures read_process() {
  ProcessFigures figures;
  read_stat(figures);
  figures.open_fds = count_open_fds();
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    figures.max_fds = limit.rlim_cur;
  return figures;
}

std::string_view to_string(NominationOutcome outcome) {
  constexpr std::string_view kTexts[kNominationOutcomes] = {
      "followed", "elsewhere",      "refused",  "unfollowed", "cleared",     "overruled", "pod_changed",
      "pod_gone", "no_longer_fits", "rejected", "denied",     "not_leading", "left_out"};
  return kTexts[static_cast<std::size_t>(outcome)];
}

std::string_view to_string(WhyNotNominated why) {
  constexpr std::string_view kTexts[kWhysNotNominated] = {
      "scheduling_gates", "pod_group", "resource_claims", "devices", "claim_missing", "volume_missing"};
  return kTexts[static_cast<std::size_t>(why)];
}

}  // namespace winnow
