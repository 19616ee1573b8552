// Internal to extender/config: the `extenders` of a configuration, which Winnow, being one, does not ask.
// Only .cc files include this.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "cluster/text/json_reader.h"
#include "extender/config/common/field_error.h"

namespace winnow {

/// What start-up says of extenders with these addresses, without what may be a password in them; "" for none.
std::string extenders_note(const std::vector<std::string>& urls);

struct ConfiguredExtenders {
  std::vector<std::string> urls;
  /// The resources that extenders manage alone (ignoredByScheduler), in order.
  std::vector<std::string> ignored_resources;
};

/// Reads and checks the extenders of a KubeSchedulerConfiguration, but for the files with certificates and
/// keys, which are on another machine. Upstream: pkg/scheduler/apis/config/validation/validation.go
/// validateExtenders and pkg/scheduler/{scheduler,extender}.go buildExtenders, NewHTTPExtender v1.37.0.
std::expected<ConfiguredExtenders, std::string> read_extenders(const Reader& config);

}  // namespace winnow
