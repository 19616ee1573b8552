#include "extender/explain/explanation_json.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/text/json.h"
#include "cluster/text/json_document.h"
#include "cluster/text/json_reader.h"
#include "extender/explain/devices_json.h"
#include "extender/explain/explanation.h"
#include "extender/explain/pending_summary.h"
#include "extender/explain/suggestion_text.h"

namespace winnow {
namespace {

void append_number(std::string& out, std::int64_t number) {
  std::array<char, 24> digits{};
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), result.ptr);
}

template <typename Item, typename Append>
void append_array(std::string& out, const std::vector<Item>& items, Append append) {
  out += '[';
  bool first = true;
  for (const Item& item : items) {
    if (!first) out += ',';
    first = false;
    append(out, item);
  }
  out += ']';
}

void append_value(std::string& out, const Cause::Value& value) {
  if (const auto* const number = std::get_if<std::int64_t>(&value))
    append_number(out, *number);
  else if (const auto* const text = std::get_if<std::string>(&value))
    append_quoted_line(out, *text);
  else
    append_array(out, std::get<std::vector<std::string>>(value), append_quoted_line);
}

}  // namespace

void append_cause(std::string& out, const Cause& cause) {
  out += R"({"kind":)";
  append_quoted(out, cause.kind);
  for (const auto& [name, value] : cause.fields) {
    out += ',';
    append_quoted(out, name);
    out += ':';
    append_value(out, value);
  }
  out += '}';
}

