// What kube-scheduler is answered: ExtenderFilterResult and HostPriorityList.
// Upstream: k8s.io/kube-scheduler extender/v1/types.go v0.37.0.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "extender/protocol/args.h"

namespace winnow {

/// Builds the answer to a filter call: in the form asked, with every key there (kube-scheduler takes an
/// answer without a node list for "no node fits, and no reason"). Names and objects are copied from the
/// request as they stood there, so that runs of nodes that fit are one copy.
class FilterAnswer {
 public:
  enum class Form : std::uint8_t { kNames, kNodes };

  /// @param out  the body is appended here; it must outlive this.
  FilterAnswer(std::string& out, Form form);

  /// The nodes that fit, in the order asked; once.
  void feasible(std::span<const AskedNode> asked, std::span<const std::uint8_t> fits);
  /// Begins a map of nodes that do not fit: first failed, then unresolvable. After feasible().
  void begin_failed() { begin_map("\"FailedNodes\":{"); }
  void begin_unresolvable() { begin_map("\"FailedAndUnresolvableNodes\":{"); }
  /// A node of the map begun last. @param name  quoted. @param quoted_reason  as append_quoted makes it.
  void failed(std::string_view name, std::string_view quoted_reason);
  void finish();

 private:
  void begin_map(std::string_view start);

  std::string& out_;
  const Form form_;
  bool first_ = true;
  bool in_map_ = false;
};

/// The answer that fails the whole call with a text that kube-scheduler shows the pod's owner. Percent signs
/// are left out of it: kube-scheduler uses it as a format string.
void append_filter_error(std::string& out, std::string_view error);

/// The answer to a prioritize call: every host asked has its score, in the order asked.
void append_priorities(std::string& out, std::span<const std::string_view> quoted_names,
                       std::span<const std::int64_t> scores);

}  // namespace winnow
