// What is sent for a write, in which order, and what its outcome is called.
#include "extender/nominate/nomination_writers.h"

#include <doctest/doctest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <new>

#include "tests/cluster/manual_clock.h"
#include "tests/printing.h"

namespace winnow::test {
namespace {

using live::PatchOutcome;
using live::PatchResult;
using Step = std::pair<std::string, PatchResult>;  ///< What is sent, and the result.

PatchResult written(const std::string& version) { return {PatchOutcome::kWritten, "", "", version}; }
PatchResult failed(PatchOutcome outcome, const std::string& node = "") {
  return {outcome, "why", node, outcome == PatchOutcome::kUnknown ? "" : "30"};
}

/// Servers have failed it, and the pod is as it was.
PatchResult not_done() {
  PatchResult result = failed(PatchOutcome::kUnknown);
  result.unchanged = true;
  return result;
}

NominationWrite nomination(const std::string& node, const std::string& instead_of = "",
                           const std::string& gate = "") {
  return {.ticket = 7,
          .pod = {"default", "p", "uid-p", "5"},
          .instead_of = instead_of,
          .node = node,
          .gate = gate,
          .term = 1};
}

/// An API that answers by a script, and notes what it is sent. The ticket 7 alone is wanted.
struct Script : PodWriter, Leadership, WriteOwner {
  explicit Script(std::vector<Step> given = {}) : steps(std::move(given)) {}

  live::PatchResult nominate(const live::PodIdentity& pod, const std::string& node,
                             const std::string& instead_of, live::Clock::Time,
                             const std::stop_token&) override {
    return answer("nominate " + node + " instead of " + instead_of + " at " + pod.resource_version);
  }
  live::PatchResult remove_gate(const live::PodIdentity& pod, std::string_view gate, live::Clock::Time,
                                const std::stop_token&) override {
    return answer("remove " + std::string(gate) + " at " + pod.resource_version);
  }
  std::uint64_t term() const override { return std::uint64_t{at < leads_for}; }
  live::Clock::Time until() const override { return leads_until; }
  bool is_wanted(Ticket ticket) const override { return ticket == 7; }
  void on_done(const NominationWrite&, const WriteResult&) override {}

  PatchResult answer(const std::string& sent) {
    CAPTURE(sent);
    REQUIRE(at < steps.size());
    CHECK(sent == steps[at].first);
    return steps[at++].second;
  }
  WriteResult try_once(const NominationWrite& write) {
    return NominationWriting{*this, *this, *this, clock}.carry_out(write, {});
  }
  /// With all tries. One try gives the thread back.
  WriteResult carry_out(const NominationWrite& write) {
    WriteResult result = try_once(write);
    for (unsigned tries = 1; result.again; ++tries) {
      CHECK(result.again->tries == tries);
      result = try_once(NominationWrite(*result.again));
    }
    return result;
  }

  std::vector<Step> steps;
  std::size_t at = 0;
  std::size_t leads_for = 100;  ///< The number of patches after which the lead is lost.
  live::Clock::Time leads_until = live::Clock::Time::max();
  live::test::ManualClock clock;
};

/// A leader that has functions do its nominations, and wants all.
struct Functions : PodWriter, Leadership, WriteOwner {
  using Patch = std::function<PatchResult(const live::PodIdentity&, const std::stop_token&)>;
  using Done = std::function<void(const NominationWrite&, const WriteResult&)>;
  Functions(Patch patches, Done on_end) : patch(std::move(patches)), done(std::move(on_end)) {}

  live::PatchResult nominate(const live::PodIdentity& pod, const std::string&, const std::string&,
                             live::Clock::Time, const std::stop_token& stop) override {
    return patch(pod, stop);
  }
  live::PatchResult remove_gate(const live::PodIdentity&, std::string_view, live::Clock::Time,
                                const std::stop_token&) override {
    return {};
  }
  std::uint64_t term() const override { return 1; }
  live::Clock::Time until() const override { return live::Clock::Time::max(); }
  bool is_wanted(Ticket) const override { return true; }
  void on_done(const NominationWrite& write, const WriteResult& result) override { done(write, result); }
  NominationWriting writing() { return {*this, *this, *this, live::system_clock()}; }

