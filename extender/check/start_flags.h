// The flags with which Winnow will be started, as far as kube-scheduler's configuration must match them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "extender/calls/options.h"

namespace winnow {

/// Flags of `winnow serve`, as `winnow check` takes them.
struct StartFlags {
  AnswerMode answer = AnswerMode::kComplete;
  bool enable_bind = false;
  bool allow_missing_rules = false;
  std::vector<std::string> scheduler_filters;  ///< See ExtenderOptions.
  std::optional<std::string> bind_address;     ///< Absent: any address is accepted.
  std::optional<std::uint16_t> port;           ///< Absent: kDefaultPort.
  std::string tls_cert_file;                   ///< "": plain HTTP. The file is not read.
  std::string client_ca_file;                  ///< With it binding is allowed beyond loopback.
};

inline constexpr std::uint16_t kDefaultPort = 10290;

}  // namespace winnow
