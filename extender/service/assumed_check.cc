#include "extender/service/assumed_check.h"

#include <exception>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "extender/log/log.h"

namespace winnow {

void AssumedCheck::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    try {
      look(std::chrono::steady_clock::now(), stop);
    } catch (const std::exception&) {  // Out of memory: the next round looks again.
    }
    std::this_thread::sleep_for(kRound);
  }
}

/// The picture is locked for writing only if there is something to note.
std::vector<AssumedPods::Attempt> AssumedCheck::due(Time now) {
  Serving serving = decisions_.serving();
  {
    const Picture::Reader reader = serving.picture->read();
    if (!reader.assumed().has_news_of_volumes() && !reader.assumed().may_look_up(now)) return {};
  }
  std::vector<AssumedPods::Attempt> found;
  decisions_.change_assumed(serving, [&](AssumedPods& pods) {
    pods.note_volumes(now);
    found = pods.to_look_up(now, kAtOnce);
  });
  return found;
}

void AssumedCheck::look(Time now, const std::stop_token& stop) {
  for (const AssumedPods::Attempt& attempt : due(now)) {
    const live::PodLookedUp found = look_up_(attempt, stop);
    if (stop.stop_requested()) return;
    if (found.found == live::PodFound::kUnknown) {
      if (const auto left_out = failures_told_.next(now))
        log_warn("a pod on its way could not be looked up", {{"pod", attempt.ns + '/' + attempt.name},
                                                             {"error", found.error},
                                                             {"lines_left_out", *left_out}});
      continue;
    }
    bool ended = false;
    std::string_view evidence;
    Serving serving = decisions_.serving();
    decisions_.change_assumed(serving, [&](AssumedPods& pods) {
      const std::size_t before = pods.size();
      if (const auto* const entry = pods.find(attempt.ns, attempt.name)) evidence = to_string(entry->doubt);
      pods.looked_up(attempt, found.found == live::PodFound::kGone ? nullptr : &*found.pod, now);
      ended = pods.size() < before;
    });
    if (!ended) continue;
    if (const auto left_out = ends_told_.next(now))
      log_info("a place is free: the pod on its way there was given up",
               {{"pod", attempt.ns + '/' + attempt.name},
                {"node", attempt.node},
                {"evidence", evidence.empty() ? "no API server has it" : evidence},
                {"lines_left_out", *left_out}});
  }
}

}  // namespace winnow
