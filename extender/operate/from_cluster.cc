// The checks of a live cluster: who Winnow is, what it may do, clock, version, and places held for pods.
#include <algorithm>
#include <format>
#include <iterator>

#include "cluster/api/decode.h"
#include "cluster/client/watch/lister.h"
#include "cluster/state/held_places.h"
#include "cluster/state/state.h"
#include "cluster/text/encoding.h"
#include "extender/config/rules.h"
#include "extender/operate/api_answers.h"
#include "extender/operate/cluster_uses.h"
#include "extender/operate/diagnosis.h"
#include "extender/operate/doctor.h"
#include "extender/operate/held_leases.h"
#include "extender/operate/reasons.h"
#include "extender/operate/rights.h"

namespace winnow {
namespace {

constexpr std::chrono::seconds kClocksMayDiffer{5};
/// The release whose plugins today's rules are.
constexpr int kRulesOf = 37;
/// The first release that serves MutatingAdmissionPolicy as v1, which adds the gate.
constexpr int kHasGatePolicy = 36;

class ClusterExam {
 public:
  ClusterExam(const ClusterQuestions& asked, Diagnoses& found) : asked_(asked), found_(found) {}

  std::optional<std::string> run() {
    if (auto wrong = ask_who(); !wrong.empty()) return wrong;
    check_rights();
    check_clock();
    check_version();
    if (asked_.setup.nominate) check_nominators({asked_, now(), subject()}, found_);
    check_gated_pods({asked_, now(), subject()}, found_);
    check_held_places({asked_, now(), subject()}, found_);
    return std::nullopt;
  }

 private:
  /// By the cluster's clock, as far as it is known.
  WallTime now() const { return who_.now.value_or(asked_.now()); }

  std::expected<std::string, std::string> post(std::string path, std::string body) const {
    auto answer = asked_.ask({.method = "POST", .path = std::move(path), .body = std::move(body)});
    if (!answer) return std::unexpected(std::move(answer).error());
    if (answer->status / 100 != 2)
      return std::unexpected(std::format("{}: {}", answer->status, said_in_status(answer->body)));
    return std::move(answer->body);
  }

  std::string ask_who() {
    constexpr std::string_view kReview =
        R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})";
    asked_at_ = asked_.now();
    const auto answer = asked_.ask({.method = "POST",
                                    .path = "/apis/authentication.k8s.io/v1/selfsubjectreviews",
                                    .body = std::string(kReview)});
    answered_at_ = asked_.now();
    if (!answer)
      return std::format("the API server: {}; 'kubectl cluster-info' tells whether it can be reached",
                         answer.error());
    if (answer->status / 100 != 2)
      return std::format("the API server: {}: {}; {}", answer->status, said_in_status(answer->body),
                         what_to_do(answer->status));
    const auto who = read_who_am_i(answer->body);
    if (!who) return "the API server does not say who asks: expected kube-apiserver 1.28 or later";
    who_ = *who;
    found_.ok("api-server", std::format("answers to {}", who_.user));
    return {};
  }

  static std::string_view what_to_do(int status) {
    if (status == 401) return "log in anew, or choose another --kubeconfig or --context";
    if (status == 403)
      return "expected the ClusterRole system:basic-user, which Kubernetes binds to all users";
    if (status == 404) return "expected kube-apiserver 1.28 or later there";
    return "ask again, or ask another API server by --master";
  }

  std::string subject() const { return asked_.user.empty() ? who_.user : asked_.user; }

  void check_rights() {
    std::size_t count = 0;
    bool all = true;
    for (const NeededRights& needed : rights_needed(asked_.rules, asked_.setup, subject())) {
      count += needed.rights.size();
      all = check_role(needed) && all;
    }
    if (all)
      found_.ok("rights", std::format("{} may do all that Winnow asks for: {} rights", subject(), count));
  }

  bool check_role(const NeededRights& needed) {
    std::string text;
    std::vector<Right> denied;
    for (const Right& right : needed.rights) {
      const auto body = post(asked_.user.empty() ? "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
                                                 : "/apis/authorization.k8s.io/v1/subjectaccessreviews",
                             review_body(right, asked_.user));
      if (!body) {
        found_.skipped("rights",
                       "the API server does not say what " + subject() + " may do: " + body.error());
        return false;
      }
      if (read_allowed(*body).value_or(false)) continue;
      text += (denied.empty() ? "" : ", ") + to_text(right);
      denied.push_back(right);
    }
    if (denied.empty()) return true;
    const std::string what = std::format("{} may not {} (for {})", subject(), text, needed.needed_for);
    const std::string mend = command_to_mend(needed, denied, subject());
    if (needed.optional)
      found_.warning("rights", what, mend);
    else
      found_.error("rights", what, mend);
    return false;
  }

  void check_clock() {
    if (!who_.now) return found_.skipped("clock", "the API server does not tell its time");
    // Somewhere between the question and the answer the server has looked at its clock.
    const WallTime here = std::clamp(*who_.now, asked_at_, std::max(asked_at_, answered_at_));
    const auto ahead = std::chrono::round<std::chrono::seconds>(here - *who_.now);
    if (std::chrono::abs(ahead) <= kClocksMayDiffer)
      return found_.ok("clock", "it agrees with the API server's");
    found_.error(
        "clock",
        std::format("this machine is {} s {} the API server: certificates and tokens may be refused, and "
                    "Leases look older or younger than they are",
                    std::chrono::abs(ahead).count(), ahead.count() > 0 ? "ahead of" : "behind"),
        "timedatectl set-ntp true");
  }

