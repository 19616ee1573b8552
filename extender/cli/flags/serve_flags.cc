#include "extender/cli/flags/serve_flags.h"

#include <arpa/inet.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <format>
#include <map>
#include <utility>

#include "cluster/api/names.h"
#include "cluster/api/quantity.h"
#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"
#include "extender/cli/flags/flag_kinds.h"
#include "extender/reuse/kept_answers.h"

namespace winnow {
namespace {

bool is_ip(int family, const std::string& text) {
  in6_addr address{};  // Large enough for both families.
  return inet_pton(family, text.c_str(), &address) == 1;
}

/// The address in the part before the port; nothing if that is none.
std::optional<std::string> read_host(const std::string& text) {
  if (text.empty() || is_ip(AF_INET, text)) return text;
  if (!text.starts_with('[') || !text.ends_with(']')) return std::nullopt;
  std::string inner = text.substr(1, text.size() - 2);
  return is_ip(AF_INET6, inner) ? std::optional(std::move(inner)) : std::nullopt;
}

std::optional<std::uint16_t> read_port(const std::string& text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

}  // namespace

std::expected<std::optional<ListenAddress>, std::string> parse_listen_address(const std::string& text) {
  if (text.empty() || text == "0") return std::nullopt;
  if (const std::size_t colon = text.rfind(':'); colon != std::string::npos) {
    const auto host = read_host(text.substr(0, colon));
    const auto port = read_port(text.substr(colon + 1));
    if (host && port) return ListenAddress{*host, *port};
  }
  return std::unexpected(std::format(
      "found \"{}\", expected IP:PORT, such as 0.0.0.0:10291, [::]:10291 or :10291; 0 is off", text));
}

std::string wrong_path_prefix(const std::string& prefix) {
  const bool plain = std::ranges::all_of(
      prefix, [](char c) { return is_alphanumeric(c) || std::string_view("/-._~").contains(c); });
  std::string segments = prefix + '/';
  const bool whole = std::ranges::none_of(std::initializer_list<std::string_view>{"//", "/./", "/../"},
                                          [&](std::string_view part) { return segments.contains(part); });
  if (prefix.empty() || (prefix.starts_with('/') && plain && whole)) return {};
  return std::format(
      "--path-prefix: found {}, expected a path of letters, digits and -._~, such as /scheduler",
      go_quote(prefix));
}

namespace {

const std::map<std::string, bool> kTlsVersions = {{"VersionTLS12", false}, {"VersionTLS13", true}};

void add_rarer_tls(CLI::App& app, TlsFlags& flags) {
  add_choice(&app, "--tls-min-version", flags.only_tls13, kTlsVersions,
             with_default("VersionTLS12 or VersionTLS13", flags.only_tls13, kTlsVersions))
      ->type_name("VERSION");
  add_list(&app, "--tls-cipher-suites", flags.cipher_suites, "A,B",
           "Cipher suites for TLS 1.2 [Go's defaults]");
  add_list(&app, "--anonymous-paths", flags.anonymous_paths, "A,B",
           "Take no client certificate [/livez,/readyz]");
  add_list(&app, "--allowed-client-names", flags.allowed_client_names, "A,B",
           "CN or DNS names of clients [all of the authority]");
}

}  // namespace

void add_tls(CLI::App& serve, TlsFlags& flags) {
  serve.add_option("--tls-cert-file", flags.cert_file, "Speak TLS, by this certificate; see --help-tls")
      ->type_name("FILE");
  serve.add_option("--tls-private-key-file", flags.key_file, "The certificate's key")->type_name("FILE");
  serve.add_option("--client-ca-file", flags.client_ca_file, "Require client certificates of this authority")
      ->type_name("FILE");
  add_with_own_help(serve, flags, add_rarer_tls,
                    {"--help-tls", "Speak TLS on --port, and ask for client certificates",
                     "winnow serve --tls-cert-file FILE --tls-private-key-file FILE"});
}

std::string wrong_tls_flags(const TlsFlags& flags) {
  if (flags.cert_file.empty() != flags.key_file.empty())
    return "--tls-cert-file and --tls-private-key-file go together";
  const std::pair<const char*, bool> need_certificate[] = {
      {"--client-ca-file", !flags.client_ca_file.empty()},
      {"--tls-min-version", flags.only_tls13},
      {"--tls-cipher-suites", !flags.cipher_suites.empty()},
  };
  for (const auto& [flag, given] : need_certificate)
    if (given && flags.cert_file.empty()) return std::format("{} needs --tls-cert-file", flag);
  for (const std::string& path : flags.anonymous_paths)
    if (!path.starts_with('/')) return std::format("--anonymous-paths: \"{}\" is not a path", path);
  if (!flags.allowed_client_names.empty() && flags.client_ca_file.empty())
    return "--allowed-client-names needs --client-ca-file";
  return {};
}

namespace {

/// The flag's value as a number of bytes. @param least  a text, such as "1Mi".
std::uint64_t read_size(const char* flag, const std::string& text, std::string_view least) {
  const auto size = Quantity::parse(text);
  if (!size || *size < *Quantity::parse(least))
    throw CLI::ValidationError(flag,
                               std::format("{} is no size from {} on, such as 1Gi", go_quote(text), least));
  return static_cast<std::uint64_t>(size->value());
}

void add_record_flags(CLI::App& serve, RecordFlags& flags) {
  CLI::Option* const record =
      serve.add_option("--record", flags.dir, "Record calls, and what they see, for replay [off]")
          ->type_name("DIR");
  const auto read = [&flags](const std::string& text) {
    flags.bytes = read_size("--record-size", text, RecordFlags::kLeastSize);
  };
  serve
      .add_option_function<std::string>(
          "--record-size", read,
          "The most that it keeps, with what is in DIR already; the oldest files go [1Gi]")
      ->type_name("SIZE")
      ->needs(record);
}

}  // namespace

void add_record(CLI::App& serve, RecordFlags& flags) {
  add_with_own_help(
      serve, flags, add_record_flags,
      {"--help-record", "Record what is seen and answered, for winnow replay", "winnow serve --record DIR"});
}

namespace {

void add_reuse_flags(CLI::App& app, ReuseOptions& flags) {
  app.add_flag("--reuse", flags.enabled,
               "Keep what rules said of each node, and ask them\nabout changed nodes alone [true]");
  app.add_option_function<std::string>(
         "--reuse-memory",
         [&flags](const std::string& text) { flags.memory = read_size("--reuse-memory", text, "1Mi"); },
         "What is kept may take so much, for each profile [128Mi]")
      ->type_name("SIZE");
  app.add_option("--check-reuse", flags.check,
                 "Share of these answers that is computed in full,\nand compared: 0 to 1 [0]")
      ->type_name("RATE")
      ->check(CLI::Range(0.0, 1.0).description(""));
}

void add_rarer_shadow(CLI::App& app, ShadowFlags& flags) {
  add_list(&app, "--shadow-schedulers", flags.schedulers, "A,B",
           "schedulerNames of the pods [those of --config's profiles]");
}

}  // namespace

void add_reuse(CLI::App& serve, ReuseOptions& flags) {
  add_with_own_help(serve, flags, add_reuse_flags,
                    {"--help-reuse", "What is kept of answers for the next pod of a workload",
                     "winnow serve --reuse-memory=256Mi --check-reuse=0.01"});
}

void add_shadow(CLI::App& serve, ShadowFlags& flags) {
  CLI::Option* const shadow =
      serve.add_flag("--shadow", flags.shadow, "Decide beside, and compare; see --help-shadow");
  const std::vector<CLI::Option*> own =
      add_with_own_help(serve, flags, add_rarer_shadow,
                        {"--help-shadow", "Decide beside a kube-scheduler, answer nobody, and compare",
                         "winnow serve --shadow"});
  for (CLI::Option* option : own) option->needs(shadow);
}

std::string wrong_shadow_flags(const ShadowFlags& flags, bool live, bool nominate, bool binds) {
  if (!flags.shadow) return {};
  if (!live) return "--shadow needs a live cluster, and --cluster is not one";
  if (nominate) return "--shadow writes nothing: it does not go with --nominate";
  if (binds) return "--shadow writes nothing: it does not go with --enable-bind";
  return {};
}

namespace {

const std::map<std::string, GateWhenInfeasible> kGateWhenInfeasible = {
    {"release", GateWhenInfeasible::kRelease}, {"hold", GateWhenInfeasible::kHold}};

void add_gate_flags(CLI::App& app, NominateFlags& flags) {
  add_list(&app, "--nominate-schedulers", flags.schedulers, "A,B",
           "schedulerNames of the pods [those of --config's profiles]");
  app.add_option("--nominate-gate", flags.gate, "Decide pods that this gate holds, and remove it [none]")
      ->type_name("NAME");
  add_choice(&app, "--nominate-gate-when-infeasible", flags.gate_when_infeasible, kGateWhenInfeasible,
             with_default("What becomes of a gate where no node fits", flags.gate_when_infeasible,
                          kGateWhenInfeasible));
}

/// The names and the meanings are kube-scheduler's. Upstream: component-base
/// config/options/leaderelectionconfig.go v0.37.0.
void add_election_flags(CLI::App& app, NominateFlags& flags) {
  live::LeaderElectionOptions& election = flags.election;
  app.add_flag("--leader-elect", flags.leader_elect, "Of several replicas one nominates, by a Lease [true]");
  add_duration(&app, "--leader-elect-lease-duration", election.lease_duration,
               "How long a Lease holds that nobody renews");
  add_duration(&app, "--leader-elect-renew-deadline", election.renew_deadline,
               "How long a leader nominates that cannot renew");
  add_duration(&app, "--leader-elect-retry-period", election.retry_period, "Between tries to take or renew");
  app.add_option("--leader-elect-resource-name", election.resource_name,
                 with_default("The Lease", election.resource_name))
      ->type_name("NAME");
  app.add_option("--leader-elect-resource-namespace", election.resource_namespace,
                 "Its namespace [the pod's own, else kube-system]")
      ->type_name("NAME");
}

void add_rarer_nominate(CLI::App& app, NominateFlags& flags) {
  add_gate_flags(app, flags);
  app.add_flag("--nominate-events", flags.events,
               "Write an event where a nomination comes to nothing [true]");
  add_election_flags(app, flags);
}

}  // namespace

void add_nominate(CLI::App& serve, NominateFlags& flags) {
  CLI::Option* const nominate =
      serve.add_flag("--nominate", flags.nominate, "Nominate nodes for pods; see --help-nominate");
  const std::vector<CLI::Option*> own = add_with_own_help(
      serve, flags, add_rarer_nominate,
      {"--help-nominate", "Write to waiting pods which node they are to take", "winnow serve --nominate"});
  for (CLI::Option* option : own) option->needs(nominate);
}

std::string wrong_nominate_flags(const NominateFlags& flags, bool live) {
  if (flags.refused.value_or(false) && !live)
    return "--nominate-refused needs a live cluster, and --cluster is not one";
  if (!flags.nominate) return {};
  if (!live) return "--nominate needs a live cluster, and --cluster is not one";
  if (const std::string wrong = label_key_errors(flags.gate, Generation::kToday);
      !flags.gate.empty() && !wrong.empty())
    return "--nominate-gate: " + go_quote(flags.gate) + " is not the name of a scheduling gate: " + wrong;
  return flags.leader_elect ? live::problem_of(flags.election) : "";
}

}  // namespace winnow
