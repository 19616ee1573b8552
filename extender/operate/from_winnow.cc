// The checks of files (those of `winnow check`, each with what mends it), and of a Winnow that runs.
#include <algorithm>
#include <array>
#include <charconv>
#include <format>
#include <functional>
#include <ranges>
#include <set>
#include <string>
#include <vector>

#include "cluster/client/access/server_url.h"
#include "cluster/text/characters.h"
#include "extender/config/extenders.h"
#include "extender/operate/diagnosis.h"
#include "extender/operate/doctor.h"
#include "extender/operate/setup_check.h"
#include "extender/service/setup_notes.h"

namespace winnow {

namespace {

/// Whether kube-scheduler asks a Winnow beside the nominations. Any other extender is none, even if it is the
/// only one.
bool asks_winnow(const SchedulerSetup& setup, const StartFlags& flags) {
  const ExtenderStanza* const found = find_winnow(setup, flags);
  if (found == nullptr) return false;
  const auto url = live::parse_server_url(found->url_prefix);
  return url && url->port == flags.port.value_or(kDefaultPort);
}

void check_beside_nominations(const SchedulerFile& file, Diagnoses& found) {
  found.ok("scheduler-config",
           file.name + ": kube-scheduler asks no Winnow, as it is where Winnow nominates");
  for (const ExtenderStanza& other : file.setup.extenders)
    if (!other.filter_verb.empty())
      found.warning("scheduler-config",
                    std::format("{}: {}.filterVerb: Winnow does not ask this extender, so what it refuses is "
                                "nominated in vain",
                                file.name, other.path),
                    "nominate for the profiles alone whose pods it has no say in: --nominate-schedulers=A,B");
}

}  // namespace

void examine_files(const SchedulerFile& file, const LoadedRules& rules, const DoctorSetup& setup,
                   Diagnoses& found, const ClusterUses* uses) {
  // A nominator is not asked: kube-scheduler's file needs nothing for it.
  if (setup.nominate && !asks_winnow(file.setup, setup.start)) return check_beside_nominations(file, found);
  bool has_findings = false;
  for (const Finding& one : check_setup(file.setup, rules.sets, setup.start, uses)) {
    found.add(one.is_error ? Health::kError : Health::kWarning, "scheduler-config",
              std::format("{}: {}: {}", file.name, one.where, one.what), one.mend);
    has_findings = true;
  }
  if (!has_findings) found.ok("scheduler-config", file.name + ": it fits Winnow's rules and flags");
}

// The checks of a Winnow that runs: what it says of itself, and kube-scheduler's metrics beside it.

namespace {

/// Nominations or calls below this prove nothing.
constexpr double kEnough = 20;
/// In seconds. A pod that is nominated is tried within one, unless many wait before it.
constexpr double kMayWaitUntried = 30;

bool is_call(const Sample& sample) {
  const std::string_view verb = sample.label("verb");
  return verb == "filter" || verb == "prioritize" || verb == "preempt";
}

class WinnowExam {
 public:
  WinnowExam(const RunningWinnow& winnow, const Samples* scheduler, const DoctorSetup& setup,
             Diagnoses& found)
      : winnow_(winnow), scheduler_(scheduler), setup_(setup), found_(found) {}

  void run() {
    check_ready();
    check_rules();
    check_watches();
    if (setup_.nominate)
      check_nominations();
    else
      check_calls();
    check_places();
    check_setup_problems();
    check_sampling();
    check_profiles();
  }

 private:
  double sum(std::string_view name, const std::function<bool(const Sample&)>& counts = {}) const {
    return sum_of(winnow_.metrics, name, counts);
  }

  void check_ready() {
    if (winnow_.ready_status == 200 && winnow_.ready_text.contains("not read"))
      return found_.warning("ready", "/readyz: " + one_line(winnow_.ready_text),
                            winnow_.ready_text.contains("no API server serves")
                                ? "docs/operate.md, \"A kind that Winnow does without\""
                                : "winnow doctor --kubeconfig FILE shows which right is missing");
    if (winnow_.ready_status == 200) return found_.ok("ready", "/readyz: ok");
    const std::string answer =
        winnow_.ready_status == 0 ? "not answered" : std::format("answered {}", winnow_.ready_status);
    found_.error("ready", std::format("/readyz is {}: {}", answer, winnow_.ready_text),
                 "docs/operate.md, \"Signs, and what they mean\"");
  }

