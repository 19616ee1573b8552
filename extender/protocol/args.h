// What kube-scheduler sends: ExtenderArgs.
//
// extender/protocol is the wire of extender/v1: args.h reads requests, answer.h writes answers,
// node_order.h makes finding names cheap. Nothing here knows a rule. Upstream:
// k8s.io/kube-scheduler extender/v1/types.go v0.37.0.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/state/view.h"
#include "cluster/text/json_scan.h"
#include "extender/protocol/node_order.h"

namespace winnow {

/// A node as a request names it.
struct AskedNode {
  std::string_view raw;  ///< Its name as a JSON string with quotes, or (full nodes) the whole object.
  NodeId node = kNone;   ///< In the view that it was looked up in; kNone: not known there.
};

/// Looks a name that was read before up in another view. Full nodes have none.
void find_again(const View& view, AskedNode& asked);

/// Reads an ExtenderArgs body: keys in any case, the last of equal ones wins, null is absent, unknown keys
/// are skipped. Node names are read by read_names(), with a view at hand: that is where the time goes when
/// thousands are asked about, and all else can be decoded before the cluster is locked.
/// Everything points into the body, which must outlive this and stay as it is, but for the pod's own text.
class ArgsReader {
 public:
  explicit ArgsReader(std::string_view body) : scan_(body) {}

  /// Reads on to the node names, or to the end where there are none left. False after an error.
  bool read();
  /// Whether read() stopped in front of node names.
  bool names_pending() const { return names_pending_; }
  /// Reads the names (each once: repetitions are left out), then call read() again. A later NodeNames
  /// replaces an earlier one.
  bool read_names(const View& view, NodeOrder& order, std::vector<AskedNode>& asked);

  std::string_view pod() const { return pod_; }  ///< The raw object; empty: absent.
  /// Which pod is meant, where only its name is given (explain): raw strings; empty: absent.
  std::string_view pod_namespace() const { return pod_namespace_; }
  std::string_view pod_name() const { return pod_name_; }
  bool has_names() const { return has_names_; }
  bool has_nodes() const { return has_nodes_; }
  /// The raw objects of Nodes.items.
  const std::vector<std::string_view>& nodes() const { return nodes_; }

  /// "byte 17: expected ',' or '}', found 'x'"; empty while all is well.
  const std::string& error() const { return scan_.error(); }

 private:
  bool read_key();
  bool read_nodes();
  void read_text(std::string_view& raw);
  /// @param text  set to the name where no node of the view has it.
  bool next_name(const View& view, NodeOrder& order, NodeId previous, AskedNode& asked, std::string& text);

  JsonScan scan_;
  bool started_ = false;
  bool names_pending_ = false, has_names_ = false, has_nodes_ = false;
  std::string_view pod_, pod_namespace_, pod_name_;
  std::vector<std::string_view> nodes_;
};

}  // namespace winnow
