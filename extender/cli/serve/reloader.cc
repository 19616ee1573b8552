#include "extender/cli/serve/reloader.h"

#include "extender/cli/cluster_source.h"
#include "extender/log/log.h"

namespace winnow {

Reloader::Reloader(const ConfigSource& source, ConfigSwitch& config_switch, const ConfigInForce& in_force,
                   LiveMetrics& metrics, std::string text)
    : source_(source),
      config_switch_(config_switch),
      in_force_(in_force),
      metrics_(metrics),
      text_(std::move(text)) {}

void Reloader::look() {
  std::string text = source_.text();
  if (text.empty() || text == text_) return;
  text_ = std::move(text);
  load();
}

void Reloader::reload() {
  // Read before load(), so that the next look() sees a change in between.
  text_ = source_.text();
  load();
}

void Reloader::load() {
  auto rules = source_.load();
  if (rules)
    take(std::move(*rules));
  else
    refuse(rules.error());
}

void Reloader::take(LoadedRules rules) {
  log_notes(rules);
  log_rules(rules);
  const auto loaded = config_switch_.load(std::move(rules));
  if (!loaded) return refuse({loaded.error()});
  if (*loaded == ConfigSwitch::Loaded::kTaken) {
    metrics_.on_reload(true);
    log_info("configuration taken; pods that wait are tried again when something changes in the cluster",
             {{"file", source_.file()}, {"sha256", in_force_.fingerprint()}});
  } else {
    log_info("configuration read; the old one stays in force until the objects it needs are listed",
             {{"file", source_.file()}});
  }
}

void Reloader::refuse(const ConfigSource::Errors& errors) {
  metrics_.on_reload(false);
  for (std::size_t i = 0; i + 1 < errors.size(); ++i) log_error("configuration", {{"error", errors[i]}});
  log_error("configuration refused: the old one stays in force",
            {{"error", errors.back()}, {"since", in_force_.since()}, {"sha256", in_force_.fingerprint()}});
}

}  // namespace winnow
