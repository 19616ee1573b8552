// Answers to kube-scheduler: ExtenderFilterResult and HostPriorityList.
// Upstream: k8s.io/kube-scheduler extender/v1/types.go v0.37.0.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace winnow {

/// A writer of the answer to a filter call. The answer has the request's form and every key: kube-scheduler
/// takes an answer without a node list for "no node fits" without a reason. Names and objects are copied from
/// the request's text, a run of neighbouring feasible nodes in one copy. Used by one thread.
class FilterAnswer {
 public:
  enum class Form : std::uint8_t { kNames, kNodes };

  /// @param out  the answer is appended to it. It must outlive this.
  FilterAnswer(std::string& out, Form form);

  /// Writes the nodes that fit, in the request's order. Must be called once, first.
  /// @param asked  the nodes as they stand in the request: names with quotes, or whole objects.
  /// @param fits  a flag for each node.
  void feasible(std::span<const std::string_view> asked, std::span<const std::uint8_t> fits);
  /// Begins a map of nodes that do not fit: first the failed ones, then the unresolvable ones. After
  /// feasible().
  void begin_failed() { begin_map("\"FailedNodes\":{"); }
  void begin_unresolvable() { begin_map("\"FailedAndUnresolvableNodes\":{"); }
  /// Writes a node into the current map.
  /// @param name  quoted.
  /// @param quoted_reason  as append_quoted() makes it.
  void failed(std::string_view name, std::string_view quoted_reason);
  /// Writes the end of the answer.
  void finish();

 private:
  void begin_map(std::string_view start);

  std::string& out_;
  const Form form_;
  bool first_ = true;
  bool in_map_ = false;
};

/// Appends the answer that fails the whole call. kube-scheduler shows its text to the pod's owner. Percent
/// signs are removed, because kube-scheduler uses the text as a format string.
void append_filter_error(std::string& out, std::string_view error);

/// Appends the answer to a prioritize call: the score of every host, in the request's order.
void append_priorities(std::string& out, std::span<const std::string_view> quoted_names,
                       std::span<const std::int64_t> scores);

}  // namespace winnow
