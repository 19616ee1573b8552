#include "extender/what_if/replay/replay.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <format>
#include <optional>
#include <string_view>
#include <utility>

#include "cluster/text/characters.h"
#include "cluster/text/json.h"
#include "cluster/text/json_document.h"
#include "cluster/text/json_reader.h"
#include "extender/explain/explanation_text.h"
#include "extender/what_if/replay/player.h"
#include "extender/what_if/replay/recording_reader.h"

namespace winnow {
namespace {

constexpr std::size_t kShown = 120;

std::string shown(const rapidjson::Value* value) {
  if (value == nullptr) return "nothing";
  std::string text;
  append_value(text, *value);
  return utf8_shortened(text, kShown);
}

const rapidjson::Value* member(const rapidjson::Value& object, std::string_view key) {
  for (const auto& one : object.GetObject())
    if (string_of(one.name) == key) return &one.value;
  return nullptr;
}

/// What people call an element of a list; "": nothing but its index.
std::string_view name_of(const rapidjson::Value& element) {
  if (!element.IsObject()) return {};
  for (const char* const key : {"Host", "node", "name"})
    if (const std::string_view name = string_at(element, key); !name.empty()) return name;
  return {};
}

/// The fields of an explanation that Winnow 0.1.0 does not have. An answer of its own lacks them all.
constexpr std::string_view kLaterFields[] = {"rules",     "preFilter",   "causes",
                                             "summary",   "suggestions", "fitsNoEmptyNode",
                                             "noNewNode", "keptOut",     "remarks"};

/// Whether the recorded answer is an explanation of before kLaterFields.
bool is_older(const rapidjson::Value& recorded, const rapidjson::Value& now) {
  return recorded.IsObject() && now.IsObject() && now.HasMember("rules") && !recorded.HasMember("rules");
}

/// The walk over both values.
class AnswerComparison {
 public:
  /// @param older  what the recorded answer lacks of kLaterFields is no difference.
  AnswerComparison(std::size_t most, bool older) : most_(most), older_(older) {}
  void compare(const std::string& path, const rapidjson::Value& recorded, const rapidjson::Value& now);
  std::vector<std::string> lines;

 private:
  void compare_members(const std::string& path, const rapidjson::Value& recorded,
                       const rapidjson::Value& now);
  void compare_elements(const std::string& path, const rapidjson::Value& recorded,
                        const rapidjson::Value& now);
  void tell(const std::string& path, const rapidjson::Value* recorded, const rapidjson::Value* now) {
    if (lines.size() < most_)
      lines.push_back(
          std::format("{}: {}, now {}", path.empty() ? "the answer" : path, shown(recorded), shown(now)));
  }
  const std::size_t most_;
  const bool older_;
};

std::string inner(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : std::format("{}.{}", path, key);
}

void AnswerComparison::compare_members(const std::string& path, const rapidjson::Value& recorded,
                                       const rapidjson::Value& now) {
  for (const auto& one : recorded.GetObject()) {
    const std::string_view key = string_of(one.name);
    if (const rapidjson::Value* const other = member(now, key))
      compare(inner(path, key), one.value, *other);
    else
      tell(inner(path, key), &one.value, nullptr);
  }
  for (const auto& one : now.GetObject())
    if (const std::string_view key = string_of(one.name);
        !member(recorded, key) && !(older_ && std::ranges::contains(kLaterFields, key)))
      tell(inner(path, key), nullptr, &one.value);
}

void AnswerComparison::compare_elements(const std::string& path, const rapidjson::Value& recorded,
                                        const rapidjson::Value& now) {
  for (rapidjson::SizeType i = 0; i < std::max(recorded.Size(), now.Size()); ++i) {
    const rapidjson::Value* const before = i < recorded.Size() ? &recorded[i] : nullptr;
    const rapidjson::Value* const after = i < now.Size() ? &now[i] : nullptr;
    const std::string_view name = name_of(before ? *before : *after);
    const std::string step = name.empty() ? std::format("{}[{}]", path, i) : inner(path, name);
    if (before && after)
      compare(step, *before, *after);
    else
      tell(step, before, after);
  }
}

void AnswerComparison::compare(const std::string& path, const rapidjson::Value& recorded,
                               const rapidjson::Value& now) {
  if (lines.size() >= most_) return;
  if (recorded.IsObject() && now.IsObject()) return compare_members(path, recorded, now);
  if (recorded.IsArray() && now.IsArray()) return compare_elements(path, recorded, now);
  if (recorded != now) tell(path, &recorded, &now);
}

}  // namespace

std::vector<std::string> find_differences(std::string_view recorded, std::string_view now, std::size_t most) {
  if (recorded == now) return {};
  // Text that is no JSON would be read as YAML.
  const bool both_json = (recorded.starts_with('{') || recorded.starts_with('[')) &&
                         (now.starts_with('{') || now.starts_with('['));
  const auto before = load_document(both_json ? std::string(recorded) : "");
  const auto after = load_document(both_json ? std::string(now) : "");
  const bool are_values = both_json && before && after;
  const bool older = are_values && is_older(before->root(), after->root());
  AnswerComparison comparison(most, older);
  if (are_values) comparison.compare("", before->root(), after->root());
  // The same values in other bytes, or no values.
  if (comparison.lines.empty() && !older)
    comparison.lines.push_back(
        std::format("the text: {}, now {}", utf8_shortened(recorded, kShown), utf8_shortened(now, kShown)));
  return comparison.lines;
}

namespace {

constexpr std::size_t kMostLines = 5;

void count(ReplayResult& result, PlayedCall& call, const RecordingReader& recording, std::size_t most) {
  ++result.calls;
  if (!call.at.empty()) {
    if (result.first.empty()) result.first = call.at;
    result.last = call.at;
  }
  if (!call.why_not.empty()) {
    ++result.not_compared[call.why_not];
    return;
  }
  if (!call.differs()) {
    ++result.equal;
    return;
  }
  std::vector<std::string> lines = find_differences(call.recorded.body, call.now->body, kMostLines);
  if (lines.empty() && call.recorded.status == call.now->status) {
    ++result.equal;
    return;
  }
  if (++result.different > most) return;
  DifferentAnswer one{.call = call.number,
                      .file = recording.file_name(),
                      .line = recording.line_number(),
                      .path = std::move(call.path),
                      .at = std::move(call.at),
                      .pod = std::move(call.pod),
                      .lines = std::move(lines)};
  if (call.recorded.status != call.now->status)
    one.lines.insert(one.lines.begin(),
                     std::format("status: {}, now {}", call.recorded.status, call.now->status));
  result.differences.push_back(std::move(one));
}

}  // namespace

ReplayResult replay(RecordingReader& recording, Workers& workers, const ReplayOptions& options) {
  ReplayResult result;
  Player player(workers);
  std::optional<std::size_t> file;
  for (;;) {
    const auto line = recording.next();
    if (!line) {
      result.error = line.error();
      break;
    }
    if (!*line) break;
    if (file != recording.file_index()) {  // The head has been read.
      file = recording.file_index();
      ++result.files;
      player.begin_file(recording.head());
      if (result.version.empty()) {
        result.version = recording.head().version;
        result.revision = recording.head().revision;
      }
      continue;
    }
    auto played = player.play(**line);
    if (!played) {
      result.error = std::format("{}: {}", recording.where(), played.error());
      break;
    }
    if (*played) count(result, **played, recording, options.most_differences);
    result.changes = player.changes();
    if (options.go_on && !options.go_on(result)) {
      result.stopped = true;
      break;
    }
  }
  result.notes = recording.notes();
  return result;
}

namespace {

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  return std::format("{} {}", with_thousands(number), number == 1 ? one : many);
}

void append_difference(std::string& out, const DifferentAnswer& one) {
  out += std::format("call {} {}{}{} ({}, line {}):\n", one.call, one.path, one.pod.empty() ? "" : " ",
                     printable(one.pod), one.file, one.line);
  for (const std::string& line : one.lines) out += std::format("  {}\n", printable(line));
}

void add_member(std::string& out, std::string_view key, std::string_view text) {
  out += std::format(R"("{}":)", key);
  append_quoted(out, text);
}

}  // namespace

