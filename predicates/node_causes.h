// The causes of the rules that read a node alone: requirements on its labels, and what its conditions say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/api/generation.h"
#include "cluster/rule/cause.h"
#include "cluster/rule/node_matcher.h"

namespace winnow {
struct NodeSelector;
struct NodeSelectorTerm;
struct PodSpec;
}  // namespace winnow

namespace winnow::predicates {

/// Requirements on a node, of which those are told that it does not meet. The view must outlive the object.
class NodeCauses {
 public:
  explicit NodeCauses(const View& view) : view_(view) {}

  /// All requirements of the selector must hold. @param from  who asks for them: "nodeSelector".
  void add(const Selector& selector, const std::string& from);
  /// One of the selector's terms must hold. An empty selector holds nowhere.
  void add(const NodeSelector& selector, const std::string& from);
  /// The pod's nodeSelector and its required node affinity, as PodNodeMatcher reads them.
  void add(const PodSpec& pod, Generation generation);

  /// Adds the requirements that the node does not meet: of each term all that fail, and none where a term
  /// holds.
  void find(NodeId node, std::vector<Cause>& causes) const;

 private:
  /// A requirement, and the nodes that meet it.
  struct Test {
    NodeMatcher matcher;
    Cause cause;  ///< Without the node's value.
    bool is_of_field = false;
  };
  /// All of its tests must hold.
  struct Term {
    std::vector<Test> tests;
    std::optional<Cause> never;  ///< It holds nowhere: it is empty, or invalid.
  };
  using OneOf = std::vector<Term>;

  Term term_of(const NodeSelectorTerm& written, const std::string& from, std::optional<std::int64_t> number);
  void find(const Term& term, NodeId node, std::vector<Cause>& causes) const;

  const View& view_;
  std::vector<OneOf> all_;
};

}  // namespace winnow::predicates