  void check_version() {
    const auto answer = asked_.ask({.method = "GET", .path = "/version", .body = ""});
    const int minor = answer && answer->status == 200 ? read_minor_version(answer->body) : 0;
    if (minor == 0) return found_.skipped("version", "the API server does not tell its version");
    const std::string version = std::format("1.{}", minor);
    if (minor > kRulesOf && asked_.rules.sets.front().generation == Generation::kToday)
      found_.warning("version",
                     std::format("the cluster is of {}, and the rules are those of 1.{}", version, kRulesOf),
                     "see manifests and docs of a Winnow for that release");
    else if (asked_.setup.removes_gate && minor < kHasGatePolicy)
      found_.error("version",
                   std::format("the cluster is of {}, and manifests/nominator-gate.yaml needs 1.{}", version,
                               kHasGatePolicy),
                   "add the gate by a webhook, or in the pods' templates");
    else
      found_.ok("version", std::format("the cluster is of {}", version));
    if (asked_.file != nullptr && minor < kAsksAboutAll) check_who_preempts(version);
  }

  /// Up to 1.37 kube-scheduler looks for victims by its own filters alone.
  void check_who_preempts(const std::string& version) {
    for (const SchedulerProfile& profile : asked_.file->setup.profiles)
      for (const std::string_view plugin : kKeptFilters)
        if (!profile.runs(plugin, Point::kFilter)) tell_of_missing_filter(profile, plugin, version);
  }

  void tell_of_missing_filter(const SchedulerProfile& profile, std::string_view plugin,
                              const std::string& version) {
    const bool nobody_preempts = asked_.uses != nullptr && asked_.uses->preempting_class.empty();
    found_.add(nobody_preempts ? Health::kWarning : Health::kError, "version",
               std::format("{}: {}: {} is disabled, and kube-scheduler {} preempts for nobody without it{}",
                           asked_.file->name, profile.path, plugin, version,
                           nobody_preempts ? "; no PriorityClass of your own preempts" : ""),
               std::format("remove {} from plugins.filter.disabled", plugin));
  }

  const ClusterQuestions& asked_;
  Diagnoses& found_;
  WhoAmI who_;
  WallTime asked_at_, answered_at_;  ///< By this machine's clock: the question who asks.
};

}  // namespace

std::optional<std::string> examine_cluster(const ClusterQuestions& asked, Diagnoses& found) {
  return ClusterExam(asked, found).run();
}

// The check of places that are held in the cluster for pods that kube-scheduler does not try.

namespace {

constexpr int kMostPodPages = 20;
/// A pod that is nominated is tried within a second, unless many wait before it.
constexpr double kMayWait = 30;
constexpr std::size_t kMostTold = 3;

/// Puts the nominated pods of one page into the state. Whoever cannot be read is left out.
/// @return where the next page begins, or one line.
std::expected<std::string, std::string> add_nominated(const std::string& body, State& state) {
  const auto page = live::read_list_page(body);
  if (!page) return std::unexpected("no list of pods: " + page.error());
  for (const std::string_view item : page->items)
    if (const auto pod = decode_pod(item);
        pod && !pod->status.nominated_node_name.empty() && pod->spec.node_name.empty())
      state.set_pod(*pod);
  return page->next;
}

/// Those of Winnow's nominations whose pods kube-scheduler has not tried for long, the oldest first.
std::vector<HeldPlace> held_for_nobody(const State& state, WallTime now) {
  std::vector<HeldPlace> places = held_places(state, nullptr, HeldClocks{.steady = {}, .wall = now});
  std::erase_if(places, [](const HeldPlace& place) {
    return place.by != HeldBy::kNomination || place.tried != HeldTried::kNever ||
           place.seconds.value_or(0) <= kMayWait;
  });
  std::ranges::stable_sort(places, std::ranges::greater{},
                           [](const HeldPlace& place) { return place.seconds; });
  return places;
}

std::string told(const std::vector<HeldPlace>& places) {
  std::string text;
  const std::size_t count = std::min(places.size(), kMostTold);
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : "; ") + to_text(places[i]);
  if (places.size() > count) text += std::format("; and {} more", places.size() - count);
  return text;
}

}  // namespace

void check_held_places(const CheckedCluster& cluster, Diagnoses& found) {
  State state;
  std::string next;
  for (int page = 0; page == 0 || (!next.empty() && page < kMostPodPages); ++page) {
    std::string path = "/api/v1/pods?fieldSelector=spec.nodeName%3D&limit=500";
    if (!next.empty()) path += "&continue=" + percent_encoded(next);
    const auto body = get_body(cluster.asked.ask, std::move(path));
    if (!body) return found.skipped("held-places", "pods are not shown: " + body.error());
    auto after = add_nominated(*body, state);
    if (!after) return found.skipped("held-places", "pods are not shown: " + after.error());
    next = std::move(*after);
  }
  const std::vector<HeldPlace> places = held_for_nobody(state, cluster.now);
  if (places.empty())
    return found.ok("held-places", std::format("no place is held for a pod that kube-scheduler has not tried "
                                               "for {:.0f} s",
                                               kMayWait));
  const LeaseName lease{lease_namespace(cluster.asked.setup, cluster.subject),
                        cluster.asked.setup.lease_name};
  const auto held = find_held_leases(cluster.asked.ask, lease, cluster.now);
  const bool led = held && !held->leases.empty();
  found.add(led ? Health::kWarning : Health::kError, "held-places",
            told(places) + (led ? "" : "; and no Winnow is seen that would take them back"),
            led ? "docs/operate.md, \"WinnowPlaceHeldForNobody\"" : "winnow withdraw");
}

}  // namespace winnow
