// The body of filter and prioritize calls: ExtenderArgs.
//
// extender/protocol reads and writes the JSON of extender/v1: args.h reads requests, answer.h writes answers,
// and node_order.h speeds up finding nodes. No file here depends on a rule.
// Upstream: k8s.io/kube-scheduler extender/v1/types.go v0.37.0.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/state/view.h"
#include "cluster/text/json/json_scan.h"
#include "extender/protocol/node_order.h"

namespace winnow {

/// A node as a request names it.
struct AskedNode {
  std::string_view raw;  ///< The name as a JSON string with quotes, or the whole object of a full node.
  NodeId node = kNone;   ///< In the view that was last searched; kNone: not in it.
};

/// Looks up the name in another view. Not for full nodes.
void find_again(const View& view, AskedNode& asked);

/// A reader of an ExtenderArgs body. Keys match in any case, the last of equal keys counts, null counts as
/// absent, and unknown keys are skipped. Used by one thread.
///
/// Node names are read separately, by read_names() with a view. They take most of the time when there are
/// thousands. All else can be decoded before the picture is locked.
///
/// More nodes than bounds.h has are an error.
///
/// All results point into the body. It must outlive this and must not change, except for the pod's own text.
class ArgsReader {
 public:
  explicit ArgsReader(std::string_view body) : scan_(body) {}

  /// Reads on to the next node names, or to the end if there are no more. @return false after an error.
  bool read();
  /// Whether read() has stopped before node names.
  bool names_pending() const { return names_pending_; }
  /// Reads the names, without repetitions; then call read() again. A later NodeNames replaces an earlier one.
  /// @return false after an error.
  bool read_names(const View& view, NodeOrder& order, std::vector<AskedNode>& asked);

  std::string_view pod() const { return pod_; }  ///< The raw object; empty: absent.
  /// The name of the pod where the request does not have the pod itself (explain): raw JSON strings; empty:
  /// absent.
  std::string_view pod_namespace() const { return pod_namespace_; }
  std::string_view pod_name() const { return pod_name_; }
  bool has_names() const { return has_names_; }
  bool has_nodes() const { return has_nodes_; }
  /// The raw objects of Nodes.items.
  const std::vector<std::string_view>& nodes() const { return nodes_; }

  /// The error, such as "byte 17: expected ',' or '}', found 'x'"; "" if there is none.
  const std::string& error() const { return scan_.error(); }

 private:
  bool read_key();
  bool read_nodes();
  void read_text(std::string_view& raw);
  /// Sets an error at that part of the body. @return false.
  bool fail_at(std::string_view part, std::string_view expected);
  /// @param text  set to the name if no node of the view has it.
  bool next_name(const View& view, NodeOrder& order, NodeId previous, AskedNode& asked, std::string& text);

  JsonScan scan_;
  bool started_ = false;
  bool names_pending_ = false, has_names_ = false, has_nodes_ = false;
  std::string_view pod_, pod_namespace_, pod_name_;
  std::vector<std::string_view> nodes_;
};

}  // namespace winnow
