// Names of nodes in tables, without what all of them share: ".eu-west-1.compute.internal".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace winnow {

/// Leaves out of nodes' names what they share. A domain starts at a dot: all names end in it, or more than
/// half of them in the same one. A beginning ends at a dash or a dot, and all names have it. Short ones stay.
/// JSON and lists for programs have whole names.
class NodeNames {
 public:
  /// All names stay as they are.
  NodeNames() = default;
  /// @param names  of all nodes that are known, so that a name is shortened alike wherever it stands.
  explicit NodeNames(std::vector<std::string> names);

  /// The name, shortened if it is one of the nodes'.
  std::string of(const std::string& name) const;
  /// The text, with each word that is a node's name shortened. Values of labels ("KEY=NAME") stay.
  std::string in(std::string_view text) const;
  /// "Names of nodes end in .eu-west-1.compute.internal."; "": nothing is left out.
  std::string note() const;

 private:
  void find_domain();
  void find_beginning();
  bool has_stem(std::string_view name) const;
  bool is_left_out() const { return !beginning_.empty() || !domain_.empty(); }

  std::vector<std::string> known_;  ///< Sorted.
  std::string beginning_, domain_;
  std::size_t shortened_ = 0;  ///< How many of the names have both.
};

/// The names of some nodes, whatever they are: `name` is a member.
template <class Nodes>
NodeNames names_of(const Nodes& nodes) {
  std::vector<std::string> names;
  names.reserve(nodes.size());
  for (const auto& node : nodes) names.push_back(node.name);
  return NodeNames(std::move(names));
}

}  // namespace winnow