  const Patch patch;
  const Done done;
};

struct Row {
  const char* sentence;
  NominationWrite write;
  std::vector<Step> steps;
  NominationEvent event;
  std::uint64_t version = 0;
  bool gate_stays = false;
};

const std::string kNominate = "nominate a instead of  at 5";

std::vector<Row> rows_of_one_patch() {
  using H = NominationEvent;
  using P = PatchOutcome;
  return {
      {"written", nomination("a"), {{kNominate, written("6")}}, H::kWritten, 6},
      {"it was so already", nomination("a"), {{kNominate, failed(P::kAlreadySo)}}, H::kWritten, 30},
      {"bound there", nomination("a"), {{kNominate, failed(P::kBound, "a")}}, H::kFoundThere, 30},
      {"bound elsewhere", nomination("a"), {{kNominate, failed(P::kBound, "b")}}, H::kFoundElsewhere, 30},
      {"gone", nomination("a"), {{kNominate, failed(P::kGone)}}, H::kFoundGone, 30},
      {"nominated by another", nomination("a"), {{kNominate, failed(P::kOverruled, "b")}}, H::kOverruled, 30},
      {"refused", nomination("a"), {{kNominate, failed(P::kRefused)}}, H::kRejected, 30},
      {"denied", nomination("a"), {{kNominate, failed(P::kDenied)}}, H::kDenied, 30},
      {"taken away",
       nomination("", "b"),
       {{"nominate  instead of b at 5", written("6")}},
       H::kWroteNothing,
       6},
      {"a gate alone", nomination("", "", "g"), {{"remove g at 5", written("6")}}, H::kWroteNothing, 6},
      {"a gate alone that may not be removed",
       nomination("", "", "g"),
       {{"remove g at 5", failed(P::kDenied)}},
       H::kDenied,
       30},
  };
}

std::vector<Row> rows_of_several_patches() {
  using H = NominationEvent;
  using P = PatchOutcome;
  return {
      {"the pod is looked at before another try",
       nomination("a"),
       {{kNominate, failed(P::kUnknown)}, {"nominate a instead of  at ", failed(P::kAlreadySo)}},
       H::kWritten,
       30},
      {"servers fail the patch, and the pod is as it was",
       nomination("a"),
       {{kNominate, not_done()}},
       H::kRejected},
      {"the same, after a try that may have been carried out",
       nomination("a"),
       {{kNominate, failed(P::kUnknown)},
        {"nominate a instead of  at ", not_done()},
        {"nominate a instead of  at ", written("7")}},
       H::kWritten,
       7},
      {"a gate alone, with an answer lost",
       nomination("", "b", "g"),
       {{"nominate  instead of b at 5", written("6")},
        {"remove g at 6", failed(P::kUnknown)},
        {"remove g at ", written("7")}},
       H::kWroteNothing,
       7},
      {"a gate alone that servers fail to remove",
       nomination("", "", "g"),
       {{"remove g at 5", not_done()}},
       H::kRejected},
      {"nominated, and nobody tells whether the gate is removed",
       nomination("a", "", "g"),
       {{kNominate, written("6")}, {"remove g at 6", failed(P::kUnknown)}},
       H::kWritten,
       6,
       true},
      {"nominated, then without its gate",
       nomination("a", "", "g"),
       {{kNominate, written("6")}, {"remove g at 6", written("7")}},
       H::kWritten,
       7},
      {"nominated, and the gate may not be removed",
       nomination("a", "", "g"),
       {{kNominate, written("6")}, {"remove g at 6", failed(P::kDenied)}},
       H::kWritten,
       30,
       true},
      {"nominated, and bound before its gate was removed",
       nomination("a", "", "g"),
       {{kNominate, written("6")}, {"remove g at 6", failed(P::kBound, "a")}},
       H::kFoundThere,
       30,
       true},
      {"not nominated: its gate stays",
       nomination("a", "", "g"),
       {{kNominate, failed(P::kRefused)}},
       H::kRejected,
       30},
  };
}

}  // namespace

TEST_SUITE("nomination writers") {
  TEST_CASE("what is sent, and what comes of it") {
    for (const auto& rows : {rows_of_one_patch(), rows_of_several_patches()})
      for (const Row& row : rows) {
        CAPTURE(row.sentence);
        Script script(row.steps);
        const auto result = script.carry_out(row.write);
        CHECK(script.at == row.steps.size());
        CHECK(to_string(result.report.event) == to_string(row.event));
        CHECK(result.report.ticket == 7);
        CHECK(result.report.version == row.version);
        CHECK(result.report.gate_stays == row.gate_stays);
        CHECK(result.sent);
      }
  }

  TEST_CASE("who does not lead any more writes nothing") {
    struct LeadRow {
      const char* sentence;
      std::size_t leads_for;
      NominationWrite write;
      std::vector<Step> steps;
      NominationEvent event;
    };
    const LeadRow rows[] = {
        {"before the first patch", 0, nomination("a"), {}, NominationEvent::kNotSent},
        {"after a patch that nobody knows the outcome of",
         1,
         nomination("a"),
         {{kNominate, failed(PatchOutcome::kUnknown)}},
         NominationEvent::kUnclear},
        {"between the nomination and the gate",
         1,
         nomination("a", "", "g"),
         {{kNominate, written("6")}},
         NominationEvent::kWritten},
        {"while a nomination is taken away",
         1,
         nomination("", "b"),
         {{"nominate  instead of b at 5", failed(PatchOutcome::kUnknown)}},
         NominationEvent::kNotSent},
    };
    for (const LeadRow& row : rows) {
      CAPTURE(row.sentence);
      Script script(row.steps);
      script.leads_for = row.leads_for;
      const auto result = script.carry_out(row.write);
      CHECK(script.at == row.steps.size());
      CHECK(to_string(result.report.event) == to_string(row.event));
    }
  }

  TEST_CASE("nothing is sent where the lead ends too soon for an answer") {
    using Time = live::Clock::Time;
    const Time now = live::test::ManualClock().now();
    const Time ends[] = {now + std::chrono::milliseconds(100), now, Time{}, Time::min()};
    for (const Time end : ends) {
      CAPTURE((end - Time{}).count());
      Script script({{kNominate, written("6")}});
      script.leads_until = end;
      const auto result = script.try_once(nomination("a"));
      CHECK(to_string(result.report.event) == "not_sent");
      CHECK_FALSE(result.sent);
      CHECK_FALSE(result.again);
      script.leads_until = now + std::chrono::milliseconds(101);
      CHECK(to_string(script.try_once(nomination("a")).report.event) == "written");
    }
  }

  TEST_CASE("a write of another term, or of a decision that does not hold, is not sent") {
    Script script;
    NominationWrite write = nomination("a");
    SUBCASE("another term") { write.term = 2; }
    SUBCASE("another decision") { write.ticket = 8; }
    CHECK(script.try_once(write).report.event == NominationEvent::kNotSent);
  }

  TEST_CASE("many writes at once are all carried out, each once") {
    std::mutex mutex;
    std::condition_variable all_done;
    std::map<Ticket, int> done;
    Functions functions([](const auto&...) { return written("6"); },
                        [&](const NominationWrite& write, const WriteResult&) {
                          const std::lock_guard lock(mutex);
                          ++done[write.ticket];
                          all_done.notify_all();
                        });
    NominationWriters writers(functions.writing());
    constexpr Ticket kWrites = 200;
    for (Ticket ticket = 1; ticket <= kWrites; ++ticket) {
      NominationWrite write = nomination("a");
      write.ticket = ticket;
      writers.add(write);
    }
    std::unique_lock lock(mutex);
    all_done.wait(lock, [&] { return done.size() == kWrites; });
    for (const auto& [ticket, times] : done) CHECK(times == 1);
  }

  TEST_CASE("pods that cannot be written do not hold up others, and are tried again") {
    std::mutex mutex;
    std::condition_variable changed;
    std::map<std::string, int> tries;
    bool ends = false;  // Nothing is tried again then.
    Functions functions(
        [](const live::PodIdentity& pod, const auto&) {
          return pod.name == "good" ? written("6") : failed(PatchOutcome::kUnknown);
        },
        [&](const NominationWrite& write, const WriteResult& result) {
          const std::lock_guard lock(mutex);
          if (!ends) CHECK(result.again.has_value() == (write.pod.name != "good"));
          ++tries[write.pod.name];
          changed.notify_all();
        });
    NominationWriters writers(functions.writing());
    for (std::size_t i = 0; i < 2 * NominationWriters::kThreads; ++i) {
      NominationWrite write = nomination("a");
      write.pod.name = "bad-" + std::to_string(i);
      writers.add(write);
    }
    NominationWrite write = nomination("a");
    write.pod.name = "good";
    writers.add(write);
    std::unique_lock lock(mutex);
    constexpr std::chrono::minutes kEnough{1};
    CHECK(changed.wait_for(lock, kEnough, [&] { return tries["good"] == 1; }));
    CHECK(changed.wait_for(lock, kEnough, [&] { return tries["bad-0"] == 2; }));
    ends = true;
  }

  TEST_CASE("a write that throws, as for want of memory, is tried again") {
    std::atomic<int> tries = 0, done = 0;
    Functions functions(
        [&](const live::PodIdentity& pod, const auto&) {
          if (tries++ == 0) throw std::bad_alloc();
          CHECK(pod.resource_version.empty());  // The pod is looked at first.
          return written("6");
        },
        [&](const NominationWrite&, const WriteResult& result) {
          CHECK(result.report.event == NominationEvent::kWritten);
          done = 1;
          done.notify_all();
        });
    NominationWriters writers(functions.writing());
    writers.add(nomination("a"));
    done.wait(0);
    CHECK(tries == 2);
  }

  TEST_CASE("the end of the writers ends the patches on their way") {
    std::atomic<int> begun = 0;
    std::atomic<int> unclear = 0;
    Functions functions(
        [&](const auto&, const std::stop_token& stop) {
          ++begun;
          begun.notify_all();
          std::mutex mutex;
          std::condition_variable_any never;
          std::unique_lock lock(mutex);
          never.wait(lock, stop, [] { return false; });
          return failed(PatchOutcome::kUnknown);
        },
        [&](const NominationWrite&, const WriteResult& result) {
          unclear += result.report.event == NominationEvent::kUnclear;
        });
    {
      NominationWriters writers(functions.writing());
      for (std::size_t i = 0; i < NominationWriters::kThreads + NominationWriters::kWaiting; ++i)
        writers.add(nomination("a"));
      for (int seen = begun; seen < static_cast<int>(NominationWriters::kThreads); seen = begun)
        begun.wait(seen);
      CHECK_FALSE(writers.has_room());
    }
    CHECK(unclear == static_cast<int>(NominationWriters::kThreads));
  }
}

}  // namespace winnow::test
