// The listener of --metrics-bind-address, for health and metrics.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "extender/http/server.h"
#include "extender/service/extender.h"

namespace winnow {

/// Whether only this machine reaches the listener. False where the flag turns it off or is wrong.
bool is_loopback_listener(const std::string& where);

/// Opens the listener. It has its own threads, so that no probe waits for a call and no call for a scrape.
/// The caller calls start() and stop().
/// @param where  as for parse_listen_address().
/// @param service  must outlive the listener.
/// @return the listener; null if the flag turns it off; or an error of one line, with the flag.
std::expected<std::unique_ptr<http::Server>, std::string> open_health_listener(const std::string& where,
                                                                               Extender& service);

}  // namespace winnow