  void check_rules() {
    if (winnow_.other_rules.empty()) return;
    found_.error("rules", "Winnow runs other rules than --config: " + winnow_.other_rules,
                 "give it this file by --config, or look at GET /rules");
  }

  double age_of(std::string_view resource) const {
    return sum("winnow_watch_age_seconds",
               [resource](const Sample& one) { return one.label("resource") == resource; });
  }

  void check_watches() {
    const auto resources = [&](std::string_view metric, bool is_set) {
      std::string list;
      for (const Sample& sample : winnow_.metrics)
        if (sample.name == metric && (sample.value != 0) == is_set)
          list += std::format("{}{}", list.empty() ? "" : ", ", sample.label("resource"));
      return list;
    };
    const std::string never = resources("winnow_watch_synced", false);
    const std::string unread = resources("winnow_watch_unread", true);
    if (!unread.empty())
      found_.warning("watches", "not read, so that Winnow answers without: " + unread,
                     "docs/operate.md, \"A kind that Winnow does without\"");
    if (!never.empty())
      found_.error("watches", "never listed: " + never,
                   "winnow doctor --kubeconfig FILE shows which right is missing");
    // How long silence may last depends on the watch, and serve says itself what it counts as stale.
    const std::string stale = resources("winnow_watch_stale", true);
    double silent = 0;
    for (const Sample& sample : winnow_.metrics)
      if (sample.name == "winnow_watch_stale" && sample.value > 0)
        silent = std::max(silent, age_of(sample.label("resource")));
    if (!stale.empty())
      found_.error("watches",
                   std::format("the API servers have been silent about {} for {:.0f} s: the cache is stale",
                               stale, silent),
                   "docs/operate.md, \"WinnowWatchSilent\"");
    else if (never.empty() && unread.empty())
      found_.ok("watches", std::format("all resources are listed; the last word is {:.0f} s old",
                                       most_of(winnow_.metrics, "winnow_watch_age_seconds")));
  }

  double attempts() const {
    return scheduler_ == nullptr ? 0 : sum_of(*scheduler_, "scheduler_schedule_attempts_total");
  }

  void check_calls() {
    const double calls = sum("winnow_requests_total", is_call);
    const double failed = sum("winnow_requests_total",
                              [](const Sample& one) { return is_call(one) && one.label("result") != "ok"; });
    const double waiting = sum("winnow_state_pending_pods");
    if (calls == 0 && attempts() > 0) return tell_of_silence();
    if (calls == 0 && waiting > 0)
      return found_.warning(
          "calls", std::format("{:.0f} pods wait, and kube-scheduler has not asked Winnow", waiting),
          "winnow doctor --scheduler-config FILE shows why; kube-scheduler reads it at its start");
    if (calls == 0) return found_.skipped("calls", "kube-scheduler has not called, and no pod waits");
    if (failed * 10 > calls)
      return found_.error("calls", std::format("{:.0f} of {:.0f} calls had no good answer", failed, calls),
                          "docs/operate.md, \"WinnowErrors\"");
    found_.ok("calls", std::format("kube-scheduler has called {:.0f} times", calls));
  }

  /// kube-scheduler counts from its own start. What it has tried before Winnow's start proves nothing.
  void tell_of_silence() {
    constexpr std::string_view kStart = "process_start_time_seconds";
    const double winnow = most_of(winnow_.metrics, kStart);
    const double scheduler = most_of(*scheduler_, kStart);
    if (winnow > scheduler && scheduler > 0)
      return found_.warning(
          "calls",
          std::format("kube-scheduler has tried {:.0f} pods, and has not asked Winnow, which started later",
                      attempts()),
          "ask again when kube-scheduler has tried another pod, or look at its file: "
          "winnow doctor --scheduler-config FILE");
    found_.error("calls",
                 std::format("kube-scheduler has tried {:.0f} pods, and has not asked Winnow", attempts()),
                 "winnow doctor --scheduler-config FILE shows why; kube-scheduler reads it at its start");
  }

