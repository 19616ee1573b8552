// Each row of the table, made to happen by what the watch and the writers tell.
#include "extender/nominate/transition.h"

#include <doctest/doctest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <set>

#include "tests/extender/nominate/told_pods.h"

namespace winnow::test {
namespace {

using namespace std::chrono_literals;

/// A pod "p" that is brought into a stage. Its nomination is for the node "n1", and written as version 10.
struct Bed : Queue {
  void reach(Stage stage) {
    if (stage == Stage::kLeft) return pods.on_pod(nominated(told("p", 1), "n9", "kube-scheduler"));
    if (stage == Stage::kFound) return pods.on_pod(nominated(told("p", 1), "n1"));
    pods.on_pod(told("p", 1));
    if (stage == Stage::kQueued) return;
    ticket = next();
    pods.chosen(ticket, "n1");
    if (stage == Stage::kStanding) report(ticket, NominationEvent::kWritten, 10);
    if (stage == Stage::kEnded) report(ticket, NominationEvent::kFoundThere, 10);
  }
  void wrote(NominationEvent happening) { report(ticket, happening, 20); }

  Ticket ticket = 0;
};

struct Row {
  const char* sentence;
  Stage stage;
  NominationEvent happening;
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
  using H = NominationEvent;
  return {
      {"a pod that was left to others is bound", kLeft, H::kBoundElsewhere, bind_elsewhere},
      {"a pod that was left to others is deleted", kLeft, H::kGone, remove},
      {"the nomination of somebody else goes", kLeft, H::kFreed, clear},
      {"another Winnow nominates a pod that was left to others", kLeft, H::kFoundOurs, nominate_elsewhere},
      {"a pod in the queue is bound", kQueued, H::kBoundElsewhere, bind_elsewhere},
      {"a pod in the queue is deleted", kQueued, H::kGone, remove},
      {"a pod in the queue is being deleted", kQueued, H::kGone,
       [](Bed& bed) {
         Pod pod = told("p", 20);
         pod.metadata.deleting = true;
         tell(bed, pod);
       }},
      {"a pod in the queue has ended", kQueued, H::kGone,
       [](Bed& bed) {
         Pod pod = told("p", 20);
         pod.status.phase = "Failed";
         tell(bed, pod);
       }},
      {"kube-scheduler preempts for a pod in the queue", kQueued, H::kTaken, take},
      {"another Winnow nominates a pod in the queue", kQueued, H::kFoundOurs, nominate_elsewhere},
      {"a pod that fits nowhere changes", kQueued, H::kChanged,
       [](Bed& bed) {
         bed.pods.fits_nowhere(bed.next());
         tell(bed, changed(told("p", 20)));
       }},
  };
}

std::vector<Row> rows_of_writes() {
  using enum Stage;
  using H = NominationEvent;
  const auto result = [](NominationEvent happening) { return [=](Bed& bed) { bed.wrote(happening); }; };
  std::vector<Row> rows = {
      {"it is bound there before the writer tells", kWriting, H::kBoundThere, bind_there},
      {"it is bound elsewhere before the writer tells", kWriting, H::kBoundElsewhere, bind_elsewhere},
      {"it is deleted before the writer tells", kWriting, H::kGone, remove},
  };
  for (const NominationEvent happening :
       {H::kWritten, H::kWroteNothing, H::kFoundThere, H::kFoundElsewhere, H::kFoundGone, H::kOverruled,
        H::kRejected, H::kDenied, H::kUnclear, H::kNotSent})
    rows.push_back({"a writer tells", kWriting, happening, result(happening)});
  return rows;
}

std::vector<Row> rows_of_nominations() {
  using enum Stage;
  using H = NominationEvent;
  return {
      {"kube-scheduler follows", kStanding, H::kBoundThere, bind_there},
      {"kube-scheduler, or somebody's hand, binds it elsewhere", kStanding, H::kBoundElsewhere,
       bind_elsewhere},
      {"it is deleted", kStanding, H::kGone, remove},
      {"its name is another pod's", kStanding, H::kGone,
       [](Bed& bed) {
         Pod pod = bound(told("p", 20), "n1");
         pod.metadata.uid = "another";
         tell(bed, pod);
       }},
      {"kube-scheduler refuses the node, and finds no other", kStanding, H::kRefused, refuse},
      {"somebody clears the nomination", kStanding, H::kCleared, clear},
      {"kube-scheduler nominates another node", kStanding, H::kTaken, take},
      {"another Winnow nominates another node", kStanding, H::kFoundOurs, nominate_elsewhere},
      {"its labels change", kStanding, H::kChanged,
       [](Bed& bed) { tell(bed, changed(nominated(told("p", 20), "n1"))); }},
      {"the node is gone", kStanding, H::kNoLongerFits,
       [](Bed& bed) { bed.pods.no_longer_fits(bed.ticket); }},
      {"it is one that gets no nomination", kStanding, H::kLeftOut,
       [](Bed& bed) { bed.pods.end(bed.ticket, H::kLeftOut); }},
      {"kube-scheduler has given it up before, and does not try it again", kStanding, H::kUnfollowed,
       [](Bed& bed) {
         tell(bed, given_up(nominated(told("p", 20), "n1")));
         bed.now += WaitingPods::kUnfollowed;
         const auto doubt = bed.pods.next_doubt();
         REQUIRE(doubt);
         bed.pods.end(doubt->ticket, *doubt->doubt);
       }},
      {"kube-scheduler tries pods that came later", kStanding, H::kPassedOver,
       [](Bed& bed) { bed.pods.end(bed.ticket, H::kPassedOver); }},
      {"its gate cannot be removed", kStanding, H::kGateStays,
       [](Bed& bed) { bed.pods.end(bed.ticket, H::kGateStays); }},
      {"a lead begins, and what nobody told the outcome of is not on the API", kStanding, H::kNotThere,
       [](Bed& bed) { bed.pods.begin_lead(); }},
      {"a nomination that was found is followed", kFound, H::kBoundThere, bind_there},
      {"a nomination that was found is not followed", kFound, H::kBoundElsewhere, bind_elsewhere},
      {"the pod of a nomination that was found is deleted", kFound, H::kGone, remove},
      {"a nomination that was found is refused", kFound, H::kRefused, refuse},
      {"a nomination that was found is cleared", kFound, H::kCleared, clear},
      {"kube-scheduler overwrites a nomination that was found", kFound, H::kTaken, take},
      {"another Winnow overwrites a nomination that was found", kFound, H::kFoundOurs, nominate_elsewhere},
      {"the watch shows what the API has told: it is bound there", kEnded, H::kBoundThere, bind_there},
      {"the watch shows what the API has told: it is bound elsewhere", kEnded, H::kBoundElsewhere,
       bind_elsewhere},
      {"the watch shows what the API has told: it is deleted", kEnded, H::kGone, remove},
      {"etcd is restored to before the end", kEnded, H::kFreed, [](Bed& bed) { bed.pods.on_rewind(); }},
      {"a lead begins", kFound, H::kAdopted, [](Bed& bed) { bed.pods.begin_lead(); }},
  };
}

std::vector<Row> all_rows() {
  std::vector<Row> all = rows_of_pods_without_nomination();
  for (auto rows : {rows_of_writes(), rows_of_nominations()}) all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

/// Whether the queue says of the pod's nomination what the row of the table says.
void check_effects(const std::vector<Effect>& effects, const Transition& fate, bool had_nomination) {
  const bool says = had_nomination && (fate.assumption != Assumption::kStays || fate.outcome);
  REQUIRE(effects.size() == (says ? 1 : 0));
  if (!says) return;
  CHECK(effects.front().uid == "uid-p");
  CHECK(effects.front().node == "n1");
  CHECK(effects.front().happening == fate.happening);
  CHECK(effects.front().assumption == fate.assumption);
  CHECK(effects.front().outcome == fate.outcome);
  CHECK(effects.front().steps_back == fate.steps_back);
}

}  // namespace

TEST_SUITE("fates") {
  TEST_CASE("what happens to a pod has the fate that the table says") {
    std::set<const Transition*> seen;
    for (const Row& row : all_rows()) {
      CAPTURE(row.sentence);
      CAPTURE(to_string(row.stage));
      CAPTURE(to_string(row.happening));
      const Transition* const fate = fate_of(row.stage, row.happening);
      REQUIRE(fate);
      seen.insert(fate);
      Bed bed;
      if (row.happening == NominationEvent::kNotThere) {
        bed.reach(Stage::kWriting);
        bed.report(bed.ticket, NominationEvent::kUnclear);
      } else {
        bed.reach(row.stage);
      }
      REQUIRE(bed.stage() == row.stage);
      bed.pods.take_effects();
      const bool had_nomination = !bed.pods.status_of("default", "p")->node.empty();
      row.act(bed);
      CHECK(bed.stage() == fate->next);
      check_effects(bed.pods.take_effects(), *fate, had_nomination);
    }
    for (const Transition& fate : fates()) {
      CAPTURE(to_string(fate.stage));
      CAPTURE(to_string(fate.happening));
      CHECK(seen.contains(&fate));
    }
  }

  TEST_CASE("a nomination ends once, and an assumption is not lost with it") {
    for (const Transition& fate : fates()) {
      CAPTURE(to_string(fate.stage));
      CAPTURE(to_string(fate.happening));
      const bool ours = fate.stage == Stage::kWriting || fate.stage == Stage::kStanding;
      const bool goes_on = fate.next == Stage::kStanding;
      const bool takes_away = fate.happening == NominationEvent::kWroteNothing;
      CHECK(fate.outcome.has_value() == (ours && !goes_on && !takes_away));
      // What the watch tells of a pod that is bound has ended the assumption already, or will.
      const bool bound = fate.happening == NominationEvent::kBoundThere ||
                         fate.happening == NominationEvent::kBoundElsewhere;
      const bool watch_ends = bound || fate.happening == NominationEvent::kFoundThere;
      if (fate.outcome && !watch_ends) CHECK(fate.assumption == Assumption::kReleased);
      if (fate.steps_back) CHECK(fate.misses);
    }
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

}  // namespace winnow::test