namespace {

void append_filter(std::string& out, const FilterEntry& entry) {
  out += R"({"rule":)";
  append_quoted(out, entry.rule);
  out += entry.fits ? R"(,"fits":true)" : R"(,"fits":false)";
  if (entry.skipped) out += R"(,"skipped":true)";
  if (entry.error) {
    out += R"(,"error":)";
    append_quoted_line(out, *entry.error);
  } else if (!entry.fits) {
    out += entry.resolvable ? R"(,"resolvable":true)" : R"(,"resolvable":false)";
    out += R"(,"reasons":)";
    append_array(out, entry.reasons, append_quoted_line);
  }
  if (!entry.causes.empty()) {
    out += R"(,"causes":)";
    append_array(out, entry.causes, append_cause);
  }
  out += '}';
}

void append_score(std::string& out, const ScoreEntry& entry) {
  out += R"({"rule":)";
  append_quoted(out, entry.rule);
  if (entry.raw) {
    out += R"(,"raw":)";
    append_number(out, *entry.raw);
  }
  out += R"(,"score":)";
  append_number(out, entry.score);
  out += R"(,"weight":)";
  append_number(out, entry.weight);
  if (entry.skipped) out += R"(,"skipped":true)";
  if (!entry.facts.empty()) append_array(out += R"(,"facts":)", entry.facts, append_cause);
  out += '}';
}

void append_node(std::string& out, const NodeExplanation& node) {
  out += R"({"name":)";
  append_quoted(out, node.name);
  out += node.fits ? R"(,"fits":true,"filters":)" : R"(,"fits":false,"filters":)";
  append_array(out, node.filters, append_filter);
  if (node.fits && node.scored) {
    out += R"(,"scores":)";
    append_array(out, node.scores, append_score);
    out += R"(,"total":)";
    append_number(out, node.total);
    out += R"(,"answer":)";
    append_number(out, node.answer);
  }
  if (node.score_error) {
    out += R"(,"scoreError":{"rule":)";
    append_quoted(out, node.score_error->rule);
    out += R"(,"error":)";
    append_quoted_line(out, node.score_error->error);
    out += '}';
  }
  if (!node.devices.empty()) append_devices(out += R"(,"devices":)", node.devices);
  out += '}';
}

void append_text(std::string& out, std::string_view key, const std::optional<std::string>& text) {
  if (!text) return;
  out.append(",\"").append(key).append("\":");
  append_quoted(out, *text);
}

/// Writes seconds with one decimal.
void append_seconds(std::string& out, std::string_view key, double seconds) {
  std::array<char, 400> digits{};
  const auto result =
      std::to_chars(digits.data(), digits.data() + digits.size(), seconds, std::chars_format::fixed, 1);
  out.append(",\"").append(key).append("\":").append(digits.data(), result.ptr);
}

void append_refusal(std::string& out, const RefusalEntry& refused) {
  out += R"(,"refused":{"times":)";
  out += std::to_string(refused.times);
  append_seconds(out, "seconds", refused.seconds);
  if (refused.would_fit_on) {
    append_text(out, "wouldFitOn", refused.would_fit_on);
    append_seconds(out, "wouldFitSeconds", refused.would_fit_seconds);
  }
  out += '}';
}

void append_amount(std::string& out, std::string_view key, std::int64_t amount) {
  if (amount == 0) return;
  out.append(",\"").append(key).append("\":");
  append_number(out, amount);
}

void append_held(std::string& out, const HeldPlace& place) {
  out += R"({"node":)";
  append_quoted(out, place.node);
  out += R"(,"pod":)";
  append_quoted(out, place.pod());
  append_text(out, "by", std::string(to_string(place.by)));
  if (!place.manager.empty()) append_text(out, "manager", place.manager);
  if (place.seconds) append_seconds(out, "seconds", *place.seconds);
  append_text(out, "tried", std::string(to_string(place.tried)));
  append_amount(out, "milliCPU", place.milli_cpu);
  append_amount(out, "memory", place.memory);
  append_amount(out, "ephemeralStorage", place.ephemeral_storage);
  if (!place.others.empty()) {
    out += R"(,"others":{)";
    for (const auto& [resource, amount] : place.others) {
      if (&resource != &place.others.front().first) out += ',';
      append_quoted(out, resource);
      out += ':';
      append_number(out, amount);
    }
    out += '}';
  }
  out += '}';
}

void append_preemption(std::string& out, const PreemptionPreview& preview) {
  out += R"(,"preemption":{)";
  if (preview.node.empty()) {
    out += R"("message":)";
    append_quoted_line(out, preview.message);
  } else {
    out += R"("node":)";
    append_quoted(out, preview.node);
    out += R"(,"victims":)";
    append_array(out, preview.victims, append_quoted);
    out += R"(,"violations":)";
    append_number(out, preview.violations);
  }
  if (preview.judged < preview.candidates) {
    out += R"(,"candidates":)";
    append_number(out, static_cast<std::int64_t>(preview.judged));
    out += R"(,"of":)";
    append_number(out, static_cast<std::int64_t>(preview.candidates));
  }
  if (preview.in_vain) append_text(out, "note", std::string(kInVainNote));
  out += '}';
}

void append_help(std::string& out, const Help& help) {
  if (!help.suggestions.empty()) {
    out += R"(,"suggestions":)";
    append_array(out, help.suggestions, [](std::string& to, const Suggestion& one) {
      to += R"({"change":)";
      append_cause(to, one.change);
      if (one.also) append_cause(to += R"(,"also":)", *one.also);
      append_text(to, "node", one.node);
      to += R"(,"nodes":)";
      append_number(to, static_cast<std::int64_t>(one.nodes));
      append_text(to, "text", to_text(one));
      to += '}';
    });
  }
  if (help.fits_no_empty_node) out += R"(,"fitsNoEmptyNode":true)";
  if (!help.no_new_node) return;
  out += R"(,"noNewNode":{"text":)";
  append_quoted_line(out, to_text(*help.no_new_node));
  if (const NoNewNode& none = *help.no_new_node; none.daemon_sets.empty()) {
    append_text(out, "rule", none.rule);
    append_text(out, "lacks", none.text);
    out += none.is_size ? R"(,"isSize":true)" : R"(,"isSize":false)";
  } else {
    append_array(out += R"(,"daemonSets":)", none.daemon_sets, append_quoted);
  }
  out += '}';
}

void append_kept_out(std::string& out, const KeptOut& kept_out) {
  out += R"(,"keptOut":{"nodes":)";
  append_number(out, static_cast<std::int64_t>(kept_out.nodes));
  append_text(out, "text", to_text(kept_out));
  out += R"(,"obstacles":)";
  append_array(out, kept_out.obstacles, [](std::string& to, const Obstacle& one) {
    append_quoted(to += R"({"rule":)", one.rule);
    append_cause(to += R"(,"cause":)", one.cause);
    to += '}';
  });
  out += '}';
}

void append_sum(std::string& out, const CauseSum& sum) {
  out += R"({"rule":)";
  append_quoted(out, sum.rule);
  out += R"(,"text":)";
  append_quoted_line(out, sum.text);
  out += R"(,"nodes":)";
  append_number(out, static_cast<std::int64_t>(sum.nodes));
  out += '}';
}

}  // namespace