  void check_nominations() {
    const auto of = [this](std::string_view outcome) {
      return sum("winnow_nominations_total",
                 [outcome](const Sample& one) { return one.label("outcome") == outcome; });
    };
    const double followed = of("followed");
    const double not_followed = of("elsewhere") + of("refused") + of("unfollowed");
    if (followed + not_followed < kEnough)
      return found_.skipped("nominations", std::format("{:.0f} nominations have ended, which proves nothing",
                                                       followed + not_followed));
    if (not_followed > followed)
      return found_.error("nominations",
                          std::format("kube-scheduler has followed {:.0f} nominations, and {:.0f} not",
                                      followed, not_followed),
                          "winnow configure --scheduler-config FILE --way nominate: Winnow's rules are "
                          "kube-scheduler's then");
    found_.ok("nominations", std::format("kube-scheduler has followed {:.0f} nominations of {:.0f}", followed,
                                         followed + not_followed));
  }

  /// The metric is there in each Winnow, and 0 where nothing is nominated.
  void check_places() {
    const double untried = sum("winnow_places_held_untried_seconds");
    if (untried <= kMayWaitUntried) return;
    const double places =
        sum("winnow_places_held", [](const Sample& one) { return one.label("by") == "nomination"; });
    found_.warning(
        "held-places",
        std::format("of {:.0f} places that are held for nominated pods, one is for a pod that kube-scheduler "
                    "has not tried for {:.0f} s",
                    places, untried),
        "winnow doctor --kubeconfig FILE names the pods; docs/operate.md, \"WinnowPlaceHeldForNobody\"");
  }

  void check_setup_problems() {
    for (std::size_t i = 0; i < kSetupProblems; ++i) {
      const SetupProblem problem = static_cast<SetupProblem>(i);
      const double is_so = sum("winnow_setup_problems", [problem](const Sample& one) {
        return one.label("problem") == to_string(problem);
      });
      if (is_so > 0) found_.error("calls", std::string(meaning(problem)), std::string(line_of(problem)));
    }
  }

  void check_sampling() {
    const double sampled = sum("winnow_sampled_calls_total");
    if (sampled == 0) return;
    if (sum("winnow_nominates_refused") != 0)
      return found_.ok(
          "sampling",
          std::format("kube-scheduler has shown Winnow a sample of the nodes in {:.0f} calls; pods "
                      "that only another node fits are nominated",
                      sampled));
    found_.error(
        "sampling",
        std::format("kube-scheduler has shown Winnow a sample of the nodes in {:.0f} calls", sampled),
        "percentageOfNodesToScore: 100, or --nominate-refused and the right to patch pods/status");
  }

  /// kube-scheduler counts by profile; pods of one that Winnow has no rules for get errors.
  void check_profiles() {
    if (scheduler_ == nullptr || winnow_.profiles.empty() || std::ranges::contains(winnow_.profiles, ""))
      return;
    std::set<std::string, std::less<>> unknown;
    for (const Sample& sample : *scheduler_) {
      const std::string profile(sample.label("profile"));
      if (sample.name == "scheduler_schedule_attempts_total" && sample.value != 0 && !profile.empty() &&
          !std::ranges::contains(winnow_.profiles, profile))
        unknown.insert(profile);
    }
    for (const std::string& profile : unknown)
      found_.error("profiles", "kube-scheduler has pods of a profile that Winnow's rules lack: " + profile,
                   std::format("in Winnow's rules, under profiles: - schedulerName: {}", profile));
  }

