#include "extender/cli/reloader.h"

#include "cluster/feed/source.h"
#include "extender/cli/cluster_source.h"
#include "extender/log/log.h"

namespace winnow {

Reloader::Reloader(const CommonFlags& common, Worlds& worlds, LiveMetrics& metrics)
    : common_(common), worlds_(worlds), metrics_(metrics), text_(read()) {}

void Reloader::look() {
  std::string text = read();
  if (text.empty() || text == text_) return;
  text_ = std::move(text);
  reload();
}

void Reloader::reload() {
  auto rules = rules_from(common_);
  auto taken = rules ? std::expected<void, std::string>() : std::unexpected(rules.error());
  if (rules) {
    log_notes(*rules);
    log_rules(*rules);
    taken = worlds_.load(std::move(*rules));
  }
  metrics_.on_reload(taken.has_value());
  if (taken)
    log_info("configuration taken; pods that wait are tried again when something changes in the cluster",
             {{"file", common_.config}});
  else
    log_error("configuration refused: the one before stays in force", {{"error", taken.error()}});
}

std::string Reloader::read() const {
  if (common_.config.empty() || common_.config == "-") return {};
  return read_source(common_.config).value_or("");
}

}  // namespace winnow
