#include "extender/cli/reloader.h"

#include "cluster/feed/source.h"
#include "extender/cli/cluster_source.h"
#include "extender/log/log.h"

namespace winnow {

Reloader::Reloader(const CommonFlags& common, Worlds& worlds, LiveMetrics& metrics, std::string text)
    : common_(common), worlds_(worlds), metrics_(metrics), text_(std::move(text)) {}

void Reloader::look() {
  std::string text = text_of(common_);
  if (text.empty() || text == text_) return;
  text_ = std::move(text);
  load();
}

void Reloader::reload() {
  // Before it is loaded: what is written in between is seen by the next look.
  text_ = text_of(common_);
  load();
}

void Reloader::load() {
  auto rules = rules_from(common_);
  std::expected<Worlds::Loaded, std::string> loaded = std::unexpected(rules ? "" : rules.error());
  if (rules) {
    log_notes(*rules);
    log_rules(*rules);
    loaded = worlds_.load(std::move(*rules));
  }
  if (!loaded) {
    metrics_.on_reload(false);
    log_error("configuration refused: the one before stays in force", {{"error", loaded.error()}});
  } else if (*loaded == Worlds::Loaded::kTaken) {
    metrics_.on_reload(true);
    log_info("configuration taken; pods that wait are tried again when something changes in the cluster",
             {{"file", common_.config}});
  } else {
    log_info("configuration read; the one before stays in force until there is a picture for it",
             {{"file", common_.config}});
  }
}

std::string Reloader::text_of(const CommonFlags& common) {
  if (common.config.empty() || common.config == "-") return {};
  return read_source(common.config).value_or("");
}

}  // namespace winnow