void append_held_places(std::string& out, const std::vector<HeldPlace>& held) {
  if (held.empty()) return;
  out += R"(,"held":)";
  append_array(out, held, append_held);
}

void append_prospects(std::string& out, const Explanation& explanation) {
  if (explanation.preemption) append_preemption(out, *explanation.preemption);
  append_held_places(out, explanation.held);
  append_help(out, explanation.help);
  if (explanation.kept_out) append_kept_out(out, *explanation.kept_out);
}

void append_json(std::string& out, const Explanation& explanation) {
  out += R"({"pod":)";
  append_quoted(out, explanation.pod);
  if (!explanation.rules.empty()) append_text(out, "rules", explanation.rules);
  out += R"(,"feasible":)";
  append_number(out, explanation.feasible);
  out += R"(,"selected":)";
  if (explanation.selected) {
    append_quoted(out, *explanation.selected);
  } else {
    out += "null";
  }
  append_text(out, "assumed", explanation.assumed);
  if (explanation.error) append_quoted_line(out += R"(,"error":)", *explanation.error);
  if (explanation.pre_filter) append_quoted_line(out += R"(,"preFilter":)", *explanation.pre_filter);
  if (!explanation.warnings.empty()) {
    out += R"(,"warnings":)";
    append_array(out, explanation.warnings, append_quoted_line);
  }
  if (!explanation.not_judged.empty()) {
    out += R"(,"notJudged":)";
    append_array(out, explanation.not_judged, append_quoted);
  }
  if (!explanation.remarks.empty()) {
    out += R"(,"remarks":)";
    append_array(out, explanation.remarks, append_quoted_line);
  }
  append_text(out, "node", explanation.node);
  append_text(out, "nominated", explanation.nominated);
  append_text(out, "nominatedBy", explanation.nominated_by);
  append_text(out, "notNominated", explanation.not_nominated);
  if (!explanation.gates.empty()) {
    out += R"(,"gates":)";
    append_array(out, explanation.gates, append_quoted);
  }
  if (explanation.refused) append_refusal(out, *explanation.refused);
  append_prospects(out, explanation);
  if (!explanation.summary.empty()) append_array(out += R"(,"summary":)", explanation.summary, append_sum);
  out += R"(,"nodes":)";
  append_array(out, explanation.nodes, append_node);
  out += '}';
}

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

/// A cause has the fields of its kind, which may be one that a later Winnow knows.
static bool read_value(const Reader& reader, Cause& cause) {
  if (!reader.value().IsObject()) return reader.fail("an object");
  for (const auto& member : reader.value().GetObject()) {
    const std::string name(member.name.GetString(), member.name.GetStringLength());
    const rapidjson::Value& value = member.value;
    if (name == "kind" && value.IsString()) {
      cause.kind = value.GetString();
    } else if (value.IsInt64()) {
      cause.with(name, value.GetInt64());
    } else if (value.IsString()) {
      cause.with(name, std::string(value.GetString(), value.GetStringLength()));
    } else if (value.IsArray()) {
      std::vector<std::string> texts;
      for (const rapidjson::Value& one : value.GetArray())
        if (one.IsString()) texts.emplace_back(one.GetString(), one.GetStringLength());
      cause.with(name, std::move(texts));
    }
  }
  return !cause.kind.empty() || reader.complain("kind is missing");
}

static bool read_fields(const Reader& reader, FilterEntry& entry) {
  return reader.read("rule", entry.rule) && reader.read("fits", entry.fits) &&
         reader.read("skipped", entry.skipped) && reader.read("resolvable", entry.resolvable) &&
         reader.read("reasons", entry.reasons) && reader.read("causes", entry.causes) &&
         reader.read("error", entry.error);
}

