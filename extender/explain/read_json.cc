#include "extender/explain/read_json.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "cluster/text/json/document.h"
#include "cluster/text/json/json_reader.h"

namespace winnow {
namespace {

/// A number with a fraction. The reader of the API's objects has none.
struct Seconds {
  double value = 0;
};

bool read_value(const Reader& reader, Seconds& seconds) {
  if (!reader.value().IsNumber()) return reader.fail("a number");
  seconds.value = reader.value().GetDouble();
  return true;
}

}  // namespace

// Found by the reader of any struct, so they stand beside the structs and not in a namespace without a name.

static bool read_fields(const Reader& reader, FilterEntry& entry) {
  return reader.read("rule", entry.rule) && reader.read("fits", entry.fits) &&
         reader.read("skipped", entry.skipped) && reader.read("resolvable", entry.resolvable) &&
         reader.read("reasons", entry.reasons) && reader.read("error", entry.error);
}

static bool read_fields(const Reader& reader, ScoreEntry& entry) {
  return reader.read("rule", entry.rule) && reader.read("raw", entry.raw) &&
         reader.read("score", entry.score) && reader.read("weight", entry.weight) &&
         reader.read("skipped", entry.skipped);
}

static bool read_fields(const Reader& reader, ScoreError& error) {
  return reader.read("rule", error.rule) && reader.read("error", error.error);
}

static bool read_fields(const Reader& reader, NodeExplanation& node) {
  node.scored = node.fits = false;
  if (!(reader.read("name", node.name) && reader.read("fits", node.fits) &&
        reader.read("filters", node.filters) && reader.read("scores", node.scores) &&
        reader.read("scoreError", node.score_error) && reader.read("total", node.total) &&
        reader.read("answer", node.answer)))
    return false;
  node.scored = reader.has("total") || !node.fits;
  return !node.name.empty() || reader.complain("name is missing");
}

static bool read_fields(const Reader& reader, RefusalEntry& refused) {
  std::int64_t times = 1;
  Seconds since, would_fit;
  if (!(reader.read("times", times) && reader.read("seconds", since) &&
        reader.read("wouldFitOn", refused.would_fit_on) && reader.read("wouldFitSeconds", would_fit)))
    return false;
  refused.times = static_cast<std::uint64_t>(times);
  refused.seconds = since.value;
  refused.would_fit_seconds = would_fit.value;
  return true;
}

static bool read_fields(const Reader& reader, PreemptionPreview& preview) {
  std::int64_t judged = 0, candidates = 0;
  if (!(reader.read("node", preview.node) && reader.read("victims", preview.victims) &&
        reader.read("violations", preview.violations) && reader.read("message", preview.message) &&
        reader.read("candidates", judged) && reader.read("of", candidates)))
    return false;
  preview.judged = static_cast<std::size_t>(judged);
  preview.candidates = static_cast<std::size_t>(candidates);
  preview.in_vain = reader.has("note");
  return true;
}

static bool read_fields(const Reader& reader, HeldPlace& place) {
  std::string pod, by, tried;
  std::optional<Seconds> seconds;
  std::map<std::string, std::int64_t, std::less<>> others;
  if (!(reader.read("node", place.node) && reader.read("pod", pod) && reader.read("by", by) &&
        reader.read("manager", place.manager) && reader.read("seconds", seconds) &&
        reader.read("tried", tried) && reader.read("milliCPU", place.milli_cpu) &&
        reader.read("memory", place.memory) && reader.read("ephemeralStorage", place.ephemeral_storage) &&
        reader.read("others", others)))
    return false;
  const std::size_t slash = pod.find('/');
  if (slash == std::string::npos) return reader.complain("pod: expected NAMESPACE/NAME");
  place.ns = pod.substr(0, slash);
  place.name = pod.substr(slash + 1);
  place.by = held_by_of(by).value_or(HeldBy::kOtherNomination);
  place.tried = held_tried_of(tried).value_or(HeldTried::kSince);
  if (seconds) place.seconds = seconds->value;
  place.others.assign(others.begin(), others.end());
  return true;
}

static bool read_fields(const Reader& reader, Explanation& it) {
  if (!reader.has("nodes") || !reader.has("feasible")) return reader.complain("feasible or nodes is missing");
  return reader.read("pod", it.pod) && reader.read("feasible", it.feasible) &&
         reader.read("selected", it.selected) && reader.read("assumed", it.assumed) &&
         reader.read("error", it.error) && reader.read("warnings", it.warnings) &&
         reader.read("notJudged", it.not_judged) && reader.read("node", it.node) &&
         reader.read("nominated", it.nominated) && reader.read("nominatedBy", it.nominated_by) &&
         reader.read("notNominated", it.not_nominated) && reader.read("gates", it.gates) &&
         reader.read("refused", it.refused) && reader.read("preemption", it.preemption) &&
         reader.read("held", it.held) && reader.read("nodes", it.nodes) &&
         (!it.pod.empty() || reader.complain("pod is missing"));
}

std::expected<Explanation, std::string> read_explanation(const std::string& json) {
  const auto document = load_document(json);
  if (!document) return std::unexpected(document.error().text());
  Explanation explanation;
  std::string error;
  const Reader root(document->root(), nullptr, error);
  if (!root.expect_object() || !read_fields(root, explanation)) return std::unexpected(std::move(error));
  return explanation;
}

}  // namespace winnow
