// Made-up clusters, drawn from seeds: whatever happens, in the end every pod that fits runs or is nominated,
// no node is promised more than it has, and nothing is forgotten.
#include <doctest/doctest.h>

#include "tests/extender/nominate/made_up_cluster.h"
#include "tests/part.h"

namespace winnow::test {

TEST_SUITE("nominations in made-up clusters") {
  TEST_CASE("a cluster that heals is in order") {
    std::array<double, kNominationOutcomes> outcomes{};
    for (std::uint64_t seed = 1; seed <= part_of(60U); ++seed) {
      MadeUpCluster cluster(seed);
      for (int i = 0; i < 600; ++i) cluster.happens();
      cluster.heal();
      for (std::size_t i = 0; i < kNominationOutcomes; ++i) outcomes[i] += cluster.outcomes()[i];
      const std::vector<std::string> problems = cluster.problems();
      if (problems.empty()) continue;
      std::string text = "seed " + std::to_string(seed) + "\n";
      for (const std::string& line : cluster.story()) text += line + "\n";
      for (const std::string& line : problems) text += "PROBLEM: " + line + "\n";
      FAIL_CHECK(text);
    }
    if (kPart > 1) return;
    // A world in which something never happens shows nothing about it.
    for (std::size_t i = 0; i < kNominationOutcomes; ++i) {
      CAPTURE(to_string(static_cast<NominationOutcome>(i)));
      CHECK(outcomes[i] > 0);
    }
  }
}

}  // namespace winnow::test
