#include "extender/operate/setup_check.h"

#include <algorithm>
#include <format>

#include "cluster/client/access/server_url.h"
#include "extender/config/scheduler_setup.h"

namespace winnow {

const ExtenderStanza* find_winnow(const SchedulerSetup& setup, const StartFlags& flags) {
  if (setup.extenders.size() == 1) return &setup.extenders.front();
  const auto is_here = [&](const ExtenderStanza& stanza) {
    const auto url = live::parse_server_url(stanza.url_prefix);
    return url && url->port == flags.port.value_or(kDefaultPort);
  };
  const auto found = std::ranges::find_if(setup.extenders, is_here);
  return found == setup.extenders.end() ? nullptr : &*found;
}

std::vector<Finding> check_setup(const SchedulerSetup& setup, const std::vector<RuleSet>& rules,
                                 const StartFlags& flags, const ClusterUses* uses) {
  Findings findings;
  const ExtenderStanza* const winnow = find_winnow(setup, flags);
  if (winnow == nullptr) {
    findings.error("extenders",
                   setup.extenders.empty()
                       ? "is missing: kube-scheduler does not ask Winnow"
                       : std::format("none of them has Winnow's port, {}", flags.port.value_or(kDefaultPort)),
                   "winnow configure adds Winnow's entry");
    return findings.take();
  }
  check_extender({setup, *winnow, rules, flags, uses}, findings);
  check_profiles({setup, *winnow, rules, flags, uses}, findings);
  return findings.take();
}

// Checks Winnow's entry among kube-scheduler's extenders.
//
// The same problem may be an error or a warning. It is an error where pods would be placed against rules: for
// example where kube-scheduler has disabled filters and so relies on Winnow's.

namespace {

/// A verb of kube-scheduler's file, and Winnow's paths for it.
struct VerbField {
  std::string_view field;
  std::string ExtenderStanza::* verb;
  std::string_view path;
  std::string_view alias;
};
constexpr VerbField kVerbs[] = {
    {"filterVerb", &ExtenderStanza::filter_verb, "filter", "predicates"},
    {"prioritizeVerb", &ExtenderStanza::prioritize_verb, "prioritize", "priorities"},
    {"preemptVerb", &ExtenderStanza::preempt_verb, "preempt", ""},
    {"bindVerb", &ExtenderStanza::bind_verb, "bind", ""},
};

class ExtenderCheck {
 public:
  ExtenderCheck(const CheckInput& all, Findings& findings)
      : all_(all), stanza_(all.winnow), flags_(all.flags), findings_(findings) {
    leaves_checks_ = std::ranges::any_of(all.setup.profiles, [](const SchedulerProfile& profile) {
      return !profile.disabled_filters().empty();
    });
  }

  void check() {
    check_address();
    check_certificates();
    for (const VerbField& verb : kVerbs) check_path(verb);
    check_what_is_asked();
    check_preemption();
    check_binding();
    check_form();
    check_failing();
    check_others();
  }

 private:
  bool best() const { return flags_.answer == AnswerMode::kBest; }
  bool picks() const { return flags_.answer != AnswerMode::kComplete; }
  bool filters() const { return !stanza_.filter_verb.empty(); }
  std::string at(std::string_view field) const { return std::format("{}.{}", stanza_.path, field); }
  /// @param value  that the field should have.
  void add(bool is_error, std::string_view field, std::string what, std::string_view value) {
    findings_.add(is_error, at(field), std::move(what), std::format("{}: {}", field, value));
  }
  void error(std::string_view field, std::string what, std::string_view value) {
    add(true, field, std::move(what), value);
  }
  void warning(std::string_view field, std::string what, std::string_view value) {
    add(false, field, std::move(what), value);
  }

  void check_address() {
    auto url = live::parse_server_url(stanza_.url_prefix);
    const bool tls = !flags_.tls_cert_file.empty();
    const std::uint16_t port = flags_.port.value_or(kDefaultPort);
    const bool on_loopback = (flags_.enable_bind && flags_.client_ca_file.empty()) ||
                             (flags_.bind_address && live::is_loopback(*flags_.bind_address));
    const bool keeps_host = url && !(on_loopback && !live::is_loopback(url->host));
    const live::ServerUrl right{
        .tls = tls, .host = keeps_host ? url->host : "127.0.0.1", .port = port, .path = ""};
    const std::string expected = (tls ? "https://" : "http://") + right.authority() + flags_.path_prefix;
    if (!url) return error("urlPrefix", url.error(), expected);
    if (url->tls && !tls)
      error("urlPrefix", "Winnow speaks plain http: expected http://, or --tls-cert-file for Winnow",
            expected);
    if (!url->tls && tls)
      error("urlPrefix", "Winnow speaks TLS, by --tls-cert-file: expected https://", expected);
    if (url->port != port)
      error("urlPrefix", std::format("port {}: Winnow listens on {}", url->port, port), expected);
    // By another name kube-scheduler may reach it, and its Host is refused.
    if (!keeps_host)
      error("urlPrefix", std::format("{}: Winnow listens on loopback alone", url->host), expected);
    prefix_ = std::move(url->path);
  }

