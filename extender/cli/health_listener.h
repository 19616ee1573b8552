// The listener of --metrics-bind-address.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "extender/http/server.h"
#include "extender/service/extender.h"

namespace winnow {

/// Opens a listener for health and metrics alone, beside the one for kube-scheduler's calls. It has threads
/// of its own, so that no probe waits for a call and no call for a scrape. start() and stop() are the
/// caller's.
/// @param where  as in parse_listen_address().  @param service  outlives it.
/// @return null where it is off; or one line, with the flag.
std::expected<std::unique_ptr<http::Server>, std::string> open_health_listener(const std::string& where,
                                                                               Extender& service);

}  // namespace winnow
