// Each row of the table, made to happen by what the watch and the writers tell.
#include "extender/nominate/transition.h"

#include <doctest/doctest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <set>

#include "tests/extender/nominate/told_pods.h"

namespace winnow::test::transition_test {
namespace {

using namespace std::chrono_literals;

/// A pod "p" that is brought into a stage. Its nomination is for the node "n1", and written as version 10.
struct Bed : Queue {
  void reach(Stage stage) {
    if (stage == Stage::kForeign) return pods.on_pod(nominated(told("p", 1), "n9", "kube-scheduler"));
    if (stage == Stage::kInherited) return pods.on_pod(nominated(told("p", 1), "n1"));
    pods.on_pod(told("p", 1));
    if (stage == Stage::kQueued) return;
    ticket = next();
    pods.chosen(ticket, "n1");
    if (stage == Stage::kNominated) report(ticket, NominationEvent::kWritten, 10);
    if (stage == Stage::kEnded) report(ticket, NominationEvent::kFoundThere, 10);
  }
  void wrote(NominationEvent event) { report(ticket, event, 20); }

  Ticket ticket = 0;
};

struct Row {
  const char* sentence;
  Stage stage;
  NominationEvent event;
  std::function<void(Bed&)> act;
};

Pod changed(Pod made) {
  made.metadata.labels["tier"] = "gold";
  return made;
}

void tell(Bed& bed, const Pod& pod) { bed.pods.on_pod(pod); }
void bind_there(Bed& bed) { tell(bed, bound(told("p", 20), "n1")); }
void bind_elsewhere(Bed& bed) { tell(bed, bound(told("p", 20), "n2")); }
void remove(Bed& bed) { bed.pods.on_gone("default", "p", 20); }
void clear(Bed& bed) { tell(bed, told("p", 20)); }
void refuse(Bed& bed) { tell(bed, given_up(told("p", 20))); }
void take(Bed& bed) { tell(bed, nominated(told("p", 20), "n2", "kube-scheduler")); }
void nominate_elsewhere(Bed& bed) { tell(bed, nominated(told("p", 20), "n2")); }

std::vector<Row> rows_of_pods_without_nomination() {
  using enum Stage;
  using E = NominationEvent;
  return {
      {"a pod that was left to others is bound", kForeign, E::kBoundElsewhere, bind_elsewhere},
      {"a pod that was left to others is deleted", kForeign, E::kGone, remove},
      {"the nomination of somebody else goes", kForeign, E::kFreed, clear},
      {"another Winnow nominates a pod that was left to others", kForeign, E::kFoundOurs, nominate_elsewhere},
      {"a pod in the queue is bound", kQueued, E::kBoundElsewhere, bind_elsewhere},
      {"a pod in the queue is deleted", kQueued, E::kGone, remove},
      {"a pod in the queue is being deleted", kQueued, E::kGone,
       [](Bed& bed) {
         Pod pod = told("p", 20);
         pod.metadata.deleting = true;
         tell(bed, pod);
       }},
      {"a pod in the queue has ended", kQueued, E::kGone,
       [](Bed& bed) {
         Pod pod = told("p", 20);
         pod.status.phase = "Failed";
         tell(bed, pod);
       }},
      {"kube-scheduler preempts for a pod in the queue", kQueued, E::kTaken, take},
      {"another Winnow nominates a pod in the queue", kQueued, E::kFoundOurs, nominate_elsewhere},
      {"a pod that fits nowhere changes", kQueued, E::kChanged,
       [](Bed& bed) {
         bed.pods.fits_nowhere(bed.next());
         tell(bed, changed(told("p", 20)));
       }},
  };
}

std::vector<Row> rows_of_writes() {
  using enum Stage;
  using E = NominationEvent;
  const auto result = [](NominationEvent event) { return [=](Bed& bed) { bed.wrote(event); }; };
  std::vector<Row> rows = {
      {"it is bound there before the writer tells", kWriting, E::kBoundThere, bind_there},
      {"it is bound elsewhere before the writer tells", kWriting, E::kBoundElsewhere, bind_elsewhere},
      {"it is deleted before the writer tells", kWriting, E::kGone, remove},
  };
  for (const NominationEvent event :
       {E::kWritten, E::kWroteNothing, E::kFoundThere, E::kFoundElsewhere, E::kFoundGone, E::kOverruled,
        E::kRejected, E::kDenied, E::kUnclear, E::kNotSent})
    rows.push_back({"a writer tells", kWriting, event, result(event)});
  return rows;
}

std::vector<Row> rows_of_nominations() {
  using enum Stage;
  using E = NominationEvent;
  return {
      {"kube-scheduler follows", kNominated, E::kBoundThere, bind_there},
      {"kube-scheduler, or somebody's hand, binds it elsewhere", kNominated, E::kBoundElsewhere,
       bind_elsewhere},
      {"it is deleted", kNominated, E::kGone, remove},
      {"its name is another pod's", kNominated, E::kGone,
       [](Bed& bed) {
         Pod pod = bound(told("p", 20), "n1");
         pod.metadata.uid = "another";
         tell(bed, pod);
       }},
      {"kube-scheduler refuses the node, and finds no other", kNominated, E::kRefused, refuse},
      {"somebody clears the nomination", kNominated, E::kCleared, clear},
      {"kube-scheduler nominates another node", kNominated, E::kTaken, take},
      {"another Winnow nominates another node", kNominated, E::kFoundOurs, nominate_elsewhere},
      {"its labels change", kNominated, E::kChanged,
       [](Bed& bed) { tell(bed, changed(nominated(told("p", 20), "n1"))); }},
      {"the node is gone", kNominated, E::kNoLongerFits,
       [](Bed& bed) { bed.pods.end(bed.ticket, E::kNoLongerFits); }},
      {"it is one that gets no nomination", kNominated, E::kLeftOut,
       [](Bed& bed) { bed.pods.end(bed.ticket, E::kLeftOut); }},
      {"kube-scheduler has given it up before, and does not try it again", kNominated, E::kUnfollowed,
       [](Bed& bed) {
         tell(bed, given_up(nominated(told("p", 20), "n1")));
         bed.clock.advance(retry::kUnfollowed);
         const auto doubt = bed.pods.next_doubt();
         REQUIRE(doubt);
         bed.pods.end(doubt->ticket, *doubt->doubt);
       }},
      {"kube-scheduler tries pods that came later", kNominated, E::kPassedOver,
       [](Bed& bed) { bed.pods.end(bed.ticket, E::kPassedOver); }},
      {"its gate cannot be removed", kNominated, E::kGateStays,
       [](Bed& bed) { bed.pods.end(bed.ticket, E::kGateStays); }},
      {"a lead begins, and what nobody told the outcome of is not on the API", kNominated, E::kNotThere,
       [](Bed& bed) { bed.pods.begin_lead(); }},
      {"a nomination that was found is followed", kInherited, E::kBoundThere, bind_there},
      {"a nomination that was found is not followed", kInherited, E::kBoundElsewhere, bind_elsewhere},
      {"the pod of a nomination that was found is deleted", kInherited, E::kGone, remove},
      {"a nomination that was found is refused", kInherited, E::kRefused, refuse},
      {"a nomination that was found is cleared", kInherited, E::kCleared, clear},
      {"kube-scheduler overwrites a nomination that was found", kInherited, E::kTaken, take},
      {"another Winnow overwrites a nomination that was found", kInherited, E::kFoundOurs,
       nominate_elsewhere},
      {"the watch shows what the API has told: it is bound there", kEnded, E::kBoundThere, bind_there},
      {"the watch shows what the API has told: it is bound elsewhere", kEnded, E::kBoundElsewhere,
       bind_elsewhere},
      {"the watch shows what the API has told: it is deleted", kEnded, E::kGone, remove},
      {"etcd is restored to before the end", kEnded, E::kFreed, [](Bed& bed) { bed.pods.on_rewind(); }},
      {"a lead begins", kInherited, E::kAdopted, [](Bed& bed) { bed.pods.begin_lead(); }},
  };
}

std::vector<Row> all_rows() {
  std::vector<Row> all = rows_of_pods_without_nomination();
  for (auto rows : {rows_of_writes(), rows_of_nominations()}) all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

/// Whether the queue says of the pod's nomination what the row of the table says.
void check_effects(const std::vector<Effect>& effects, const Transition& transition, bool had_nomination) {
  const bool says = had_nomination && (transition.assumption != Assumption::kStays || transition.outcome);
  REQUIRE(effects.size() == (says ? 1 : 0));
  if (!says) return;
  CHECK(effects.front().uid == "uid-p");
  CHECK(effects.front().node == "n1");
  CHECK(effects.front().event == transition.on);
  CHECK(effects.front().assumption == transition.assumption);
  CHECK(effects.front().outcome == transition.outcome);
  CHECK(effects.front().avoids_node == transition.avoids_node);
}

/// Calls it for each row of the table.
template <class Check>
void walk_table(const Check& check) {
  for (std::size_t i = 0; i < kStages; ++i)
    for (const Transition& transition : transitions_from(static_cast<Stage>(i))) {
      CAPTURE(to_string(static_cast<Stage>(i)));
      CAPTURE(to_string(transition.on));
      check(static_cast<Stage>(i), transition);
    }
}

}  // namespace

TEST_SUITE("the table of nominations") {
  TEST_CASE("what happens to a pod leads where the table says") {
    std::set<const Transition*> seen;
    for (const Row& row : all_rows()) {
      CAPTURE(row.sentence);
      CAPTURE(to_string(row.stage));
      CAPTURE(to_string(row.event));
      const Transition* const transition = transition_of(row.stage, row.event);
      REQUIRE(transition);
      seen.insert(transition);
      Bed bed;
      if (row.event == NominationEvent::kNotThere) {
        bed.reach(Stage::kWriting);
        bed.report(bed.ticket, NominationEvent::kUnclear);
      } else {
        bed.reach(row.stage);
      }
      REQUIRE(bed.stage() == row.stage);
      bed.pods.take_effects();
      const bool had_nomination = !bed.pods.status_of("default", "p")->node.empty();
      row.act(bed);
      CHECK(bed.stage() == transition->to);
      check_effects(bed.pods.take_effects(), *transition, had_nomination);
    }
    walk_table([&](Stage, const Transition& transition) { CHECK(seen.contains(&transition)); });
  }

  TEST_CASE("each event has one row of a stage, and each stage is reached") {
    std::set<Stage> reached{Stage::kForeign};  // Of a pod that is new.
    walk_table([&](Stage stage, const Transition& transition) {
      CHECK(transition_of(stage, transition.on) == &transition);
      reached.insert(transition.to);
    });
    CHECK(reached.contains(Stage::kWriting) == false);  // A decision leads there: Nomination::begin_write().
    CHECK(reached.size() == kStages - 1);
    CHECK(transitions_from(Stage::kForgotten).empty());
  }

  TEST_CASE("a nomination ends once, and an assumption is not lost with it") {
    walk_table([](Stage stage, const Transition& transition) {
      const bool ours = stage == Stage::kWriting || stage == Stage::kNominated;
      const bool goes_on = transition.to == Stage::kNominated;
      const bool takes_away = transition.on == NominationEvent::kWroteNothing;
      CHECK(transition.outcome.has_value() == (ours && !goes_on && !takes_away));
      // What the watch tells of a pod that is bound has ended the assumption already, or will.
      const bool bound =
          transition.on == NominationEvent::kBoundThere || transition.on == NominationEvent::kBoundElsewhere;
      const bool watch_ends = bound || transition.on == NominationEvent::kFoundThere;
      if (transition.outcome && !watch_ends) CHECK(transition.assumption == Assumption::kReleased);
      if (transition.avoids_node) CHECK(transition.waits);
    });
  }

  TEST_CASE("docs/nominate.md has each outcome") {
    std::ifstream file(std::string(WINNOW_ROOT) + "/docs/nominate.md");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (std::size_t i = 0; i < kNominationOutcomes; ++i) {
      const std::string outcome(to_string(static_cast<NominationOutcome>(i)));
      CAPTURE(outcome);
      CHECK(text.contains("| `" + outcome + "` |"));
    }
  }
}

}  // namespace winnow::test::transition_test
