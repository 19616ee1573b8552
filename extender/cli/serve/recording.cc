#include "extender/cli/serve/recording.h"

#include <utility>

#include "cluster/memory_limit.h"
#include "extender/log/log.h"

namespace winnow {

FailedNodes failed_nodes_of(const ServeFlags& flags, bool live) {
  return flags.failed_nodes.value_or(live ? FailedNodes::kQuiet : FailedNodes::kJudged);
}

std::expected<std::unique_ptr<Recorder>, std::string> open_recorder(const CommonFlags& common,
                                                                    const ServeFlags& flags, bool live) {
  if (flags.record.dir.empty()) return nullptr;
  RecordedOptions options{.answer = flags.answer, .scale = common.scale};
  options.failed_nodes = failed_nodes_of(flags, live);
  options.preempt_search = flags.preempt_search;
  options.scheduler_filters = flags.scheduler_filters;
  options.assume = live;
  options.seed = common.seed;
  LogWriter::Options files{.dir = flags.record.dir, .most_bytes = flags.record.bytes};
  files.most_queued = share_of_memory(16, 16UL << 20, files.most_queued);
  auto recorder = Recorder::open(std::move(files), options, common.feature_gates);
  if (!recorder) return std::unexpected("--record: " + recorder.error());
  log_info("recording", {{"dir", flags.record.dir}, {"most_bytes", flags.record.bytes}});
  return std::move(*recorder);
}

}  // namespace winnow