static bool read_fields(const Reader& reader, ScoreEntry& entry) {
  return reader.read("rule", entry.rule) && reader.read("raw", entry.raw) &&
         reader.read("score", entry.score) && reader.read("weight", entry.weight) &&
         reader.read("skipped", entry.skipped) && reader.read("facts", entry.facts);
}

static bool read_fields(const Reader& reader, ScoreError& error) {
  return reader.read("rule", error.rule) && reader.read("error", error.error);
}

static bool read_fields(const Reader& reader, NodeExplanation& node) {
  node.scored = node.fits = false;
  if (!(reader.read("name", node.name) && reader.read("fits", node.fits) &&
        reader.read("filters", node.filters) && reader.read("scores", node.scores) &&
        reader.read("scoreError", node.score_error) && reader.read("total", node.total) &&
        reader.read("answer", node.answer) && reader.read("devices", node.devices)))
    return false;
  for (std::size_t i = 0; i < node.filters.size(); ++i) node.filters[i].place = i;
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
  if (pod.empty()) return reader.complain("pod: expected NAMESPACE/NAME");
  const std::size_t slash = pod.find('/');  // A name that may not be told is a number: "1 pod".
  if (slash != std::string::npos) place.ns = pod.substr(0, slash);
  place.name = slash == std::string::npos ? pod : pod.substr(slash + 1);
  place.by = held_by_of(by).value_or(HeldBy::kOtherNomination);
  place.tried = held_tried_of(tried).value_or(HeldTried::kSince);
  if (seconds) place.seconds = seconds->value;
  place.others.assign(others.begin(), others.end());
  return true;
}

static bool read_fields(const Reader& reader, Obstacle& obstacle) {
  return reader.read("rule", obstacle.rule) && reader.read("cause", obstacle.cause);
}

static bool read_fields(const Reader& reader, KeptOut& kept_out) {
  std::int64_t nodes = 0;
  if (!reader.read("nodes", nodes) || !reader.read("obstacles", kept_out.obstacles)) return false;
  kept_out.nodes = static_cast<std::size_t>(nodes);
  return true;
}

static bool read_fields(const Reader& reader, CauseSum& sum) {
  std::int64_t nodes = 0;
  if (!reader.read("rule", sum.rule) || !reader.read("text", sum.text) || !reader.read("nodes", nodes))
    return false;
  sum.nodes = static_cast<std::size_t>(nodes);
  return true;
}

static bool read_fields(const Reader& reader, Suggestion& suggestion) {
  std::int64_t nodes = 0;
  const bool good = reader.read("change", suggestion.change) && reader.read("also", suggestion.also) &&
                    reader.read("node", suggestion.node) && reader.read("nodes", nodes);
  suggestion.nodes = static_cast<std::size_t>(nodes);
  return good;
}

static bool read_fields(const Reader& reader, NoNewNode& none) {
  return reader.read("rule", none.rule) && reader.read("lacks", none.text) &&
         reader.read("isSize", none.is_size) && reader.read("daemonSets", none.daemon_sets);
}

static bool read_fields(const Reader& reader, Explanation& it) {
  if (!reader.has("nodes") || !reader.has("feasible")) return reader.complain("feasible or nodes is missing");
  return reader.read("pod", it.pod) && reader.read("rules", it.rules) && reader.read("summary", it.summary) &&
         reader.read("keptOut", it.kept_out) && reader.read("suggestions", it.help.suggestions) &&
         reader.read("noNewNode", it.help.no_new_node) &&
         reader.read("fitsNoEmptyNode", it.help.fits_no_empty_node) && reader.read("feasible", it.feasible) &&
         reader.read("selected", it.selected) && reader.read("assumed", it.assumed) &&
         reader.read("error", it.error) && reader.read("preFilter", it.pre_filter) &&
         reader.read("warnings", it.warnings) && reader.read("notJudged", it.not_judged) &&
         reader.read("remarks", it.remarks) && reader.read("node", it.node) &&
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
