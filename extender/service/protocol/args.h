// The bodies of calls (ExtenderArgs, ExtenderBindingArgs), the bound of their nodes, and the order of nodes.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/client/servers/binder.h"
#include "cluster/state/row_values.h"
#include "cluster/text/json_scan.h"

namespace winnow {

class NodeOrder;
class View;

// The body of filter and prioritize calls: ExtenderArgs.
//
// extender/service/protocol reads and writes the JSON of extender/v1: args.h and preempt_args.h read bodies,
// answer.h writes answers. node_order.h speeds up finding nodes. No file here depends on a rule. Upstream:
// k8s.io/kube-scheduler extender/v1/types.go v0.37.0.

/// Looks up a name of a request: a JSON string with quotes. @return kNone if the view does not have it.
NodeId find_quoted(const View& view, std::string_view quoted_name);

/// A reader of an ExtenderArgs body. Keys match in any case, the last of equal keys counts, null counts as
/// absent, and unknown keys are skipped. Used by one thread.
///
/// Node names are read separately, by read_names() with a view. They take most of the time when there are
/// thousands. All else can be decoded before the cache is locked.
///
/// More nodes than kMaxNodes are an error.
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
  /// @param names  set to the names, as JSON strings with quotes.
  /// @param ids  set to the nodes of these names in the view; kNone: it has no such node.
  /// @return false after an error.
  bool read_names(const View& view, NodeOrder& order, std::vector<std::string_view>& names,
                  std::vector<NodeId>& ids);

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

  JsonScan scan_;
  bool started_ = false;
  bool names_pending_ = false, has_names_ = false, has_nodes_ = false;
  std::string_view pod_, pod_namespace_, pod_name_;
  std::vector<std::string_view> nodes_;
};

// The body of a bind call: ExtenderBindingArgs.
// Upstream: k8s.io/kube-scheduler extender/v1/types.go v0.37.0.

/// Reads the body. Keys match in any case, the last of equal keys counts, and unknown keys are skipped.
/// The names become parts of a path at the API server, so each must be a valid Kubernetes name.
/// @return the binding, or one line that says what is wrong. Only the UID may be absent.
std::expected<live::Binding, std::string> read_binding(std::string_view body);

// The bound of a request's nodes. It is far above what kube-scheduler sends. It keeps the decoded form and
// the answer small enough for the container.

/// The nodes of one request. The largest clusters known have 130,000.
inline constexpr std::size_t kMaxNodes = 500'000;
inline constexpr std::string_view kMaxNodesText = "at most 500000 nodes";

}  // namespace winnow
