// What a pod asks for, in words, as its page shows it.
#pragma once

#include <string>

namespace winnow {

struct Pod;
struct PodRequests;

/// {"requests":[{"name":"cpu","amount":N},…],"more":[{"what":"Node selector","texts":[TEXT,…]},…]}: what it
/// requests, CPU in thousandths of a core; and its selectors, tolerations, affinity, spread constraints, host
/// ports and claims, of which none is empty. Of each the first 20 are told.
std::string asks_json(const Pod& pod, const PodRequests& requests);

}  // namespace winnow