  /// Upstream: makeTransport of pkg/scheduler/extender.go v1.37.0 checks no certificate without an authority.
  void check_certificates() {
    if (flags_.tls_cert_file.empty()) return;
    if (!stanza_.names_authority)
      warning("tlsConfig", "has no caFile: kube-scheduler takes any certificate for Winnow's",
              "{caFile: FILE}  # the authority of Winnow's certificate");
    if (!flags_.client_ca_file.empty() && !stanza_.shows_certificate)
      error("tlsConfig",
            "has no certFile: Winnow, by --client-ca-file, answers 401 to who shows no certificate",
            "{certFile: FILE, keyFile: FILE}  # a certificate of that authority");
  }

  void check_path(const VerbField& verb) {
    const std::string& word = stanza_.*verb.verb;
    const auto is_at = [&, asked = prefix_ + '/' + word](std::string_view path) {
      return !path.empty() && asked == flags_.path_prefix + '/' + std::string(path);
    };
    if (word.empty() || is_at(verb.path) || is_at(verb.alias)) return;
    std::string prefix;
    if (prefix_ != flags_.path_prefix)
      prefix = flags_.path_prefix.empty() ? ", and a urlPrefix without a path"
                                          : ", and a urlPrefix that ends in " + flags_.path_prefix;
    error(verb.field,
          std::format("Winnow has no path {}/{}: expected {}: {}{}", prefix_, word, verb.field, verb.path,
                      prefix),
          verb.path);
  }

  void check_what_is_asked() {
    if (best() && !filters())
      return error(
          "filterVerb",
          "is missing: with --answer=best it is filter that names the node; expected filterVerb: filter",
          "filter");
    if (!filters() && stanza_.prioritize_verb.empty())
      return error("filterVerb", "is missing, and so is prioritizeVerb: Winnow is not asked where pods go",
                   "filter");
    if (flags_.answer == AnswerMode::kOne && stanza_.prioritize_verb.empty())
      error("prioritizeVerb",
            "is missing: with --answer=one it is prioritize that names the node; expected prioritizeVerb: "
            "prioritize",
            "prioritize");
  }

  void check_preemption() {
    if (filters() && stanza_.preempt_verb.empty())
      add(leaves_checks_, "preemptVerb",
          "is missing: kube-scheduler evicts pods from nodes that Winnow then refuses; expected "
          "preemptVerb: preempt",
          "preempt");
    if (!filters() && !stanza_.preempt_verb.empty())
      warning("preemptVerb", "Winnow does not filter, and preemption is kube-scheduler's own: expected none",
              "\"\"");
  }

  void check_binding() {
    constexpr std::chrono::seconds kForBinds{5};
    const bool binds = !stanza_.bind_verb.empty();
    if (binds && !flags_.enable_bind)
      error("bindVerb", "every bind fails, for binding is off: remove it, or start Winnow with --enable-bind",
            "\"\"");
    if (!binds && flags_.enable_bind)
      warning("bindVerb",
              "is missing: kube-scheduler binds by itself, and --enable-bind is of no use; expected Winnow "
              "without the flag, or bindVerb: bind",
              "bind");
    if (binds && stanza_.timeout < kForBinds)
      warning("httpTimeout", "bind waits for the API server: expected 5s", "5s");
  }

  void check_form() {
    constexpr std::chrono::milliseconds kForAnswers{500};
    if (!stanza_.node_cache_capable)
      add(picks(), "nodeCacheCapable",
          "is not true: every call carries all nodes whole, and pods on their way are not counted; "
          "expected nodeCacheCapable: true",
          "true");
    if (stanza_.timeout < kForAnswers)
      warning("httpTimeout", "a call that is late has failed: expected 1s or more", "1s");
    if (!stanza_.managed_resources.empty())
      add(leaves_checks_ && filters(), "managedResources",
          std::format("only pods that ask for {} are sent to Winnow{}: expected none",
                      stanza_.managed_resources.front(),
                      leaves_checks_ ? ", and nobody checks the others" : ""),
          "[]");
  }

  void check_failing() {
    if (!filters() || !stanza_.ignorable) return;
    add(leaves_checks_, "ignorable",
        leaves_checks_ ? "while Winnow is down, pods are placed and hardly a rule is checked: expected false"
                       : "while Winnow is down, rules that only Winnow has are not kept",
        "false");
  }

  /// kube-scheduler calls extenders that are not ignorable first, and otherwise in the file's order.
  void check_others() {
    bool is_behind = false;
    for (const ExtenderStanza& other : all_.setup.extenders) {
      if (&other == &stanza_) {
        is_behind = true;
        continue;
      }
      const bool comes_later = other.ignorable == stanza_.ignorable ? is_behind : other.ignorable;
      if (best() && comes_later && !other.filter_verb.empty())
        findings_.error(
            other.path + ".filterVerb",
            "this extender comes behind Winnow, which gives it one node: a pod that it refuses there "
            "waits, although it would take another node",
            "put this entry before Winnow's, with ignorable: false");
      if (best() && !other.prioritize_verb.empty())
        findings_.warning(other.path + ".prioritizeVerb",
                          "is not called, for with --answer=best Winnow leaves one node",
                          "prioritizeVerb: \"\"");
    }
  }

  const CheckInput& all_;
  const ExtenderStanza& stanza_;
  const StartFlags& flags_;
  Findings& findings_;
  bool leaves_checks_ = false;  ///< kube-scheduler leaves some checks to Winnow.
  std::string prefix_;          ///< The path in urlPrefix.
};

}  // namespace

void check_extender(const CheckInput& all, Findings& findings) { ExtenderCheck(all, findings).check(); }

}  // namespace winnow
