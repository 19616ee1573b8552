// Apart from storage.cc, which programs without doctest use.
#include <doctest/doctest.h>

#include <string>

#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "tests/ask.h"
#include "tests/storage.h"

namespace winnow::test {

void check_verdicts(std::string_view predicate, const Storage& storage, std::span<const Placement> rows,
                    const State::Options& options) {
  for (const Placement& row : rows) {
    CAPTURE(row.sentence);
    State state(options);
    state.set_node(row.node);
    for (std::size_t i = 0; i < row.there.size(); ++i) {
      Pod there = row.there[i];
      there.metadata.name += "-" + std::to_string(i);
      there.spec.node_name = row.node.metadata.name;
      state.set_pod(there);
    }
    storage.put_into(state);
    CHECK(judge_one(predicate, View(state), row.pod) == row.verdict);
  }
}

}  // namespace winnow::test
