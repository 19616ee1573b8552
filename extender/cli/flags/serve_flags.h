// The flags of parts of `winnow serve`: addresses, TLS, --record, --shadow and --nominate.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "cluster/client/watch/lease.h"

namespace winnow {

/// A parsed address.
struct ListenAddress {
  std::string host;  ///< An IPv4 or IPv6 address in digits; "": all addresses of the machine.
  std::uint16_t port = 0;
};

/// Parses "10.0.0.1:10291", "[::]:10291" or ":10291".
/// @return the address; nothing for "0" and "", which turn the listener off; or an error of one line.
std::expected<std::optional<ListenAddress>, std::string> parse_listen_address(const std::string& text);

/// The error in a value of --path-prefix; "": none.
std::string wrong_path_prefix(const std::string& prefix);

}  // namespace winnow

namespace CLI {

// The flags of TLS on the port for calls.

class App;
}  // namespace CLI

namespace winnow {

/// The flags of TLS on the port for calls.
struct TlsFlags {
  std::string cert_file;  ///< "": plain HTTP.
  std::string key_file;
  std::string client_ca_file;  ///< "": no client needs a certificate.
  bool only_tls13 = false;
  std::vector<std::string> cipher_suites;                         ///< IANA's names; empty: Go's defaults.
  std::vector<std::string> anonymous_paths{"/livez", "/readyz"};  ///< Open without a client certificate.
  std::vector<std::string> allowed_client_names;                  ///< Empty: all of the client authority.
};

/// Adds the flags to `winnow serve`. Its help shows those of files; --help-tls shows the others.
void add_tls(CLI::App& serve, TlsFlags& flags);

/// The error for TLS flags that contradict each other or lack one another; "": none.
std::string wrong_tls_flags(const TlsFlags& flags);

}  // namespace winnow

namespace CLI {

// The flags of `winnow serve --record`.

class App;
}  // namespace CLI

namespace winnow {

struct RecordFlags {
  std::string dir;                   ///< "": nothing is recorded.
  std::uint64_t bytes = 1ULL << 30;  ///< Of all files together.

  static constexpr const char* kLeastSize = "1Mi";
};

void add_record(CLI::App& serve, RecordFlags& flags);

}  // namespace winnow

namespace CLI {

// The flags of what `winnow serve` keeps of its answers.

class App;
}  // namespace CLI

namespace winnow {

struct ReuseOptions;

/// Adds the flags to `winnow serve`. Only --help-reuse shows them.
void add_reuse(CLI::App& serve, ReuseOptions& flags);

}  // namespace winnow

namespace CLI {

// The flags of `winnow serve --shadow`.

class App;
}  // namespace CLI

namespace winnow {

struct ShadowFlags {
  bool shadow = false;
  std::vector<std::string> schedulers;  ///< schedulerNames of the pods; empty: those of --config's profiles.
};

/// Adds the flags to `winnow serve`. In its help only --shadow shows; --help-shadow shows the other.
void add_shadow(CLI::App& serve, ShadowFlags& flags);

/// The error for flags that contradict each other; "": none. @param live  of a live cluster.
/// @param nominate, binds  Winnow is to write.
std::string wrong_shadow_flags(const ShadowFlags& flags, bool live, bool nominate, bool binds);

}  // namespace winnow

namespace CLI {

// The flags of `winnow serve --nominate`.

class App;
}  // namespace CLI

namespace winnow {

/// What becomes of a gated pod that fits nowhere.
enum class GateWhenInfeasible : std::uint8_t {
  kRelease,  ///< Its gate is removed without a nomination: kube-scheduler reports it, and preempts for it.
  kHold,     ///< It keeps its gate until it fits.
};

struct NominateFlags {
  bool nominate = false;
  std::optional<bool> refused;          ///< See nominates_refused().
  std::vector<std::string> schedulers;  ///< schedulerNames of the pods; empty: those of --config's profiles.
  std::string gate;                     ///< The scheduling gate that is removed; "": none.
  GateWhenInfeasible gate_when_infeasible = GateWhenInfeasible::kRelease;
  bool events = true;  ///< Pods' people are told by events.
  bool leader_elect = true;
  /// Without an identity. Without a namespace: that of election_namespace().
  live::LeaderElectionOptions election;
};

/// Adds the flags to `winnow serve`. In its help only --nominate shows; --help-nominate shows the others.
void add_nominate(CLI::App& serve, NominateFlags& flags);

/// The error for flags that contradict each other; "": none. @param live  of a live cluster.
std::string wrong_nominate_flags(const NominateFlags& flags, bool live);

}  // namespace winnow