  const RunningWinnow& winnow_;
  const Samples* scheduler_;
  const DoctorSetup& setup_;
  Diagnoses& found_;
};

}  // namespace

void examine_winnow(const RunningWinnow& winnow, const Samples* scheduler, const DoctorSetup& setup,
                    Diagnoses& found) {
  WinnowExam(winnow, scheduler, setup, found).run();
}

void examine_denied(const Samples& winnow, Diagnoses& found) {
  constexpr std::string_view kDenied = "winnow_apiserver_denied_total";
  const double denied = sum_of(winnow, kDenied, {});
  if (denied == 0) return;
  std::string what = std::format("API servers have denied {:.0f} requests", denied);
  const auto is_403 = [](const Sample& one) { return one.label("code") == "403"; };
  if (sum_of(winnow, kDenied, is_403) == 0)
    return found.warning("denied", std::move(what), "docs/operate.md, \"Credentials and rights\"");
  const auto rights = std::ranges::find(found.all(), "rights", &Diagnosis::check);
  if (rights != found.all().end() && rights->health == Health::kOk)
    return found.warning("denied", what + "; the rights are there now; the count is since Winnow's start",
                         "");
  found.warning("denied", std::move(what), "winnow doctor --kubeconfig FILE shows which right is missing");
}

// The flags of a Winnow that runs, from its /flagz.

namespace {

/// What the page says of a flag that names a file or a gate where there is none.
constexpr std::string_view kNoValue = "none";

bool is_on(std::string_view value) { return value == "true"; }

AnswerMode answer_of(std::string_view word) {
  return word == "best" ? AnswerMode::kBest : word == "one" ? AnswerMode::kOne : AnswerMode::kComplete;
}

void take_port(std::string_view value, DoctorSetup& setup) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), port);
  if (error == std::errc() && end == value.data() + value.size()) setup.start.port = port;
}

void take_gate(std::string_view value, DoctorSetup& setup) {
  setup.removes_gate = !value.empty() && value != kNoValue;
  if (setup.removes_gate) setup.gate = value;
}

/// The page says of a flag that is not given what holds then, in words.
void take_lease_namespace(std::string_view value, DoctorSetup& setup) {
  setup.lease_namespace = value.contains(' ') ? "" : value;
}

std::vector<std::string> words_of(std::string_view value) {
  std::vector<std::string> words;
  for (const auto word : std::views::split(value, ','))
    if (!word.empty()) words.emplace_back(word.begin(), word.end());
  return words;
}

/// A flag, and how its value is taken.
struct Taken {
  std::string_view flag;
  void (*take)(std::string_view value, DoctorSetup& setup);
};
constexpr auto kTaken = std::to_array<Taken>({
    {"answer", [](std::string_view value, DoctorSetup& s) { s.start.answer = answer_of(value); }},
    {"enable-bind", [](std::string_view value, DoctorSetup& s) { s.start.enable_bind = is_on(value); }},
    {"nominate-refused",
     [](std::string_view value, DoctorSetup& s) { s.start.nominate_refused = is_on(value); }},
    {"allow-missing-rules",
     [](std::string_view value, DoctorSetup& s) { s.start.allow_missing_rules = is_on(value); }},
    {"scheduler-filters",
     [](std::string_view value, DoctorSetup& s) { s.start.scheduler_filters = words_of(value); }},
    {"bind-address",
     [](std::string_view value, DoctorSetup& s) { s.start.bind_address = std::string(value); }},
    {"port", take_port},
    {"path-prefix",
     [](std::string_view value, DoctorSetup& s) { s.start.path_prefix = value == kNoValue ? "" : value; }},
    {"tls-cert-file", [](std::string_view value, DoctorSetup& s) { s.start.tls_cert_file = value; }},
    {"client-ca-file", [](std::string_view value, DoctorSetup& s) { s.start.client_ca_file = value; }},
    {"nominate", [](std::string_view value, DoctorSetup& s) { s.nominate = is_on(value); }},
    {"nominate-gate", take_gate},
    {"nominate-events", [](std::string_view value, DoctorSetup& s) { s.writes_events = is_on(value); }},
    {"leader-elect", [](std::string_view value, DoctorSetup& s) { s.elects = is_on(value); }},
    {"leader-elect-resource-name", [](std::string_view value, DoctorSetup& s) { s.lease_name = value; }},
    {"leader-elect-resource-namespace", take_lease_namespace},
    {"discover-api-servers", [](std::string_view value, DoctorSetup& s) { s.discovers = is_on(value); }},
    {"node-metrics",
     [](std::string_view value, DoctorSetup& s) {
       s.asks_metrics_server = std::ranges::contains(words_of(value), "metrics-server");
     }},
    {"authorization-webhook",
     [](std::string_view value, DoctorSetup& s) { s.reviews_tokens = value == "apiserver"; }},
});

}  // namespace

void take_flags(const std::string& page, DoctorSetup& setup) {
  std::string_view rest = page;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const auto taken = std::ranges::find(kTaken, line.substr(0, equals), &Taken::flag);
    if (taken != kTaken.end()) taken->take(line.substr(equals + 1), setup);
  }
}

}  // namespace winnow
