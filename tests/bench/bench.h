// What the benchmark cases share.
#pragma once

#include "tests/bench/service.h"

namespace winnow::bench {

/// A service with this many nodes and 30 pods a node; made at its first use and kept.
TestService& service_of(std::size_t nodes);
/// The same with today's default configuration.
TestService& todays_service_of(std::size_t nodes);

// Each registers its cases.
void add_request_cases();
void add_rule_cases();
void add_event_cases();

}  // namespace winnow::bench
