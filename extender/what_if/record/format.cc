#include "extender/what_if/record/format.h"

#include <cstddef>
#include <format>
#include <utility>

#include "cluster/api/quantity.h"
#include "cluster/text/json.h"
#include "extender/service/scheduling/call_memory.h"

namespace winnow {
namespace {

/// Appends `,"key":` and the quoted text.
void add(std::string& line, std::string_view key, std::string_view text) {
  line += std::format(R"(,"{}":)", key);
  append_quoted(line, text);
}

template <std::size_t kWords, class Value>
std::string_view word_of(const std::string_view (&words)[kWords], Value value) {
  return words[static_cast<std::size_t>(value)];
}

template <class Texts>
void add_list(std::string& out, std::string_view key, const Texts& texts) {
  if (texts.empty()) return;
  out += std::format(R"({}"{}":[)", out.size() > 1 ? "," : "", key);
  const char* joint = "";
  for (const std::string& text : texts) {
    append_quoted(out += joint, text);
    joint = ",";
  }
  out += ']';
}

void add_call(std::string& line, const RecordedLook& look) {
  add(line, "at", look.at);
  add(line, "path", look.path);
  add(line, "query", look.query);
}

/// As the API has it in a claim's status.
void add_device(std::string& out, const AllocatedDevice& device) {
  out += R"({"request":)";
  append_quoted(out, device.request);
  add(out, "driver", device.driver);
  add(out, "pool", device.pool);
  add(out, "device", device.device);
  if (device.admin_access) out += R"(,"adminAccess":true)";
  if (device.share_id) add(out, "shareID", *device.share_id);
  if (!device.consumed_capacity.empty()) {
    out += R"(,"consumedCapacity":{)";
    for (const auto& [name, amount] : device.consumed_capacity) {
      if (out.back() != '{') out += ',';
      append_quoted(out, name);
      append_quoted(out += ':', quantity_text(amount));
    }
    out += '}';
  }
  out += '}';
}

/// Appends `,"key":` and the body.
void add_body(std::string& line, std::string_view key, const RecordedLook& look) {
  if (look.quoted_body.empty()) return add(line, key, look.body);
  line += std::format(R"(,"{}":)", key);
  line += look.quoted_body;
}

}  // namespace

bool is_recorded(std::string_view path) { return std::ranges::contains(kRecordedPaths, path); }

std::string head_line(const RecordingHead& head) {
  const RecordedOptions& options = head.options;
  std::string line =
      std::format(R"({{"winnow":"recording","format":{},"number":{})", kRecordingFormat, head.number);
  add(line, "version", head.version);
  add(line, "revision", head.revision);
  add(line, "run", head.run);
  add(line, "started", head.started);
  add(line, "answer", word_of(kAnswerWords, options.answer));
  add(line, "scoreScale", word_of(kScaleWords, options.scale));
  add(line, "failedNodes", word_of(kFailedWords, options.failed_nodes));
  if (options.preempt_search) add(line, "preemptSearch", word_of(kSearchWords, *options.preempt_search));
  add_list(line, "schedulerFilters", options.scheduler_filters);
  line += std::format(R"(,"assume":{})", options.assume);
  if (options.nominates_refused) line += R"(,"nominatesRefused":true)";
  if (options.seed) line += std::format(R"(,"seed":{})", *options.seed);
  return line + std::format(R"(,"drawn":{}}})", options.drawn);
}

std::string remembered_json(const Remembered& remembered) {
  std::string out = "{";
  const auto begin = [&](std::string_view key) {
    out += std::format(R"({}"{}":)", out.size() > 1 ? "," : "", key);
  };
  if (!remembered.not_followed.empty()) {
    begin("notFollowed");
    const char* joint = "{";
    for (const auto& [node, times] : remembered.not_followed) {
      append_quoted(out += joint, node);
      out += std::format(":{}", times);
      joint = ",";
    }
    out += '}';
  }
  if (!remembered.remark.empty()) {
    begin("remark");
    append_quoted(out, remembered.remark);
  }
  add_list(out, "named", remembered.named);
  if (remembered.believed) begin("believed"), out += "true";
  if (remembered.refused_nominated) begin("refusedNominated"), out += "true";
  if (remembered.fits_outside) begin("fitsOutside"), out += "true";
  add_list(out, "promised", remembered.promised);
  if (const auto& refused = remembered.refused) {
    begin("refused");
    out += std::format(R"({{"times":{},"seconds":{})", refused->times, refused->seconds);
    if (refused->would_fit_seconds) {
      add(out, "wouldFitOn", refused->would_fit_on);
      out += std::format(R"(,"wouldFitSeconds":{})", *refused->would_fit_seconds);
    }
    out += '}';
  }
  if (!remembered.held.empty()) {
    begin("held");
    const char* joint = "{";
    for (const auto& [pod, held] : remembered.held) {
      append_quoted(out += joint, pod);
      out += std::format(R"(:{{"seconds":{},"tried":"{}"}})", held.seconds, to_string(held.tried));
      joint = ",";
    }
    out += '}';
  }
  if (!remembered.not_nominated.empty()) {
    begin("notNominated");
    append_quoted(out, remembered.not_nominated);
  }
  return out + "}";
}

std::string look_line(const RecordedLook& look, const Remembered& remembered) {
  std::string line = std::format(R"({{"look":{})", look.call);
  line.reserve(look.body.size() + look.body.size() / 4 + look.quoted_body.size() + 512);
  add_call(line, look);
  line += std::format(R"(,"rules":{},"picture":{})", look.rules, look.cache);
  if (std::string known = remembered_json(remembered); known != "{}") line += R"(,"remembered":)" + known;
  add_body(line, "body", look);
  line += '}';
  return line;
}

std::string answer_line(const RecordedAnswer& answer) {
  std::string line = std::format(R"({{"answer":{},"status":{},"comparable":{})", answer.call, answer.status,
                                 answer.comparable && !answer.without_look);
  line.reserve(answer.body.size() + answer.body.size() / 4 + 512);
  if (answer.without_look) {
    add_call(line, *answer.without_look);
    add_body(line, "request", *answer.without_look);
  }
  add(line, "body", answer.body);
  line += '}';
  return line;
}

std::string rules_line(std::uint64_t number, std::string_view gates, std::string_view config) {
  std::string line = std::format(R"({{"rules":{})", number);
  add(line, "gates", gates);
  add(line, "config", config);
  return line + "}";
}

std::string cache_line(std::uint64_t number, const State::Options& options) {
  std::string line = std::format(R"({{"picture":{})", number);
  add(line, "accounting", word_of(kAccountingWords, options.accounting));
  line += std::format(R"(,"exactZones":{})", options.exact_zones);
  add(line, "generation", word_of(kGenerationWords, options.generation));
  std::vector<std::string> facts;
  for (const NodeFact& fact : options.facts) facts.push_back(text_of(fact));
  add_list(line, "facts", facts);
  add_list(line, "podFields", options.pod_fields);
  add_list(line, "nodeFields", options.node_fields);
  if (options.node_load) line += R"(,"nodeLoad":true)";
  return line + "}";
}

void append_claims(std::string& line, std::span<const ClaimedDevices> devices) {
  if (devices.empty()) return;
  line += R"(,"claims":{)";
  for (const ClaimedDevices& claim : devices) {
    if (&claim != devices.data()) line += ',';
    append_quoted(line, claim.claim);
    line += R"(:{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":)";
    append_quoted(line, claim.claim);
    add(line, "uid", claim.uid);
    line += R"(},"status":{"allocation":{"devices":{"results":[)";
    for (const AllocatedDevice& device : claim.allocation.devices) {
      if (line.back() != '[') line += ',';
      add_device(line, device);
    }
    line += "]}}}}";
  }
  line += '}';
}

}  // namespace winnow