void append_report(std::string& out, const ReplayResult& result) {
  out += std::format("{}, {}, {}; recorded by Winnow {}", counted(result.files, "file", "files"),
                     counted(result.changes, "change", "changes"), counted(result.calls, "call", "calls"),
                     printable(result.version));
  if (!result.first.empty())
    out += std::format(", from {} to {}", printable(result.first), printable(result.last));
  out += '\n';
  for (const DifferentAnswer& one : result.differences) append_difference(out, one);
  if (result.different > result.differences.size())
    out += std::format("… and {} more\n", with_thousands(result.different - result.differences.size()));
  std::uint64_t left_out = 0;
  for (const auto& [reason, calls] : result.not_compared) left_out += calls;
  out += std::format("{} equal, {} different, {} not compared\n", with_thousands(result.equal),
                     with_thousands(result.different), with_thousands(left_out));
  for (const auto& [reason, calls] : result.not_compared)
    out += std::format("  {}: {}\n", with_thousands(calls), reason);
}

void append_json(std::string& out, const ReplayResult& result) {
  out += '{';
  add_member(out, "version", result.version);
  add_member(out += ',', "revision", result.revision);
  out += std::format(R"(,"files":{},"changes":{},"calls":{},"equal":{},"different":{})", result.files,
                     result.changes, result.calls, result.equal, result.different);
  add_member(out += ',', "first", result.first);
  add_member(out += ',', "last", result.last);
  out += R"(,"notCompared":{)";
  const char* joint = "";
  for (const auto& [reason, calls] : result.not_compared) {
    append_quoted(out += joint, reason);
    out += std::format(":{}", calls);
    joint = ",";
  }
  out += R"(},"differences":[)";
  joint = "";
  for (const DifferentAnswer& one : result.differences) {
    out += std::format(R"({}{{"call":{},"line":{},)", joint, one.call, one.line);
    add_member(out, "file", one.file);
    add_member(out += ',', "path", one.path);
    add_member(out += ',', "pod", one.pod);
    add_member(out += ',', "at", one.at);
    out += R"(,"lines":[)";
    const char* inner_joint = "";
    for (const std::string& line : one.lines) {
      append_quoted(out += inner_joint, line);
      inner_joint = ",";
    }
    out += "]}";
    joint = ",";
  }
  out += std::format(R"(],"complete":{}}})", result.error.empty() && !result.stopped);
}

}  // namespace winnow
