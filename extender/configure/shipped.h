// Internal to extender/configure: the text of the shipped files. CMake makes the definitions of the manifests
// (shipped.cc.in).
#pragma once

#include <string_view>

namespace winnow {

extern const std::string_view kShippedScores;      ///< manifests/kube-scheduler-scores.yaml
extern const std::string_view kShippedEverything;  ///< manifests/kube-scheduler-everything.yaml
extern const std::string_view kShippedBest;        ///< manifests/kube-scheduler-best.yaml
extern const std::string_view kShippedBest138;     ///< manifests/kube-scheduler-best-1.38.yaml

}  // namespace winnow
