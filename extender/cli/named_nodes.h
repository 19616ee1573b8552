// Nodes that the command line names: by name, by pattern, or by label.
//
// A name may lack what tables leave out of names (NodeNames), or its domain, where one node is left.
// A value has parts between commas: names, patterns of shells ("pool-a-*"), and requirements of labels as in
// kubectl's -l: "pool=spot", "pool!=spot", "pool in (a,b)", "pool notin (a,b)", "!pool". A bare word that is
// no node's name is a requirement, too, if it is the key of a label of some node: "pool", and so is each with
// a slash. The requirements of one value must all hold. What else it names comes to that, and so does what
// other values name. "zone" and "region" stand for topology.kubernetes.io/zone and …/region, unless a node
// has a label of that very name.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cluster/api/meta.h"

namespace winnow {

class State;
struct Explanation;
struct NodeWords;
struct TableOptions;

/// A node to choose from.
struct LabelledNode {
  std::string name;
  StringMap labels;
};

/// The nodes of a state, by name.
std::vector<LabelledNode> labelled_nodes(const State& state);

/// The nodes that a flag's values name, each once: those of a value in its order, and those of a pattern in
/// that of `nodes`.
/// @param nodes  all that there are, by name.
/// @param flag  that has the values: "--drain".
/// @return them; or the error of one line: a part that no node answers to, with near names, or that is no
///   requirement.
std::expected<std::vector<std::string>, std::string> named_nodes(std::span<const LabelledNode> nodes,
                                                                 const std::string& flag,
                                                                 std::span<const std::string> values);
/// The same for --nodes and -l, of which one may be given. In -l a bare word is a label that nodes must have.
std::expected<std::vector<std::string>, std::string> named_nodes(std::span<const LabelledNode> nodes,
                                                                 const NodeWords& words);

/// The names in the values, if there is nothing else in them: no list of nodes is needed then. A bare word
/// without a slash is taken for a name.
std::optional<std::vector<std::string>> plain_names(const NodeWords& words);

/// Appends the sentence on scores of nodes that were chosen by --nodes or -l.
void append_scores_are_among(std::string& out, std::size_t nodes, const TableOptions& table);

}  // namespace winnow
