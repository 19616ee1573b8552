// An expression that is tried: its value on each node, before it is a rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/state/row_values.h"

namespace winnow {

namespace expressions {
class Expression;
}  // namespace expressions

class View;
struct Pod;
struct StateOptions;

/// Compiles an expression that may read all that rules of one's own read, and may have any type. The object
/// lives as long as the process.
/// @return the expression; or what is wrong, in one line, with its place: "1:6: undefined field …".
std::expected<const expressions::Expression*, std::string> expression_to_try(std::string_view text);

bool reads_pod(const expressions::Expression& expression);
/// Whether its value may differ from node to node.
bool reads_node(const expressions::Expression& expression);

/// Has decoders keep what it reads, and a state of these options. To be called before objects are decoded.
void want_fields_of(const expressions::Expression& expression, StateOptions& options);

/// What one is asked about. All of it outlives the question.
struct TriedOn {
  const Pod& pod;  ///< An empty one, where it reads none.
  const View& view;
  const std::string& params;  ///< A JSON object {"params":{…}}; "": there are none.
};

/// The value of an expression on a node.
struct TriedValue {
  std::string node;        ///< "": of an expression that reads no node.
  std::string value;       ///< As an expression: "true", "3.5"; of an error its message.
  std::string json;        ///< The same as JSON. What JSON has no form for is a text.
  std::string read;        ///< See values_read().
  std::uint64_t cost = 0;  ///< In Kubernetes' units.
  bool is_error = false;
  std::optional<bool> truth;     ///< Of a bool.
  std::optional<double> number;  ///< Of a number; never NaN.
};

/// Asks about each node; or once, if it reads none.
std::vector<TriedValue> try_expression(const expressions::Expression& expression, const TriedOn& on,
                                       std::span<const NodeId> nodes);

/// What the values are together: "true on 12 of 40 nodes, false on 27, error on 1"; of numbers "min 0.5,
/// median 2.0, max 3.5 on 40 nodes"; of others "3 values on 40 nodes".
std::string sum_of(std::span<const TriedValue> values);

/// Appends an object with the expression, the pod ("": none was given) and the values.
void append_tried_json(std::string& out, std::string_view expression, std::string_view pod,
                       std::span<const TriedValue> values);

}  // namespace winnow
