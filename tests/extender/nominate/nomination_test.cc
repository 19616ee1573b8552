// One pod's nomination by itself: what its facts make happen, and what each event makes of it.
#include "extender/nominate/nomination.h"

#include <doctest/doctest.h>

#include <vector>

#include "tests/extender/nominate/told_pods.h"

namespace winnow::test {
namespace {

constexpr const char* kGateOfOurs = "winnow.dev/nominate";

/// A nomination for n1 in that stage, by a write of version 10.
Nomination nomination_in(Stage stage) {
  Nomination nomination{.stage = stage, .decided_hash = facts_of(told("p", 1)).rules_hash};
  if (stage == Stage::kForeign || stage == Stage::kQueued) return nomination;
  nomination.node = "n1";
  if (stage == Stage::kWriting) return nomination;
  nomination.on_api = "n1";
  nomination.written = 10;
  return nomination;
}

Pod relabelled(Pod made) {
  made.metadata.labels["tier"] = "gold";
  return made;
}

struct FactsRow {
  const char* sentence;
  Stage stage;
  Pod pod;
  std::optional<NominationEvent> event;
};

std::vector<FactsRow> facts_without_nomination() {
  using enum Stage;
  using enum NominationEvent;
  return {
      {"a new pod", kForeign, told("p", 11), kFreed},
      {"somebody else's nomination stays", kForeign, nominated(told("p", 11), "n2", "autoscaler"), {}},
      {"a former Winnow's nomination", kForeign, nominated(told("p", 11), "n2"), kFoundOurs},
      {"nothing is new of a pod in the queue", kQueued, told("p", 11), {}},
      {"somebody else nominates it", kQueued, nominated(told("p", 11), "n2", "autoscaler"), kTaken},
      {"another Winnow nominates it", kQueued, nominated(told("p", 11), "n2"), kFoundOurs},
      {"it changes", kQueued, relabelled(told("p", 11)), kChanged},
      {"it is bound", kQueued, bound(told("p", 11), "n2"), kBoundElsewhere},
      {"what is said of nominations during a write is the writer's", kWriting, told("p", 11), {}},
      {"it is bound during a write", kWriting, bound(told("p", 11), "n1"), kBoundThere},
  };
}

std::vector<FactsRow> facts_of_nominations() {
  using enum Stage;
  using enum NominationEvent;
  Pod deleting = nominated(told("p", 11), "n1");
  deleting.metadata.deleting = true;
  return {
      {"the nomination stands", kNominated, nominated(told("p", 11), "n1"), {}},
      {"it is bound there", kNominated, bound(told("p", 11), "n1"), kBoundThere},
      {"it is bound elsewhere", kNominated, bound(told("p", 11), "n2"), kBoundElsewhere},
      {"it is being deleted", kNominated, deleting, kGone},
      {"the nomination is gone", kNominated, told("p", 11), kCleared},
      {"kube-scheduler has taken it away", kNominated, given_up(told("p", 11)), kRefused},
      {"an event from before the write tells nothing of it", kNominated, told("p", 9), {}},
      {"kube-scheduler nominates another", kNominated, nominated(told("p", 11), "n2", "kube-scheduler"),
       kTaken},
      {"another Winnow nominates another", kNominated, nominated(told("p", 11), "n2"), kFoundOurs},
      {"it gets no nomination any more", kNominated,
       nominated(gated(told("p", 11), {kGateOfOurs, "other"}), "n1"), kLeftOut},
      {"our gate alone is no reason", kNominated, nominated(gated(told("p", 11), {kGateOfOurs}), "n1"), {}},
      {"it changes", kNominated, relabelled(nominated(told("p", 11), "n1")), kChanged},
      {"a nomination that was found stands", kInherited, nominated(told("p", 11), "n1"), {}},
      {"a nomination that was found is gone", kInherited, told("p", 11), kCleared},
      {"a nomination that was found is refused", kInherited, given_up(told("p", 11)), kRefused},
      {"an event from before the end", kEnded, told("p", 9), {}},
      {"the end", kEnded, bound(told("p", 11), "n1"), kBoundThere},
  };
}

}  // namespace

TEST_SUITE("a nomination") {
  TEST_CASE("what the facts of a pod make happen") {
    for (const auto& rows : {facts_without_nomination(), facts_of_nominations()})
      for (const FactsRow& row : rows) {
        CAPTURE(row.sentence);
        const auto event = nomination_in(row.stage).event_told(facts_of(row.pod), kGateOfOurs);
        REQUIRE(event.has_value() == row.event.has_value());
        if (event) CHECK(to_string(*event) == to_string(*row.event));
        if (event) CHECK(transition_of(row.stage, *event));
      }
  }

  TEST_CASE("each row leads to its stage, and a node is kept where one is nominated alone") {
    const PodFacts facts = facts_of(nominated(told("p", 20), "n1"));
    for (std::size_t i = 0; i < kStages; ++i)
      for (const Transition& transition : transitions_from(static_cast<Stage>(i))) {
        const Stage stage = static_cast<Stage>(i);
        CAPTURE(to_string(stage));
        CAPTURE(to_string(transition.on));
        Nomination nomination = nomination_in(stage);
        nomination.follow(transition, facts);
        CHECK(nomination.stage == transition.to);
        if (transition.to == Stage::kQueued || transition.to == Stage::kForeign)
          CHECK(nomination.node.empty());
        if (transition.to == Stage::kNominated || transition.to == Stage::kInherited) {
          CHECK(nomination.node == "n1");
          CHECK(nomination.on_api == "n1");
        }
      }
  }

  TEST_CASE("after which events the API may have our nomination still") {
    using enum NominationEvent;
    const PodFacts facts = facts_of(told("p", 20));
    for (const NominationEvent event :
         {kChanged, kNoLongerFits, kLeftOut, kUnfollowed, kPassedOver, kGateStays}) {
      CAPTURE(to_string(event));
      Nomination nomination = nomination_in(Stage::kNominated);
      nomination.follow(*transition_of(Stage::kNominated, event), facts);
      CHECK(nomination.on_api == "n1");
      CHECK(nomination.begin_write(facts, "n2", "").instead_of == "n1");
    }
    for (const NominationEvent event : {kRefused, kCleared, kTaken, kNotThere}) {
      CAPTURE(to_string(event));
      Nomination nomination = nomination_in(Stage::kNominated);
      nomination.follow(*transition_of(Stage::kNominated, event), facts);
      CHECK(nomination.on_api.empty());
    }
  }

  TEST_CASE("what a write names") {
    Nomination nomination = nomination_in(Stage::kQueued);
    const PodFacts facts = facts_of(gated(told("p", 5), {kGateOfOurs}));
    const NominationWrite write = nomination.begin_write(facts, "n1", kGateOfOurs);
    CHECK(nomination.stage == Stage::kWriting);
    CHECK(write.pod.resource_version == "5");
    CHECK(write.gate == kGateOfOurs);
    nomination.note_report({.event = NominationEvent::kWritten, .version = 7});
    CHECK(nomination.identity(facts).resource_version == "7");
    CHECK_FALSE(nomination.has_gate_still(facts, kGateOfOurs));  // The event is older than the write.
    CHECK(nomination.begin_write(facts, "n2", "").gate.empty());
  }

  TEST_CASE("which nominations may be missing on the API") {
    Nomination nomination = nomination_in(Stage::kNominated);
    const PodFacts facts = facts_of(told("p", 5));
    CHECK_FALSE(nomination.is_missing(facts));
    nomination.written = 0;
    CHECK(nomination.is_missing(facts));
    nomination.note_facts(facts_of(nominated(told("p", 6), "n1")));
    CHECK_FALSE(nomination.is_missing(facts));
  }
}

}  // namespace winnow::test
