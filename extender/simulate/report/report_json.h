// A simulation's result as JSON for programs.
#pragma once

#include <functional>
#include <string_view>

#include "extender/simulate/report/json_pieces.h"
#include "extender/simulate/result.h"

namespace winnow {

/// Writes one object, piece by piece: there may be hundreds of thousands of pods. docs/what-if.md has its
/// fields. Ends with a newline.
void write_json(const SimulationResult& result, const std::function<void(std::string_view)>& write);

/// Writes a node as an object: its name, its zone, and what it holds. @param before, after  the keys of
/// these.
void write_node(JsonPieces& json, const NodeUsage& node, std::string_view before, std::string_view after);

}  // namespace winnow
