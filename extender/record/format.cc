#include "extender/record/format.h"

#include <algorithm>
#include <cstddef>
#include <format>
#include <utility>

#include "cluster/text/ascii.h"
#include "cluster/text/json/json_string.h"

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
  line += std::format(R"(,"assume":{})", options.assume);
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
  return out + "}";
}

std::string look_line(const RecordedLook& look, const Remembered& remembered) {
  std::string line = std::format(R"({{"look":{})", look.call);
  line.reserve(look.body.size() + look.body.size() / 4 + look.quoted_body.size() + 512);
  add_call(line, look);
  line += std::format(R"(,"rules":{},"picture":{})", look.rules, look.picture);
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

std::string picture_line(std::uint64_t number, const State::Options& options) {
  std::string line = std::format(R"({{"picture":{})", number);
  add(line, "accounting", word_of(kAccountingWords, options.accounting));
  line += std::format(R"(,"exactZones":{})", options.exact_zones);
  add(line, "generation", word_of(kGenerationWords, options.generation));
  return line + "}";
}

namespace {

/// The place behind the value that begins there, in JSON or YAML. A block scalar ends where a line is
/// indented no more than its key.
std::size_t end_of_value(std::string_view text, std::size_t at, std::size_t indent) {
  if (at < text.size() && (text[at] == '"' || text[at] == '\'')) {
    const char quote = text[at];
    for (++at; at < text.size() && text[at] != quote; ++at)
      if (text[at] == '\\' && quote == '"') ++at;
    return std::min(at + 1, text.size());
  }
  const bool block = at < text.size() && (text[at] == '|' || text[at] == '>');
  std::size_t end = std::min(block ? text.find('\n', at) : text.find_first_of(",}\n", at), text.size());
  while (block && end < text.size()) {
    const std::size_t begin = end + 1;
    const std::size_t first = std::min(text.find_first_not_of(" \r", begin), text.size());
    if (first < text.size() && text[first] != '\n' && first - begin <= indent) break;
    end = std::min(text.find('\n', begin), text.size());
  }
  return end;
}

}  // namespace

std::string without_keys(std::string_view config) {
  constexpr std::string_view kKey = "keydata";
  constexpr std::string_view kInstead = R"("bGVmdCBvdXQ=")";  // "left out"
  std::string low(config);
  for (char& c : low) c = lower(c);
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = low.find(kKey); at != std::string::npos; at = low.find(kKey, at + 1)) {
    std::size_t value = at + kKey.size();
    if (value < low.size() && (low[value] == '"' || low[value] == '\'')) ++value;
    value = low.find_first_not_of(" \t", value);
    if (at < done || value == std::string::npos || low[value] != ':') continue;
    value = low.find_first_not_of(" \t\r\n", value + 1);
    if (value == std::string::npos) break;
    const std::size_t line = low.rfind('\n', at) + 1;  // npos + 1 is 0.
    out.append(config.substr(done, value - done)).append(kInstead);
    done = end_of_value(config, value, low.find_first_not_of(" -", line) - line);
  }
  return out.append(config.substr(done));
}

}  // namespace winnow
