// What Winnow is to be started with, as far as kube-scheduler's configuration must go with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "extender/calls/options.h"

namespace winnow {

struct StartFlags {
  AnswerMode answer = AnswerMode::kComplete;
  bool enable_bind = false;
  bool allow_missing_rules = false;
  std::optional<std::string> bind_address;  ///< Absent: not said, so that every address will do.
  std::optional<std::uint16_t> port;        ///< Absent: the default one.
};

inline constexpr std::uint16_t kDefaultPort = 10290;

}  // namespace winnow
