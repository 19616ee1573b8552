#include "extender/what_if/replay/anonymize.h"

#include <rapidjson/document.h>

#include <filesystem>
#include <format>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "cluster/function_ref.h"
#include "cluster/rule/extended_resource_claim.h"
#include "cluster/text/gzip_lines.h"
#include "cluster/text/json.h"
#include "cluster/text/json_document.h"
#include "cluster/text/json_reader.h"
#include "extender/explain/explanation_text.h"
#include "extender/service/verbs/call.h"
#include "extender/version.h"
#include "extender/what_if/record/log_writer.h"
#include "extender/what_if/replay/player.h"
#include "extender/what_if/replay/recording_reader.h"
#include "extender/what_if/replay/renaming.h"

namespace winnow {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostChanged = 10;

/// Appends `,"key":` and the text.
void add_text(std::string& line, std::string_view key, std::string_view text) {
  line += std::format(R"({}"{}":)", line.ends_with('{') ? "" : ",", key);
  append_quoted(line, text);
}

/// {"ns":…,"name":…} with more fields, renamed.
std::string rename_pod(std::string_view raw, Renaming& names) {
  LineFields fields(raw);
  std::string out = "{";
  for (const std::string_view key : {"ns", "name", "node"})
    if (fields.has(key)) add_text(out, key, names.name(fields.text(key)));
  if (fields.has("uid")) add_text(out, "uid", names.uid(fields.text("uid")));
  for (const std::string_view key : {"nomination", "bound", "keepsDevices"})
    if (fields.is_set(key)) out += std::format(R"(,"{}":true)", key);
  if (fields.has("claims")) {
    out += R"(,"claims":{)";
    for (const auto& [name, claim] : fields.members("claims")) {
      if (out.back() != '{') out += ',';
      append_quoted(out, name == kExtendedResourceClaim ? name : names.name(name));
      out += ':' + names.object(claim);
    }
    out += '}';
  }
  return out + "}";
}

Remembered rename_remembered(Remembered known, Renaming& names) {
  std::map<std::string, std::uint32_t, std::less<>> not_followed;
  for (const auto& [node, times] : known.not_followed) not_followed[names.name(node)] = times;
  known.not_followed = std::move(not_followed);
  for (std::string& uid : known.named) uid = names.uid(uid);
  for (std::string& node : known.promised) node = names.name(node);
  if (known.refused) known.refused->would_fit_on = names.name(known.refused->would_fit_on);
  std::map<std::string, Remembered::Held> held;
  for (const auto& [pod, place] : known.held) {
    const std::size_t slash = pod.find('/');
    held[names.name(pod.substr(0, slash)) + '/' + names.name(pod.substr(slash + 1))] = place;
  }
  known.held = std::move(held);
  return known;
}

std::string rename_cache(LineFields& fields, std::string_view line, Renaming& names) {
  std::string out = std::format(R"({{"picture":{})", fields.number("picture"));
  if (fields.has("set")) {
    add_text(out, "set", fields.text("set"));
    return out + R"(,"object":)" + names.object(fields.raw("object")) + "}";
  }
  if (fields.has("given")) return out + R"(,"given":)" + names.object(fields.raw("given")) + "}";
  if (fields.has("gone")) {
    add_text(out, "gone", fields.text("gone"));
    add_text(out, "ns", names.name(fields.text("ns")));
    add_text(out, "name", names.name(fields.text("name")));
    return out + "}";
  }
  for (const std::string_view key : {"assumed", "released"})
    if (fields.has(key)) return out + std::format(R"(,"{}":{}}})", key, rename_pod(fields.raw(key), names));
  return std::string(line);  // It has no names.
}

std::string rename_look(LineFields& fields, Renaming& names) {
  const std::string at = fields.text("at");
  const std::string path = fields.text("path");
  const std::string query = names.query(fields.text("query"));
  const std::string body = names.object(fields.text("body"));
  RecordedLook look{.call = fields.number("look"), .at = at, .path = path, .query = query, .body = body};
  look.rules = fields.number("rules");
  look.cache = fields.number("picture");
  return look_line(look, rename_remembered(read_remembered(fields), names));
}

/// The line of an answer without the answer, which is made anew. What was answered without the cache may
/// have any text in it.
std::string rename_answer(LineFields& fields) {
  std::string out = std::format(R"({{"answer":{},"status":{},"comparable":{})", fields.number("answer"),
                                fields.number("status"), fields.truth("comparable"));
  if (fields.has("request")) {
    add_text(out, "at", fields.text("at"));
    add_text(out, "path", fields.text("path"));
    out += R"(,"query":"","request":"")";
  }
  return out + R"(,"body":""})";
}

/// The begin or the end of a file. Why a recording has ended may name a directory.
std::string rename_mark(LineFields& fields) {
  if (fields.first() == "begins") return std::format(R"({{"begins":{}}})", fields.number("begins"));
  return std::format(R"({{"ends":{},"next":{}{}}})", fields.number("ends"), fields.truth("next"),
                     fields.has("why") ? R"(,"why":"it had ended early")" : "");
}

/// The line without names. Errors are kept in the fields.
std::string rename_line(LineFields& fields, std::string_view line, Renaming& names) {
  const std::string_view first = fields.first();
  if (first == "picture") return rename_cache(fields, line, names);
  if (first == "look") return rename_look(fields, names);
  if (first == "answer") return rename_answer(fields);
  if (first == "rules")
    return rules_line(fields.number("rules"), fields.text("gates"), names.config(fields.text("config")));
  if (first == "begins" || first == "ends") return rename_mark(fields);
  return std::string(line);  // No line of a recording: it is refused.
}

/// What an answer chooses: the nodes that fit, their scores, the victims. Texts for people are left out.
void append_choice(std::string& out, const rapidjson::Value& value, std::string_view field, Renaming* names) {
  const auto renamed = [&](std::string_view text) { return names ? names->name(text) : std::string(text); };
  if (value.IsObject()) {
    const bool by_node =
        field == "FailedNodes" || field == "FailedAndUnresolvableNodes" || field == "NodeNameToMetaVictims";
    std::map<std::string, std::string> members;
    for (const auto& member : value.GetObject()) {
      const std::string_view key = string_of(member.name);
      const bool is_text = key == "Error" || (by_node && member.value.IsString());
      std::string inner;
      if (!is_text) append_choice(inner, member.value, key, names);
      members[by_node ? renamed(key) : std::string(key)] = inner;
    }
    for (const auto& [key, inner] : members) out += std::format("{}{{{}}}", key, inner);
  } else if (value.IsArray()) {
    for (const auto& element : value.GetArray()) append_choice(out, element, field, names), out += ' ';
  } else if (value.IsString()) {
    const std::string_view text = string_of(value);
    out += field == "UID" && names ? names->uid(text) : renamed(text);
  } else if (value.IsNumber()) {
    out += number_text(value);
  }
}

std::string choice_of(const RecordedReply& reply, Renaming* names) {
  if (!reply.body.starts_with('{') && !reply.body.starts_with('[')) return std::to_string(reply.status);
  const auto document = load_document(reply.body);
  std::string choice;
  if (document) append_choice(choice, document->root(), "", names);
  return choice;
}

/// One run over the recording.
class Writing {
 public:
  Writing(Renaming& names, std::string to, Workers& workers, Anonymized& result)
      : names_(names), to_(std::move(to)), player_(workers), result_(result) {}

  /// @return the error; "": none.
  std::string write(RecordingReader& recording, FunctionRef<bool(const ReplayResult&)> go_on);

 private:
  std::string begin_file(const RecordingReader& recording);
  std::string follow(std::string_view line);
  std::string answer(const PlayedCall& played, LineFields& original);
  void compare(const PlayedCall& played, const RecordedReply& before);

  Renaming& names_;
  const std::string to_;
  Player player_;
  Anonymized& result_;
  std::unique_ptr<GzipWriter> file_;
  std::uint64_t lines_ = 0;  ///< In the file.
  bool ended_ = false;       ///< It has its last line.
};

std::string Writing::begin_file(const RecordingReader& recording) {
  const std::string path = to_ + "/" + recording.file_name();
  auto file = GzipWriter::create(path);
  if (!file) return path + ": " + file.error();
  // The process was killed, and its file is cut short. The copy says so.
  if (file_ && !ended_)
    file_->line(std::format(R"({{"ends":{},"next":false,"why":"the file is cut short"}})", lines_));
  std::string wrong = file_ ? file_->close() : "";
  file_ = std::move(*file);
  lines_ = 1;
  ended_ = false;
  player_.begin_file(recording.head());
  ++result_.replay.files;
  RecordingHead head = recording.head();
  result_.replay.version = head.version;
  head.version = build_info().version;
  head.revision = build_info().revision;
  return wrong.empty() ? file_->line(head_line(head)) : wrong;
}

void Writing::compare(const PlayedCall& played, const RecordedReply& before) {
  // What explain says is for people.
  if (played.path == "/explain") return;
  const std::string was = choice_of(before, &names_);
  const std::string is = choice_of(*played.now, nullptr);
  if (was == is) {
    ++result_.replay.equal;
    return;
  }
  if (++result_.changed_choices <= kMostChanged)
    result_.changed.push_back(
        std::format("call {} {} {}: another choice", played.number, played.path, played.pod));
}

/// The line of the answer that follows from what is written.
std::string Writing::answer(const PlayedCall& played, LineFields& original) {
  ++result_.replay.calls;
  if (!played.now) return rename_answer(original);
  if (original.truth("comparable"))
    compare(played, {static_cast<int>(original.number("status")), original.text("body")});
  return answer_line({.call = played.number,
                      .status = played.now->status,
                      .comparable = true,
                      .body = played.now->body,
                      .without_look = std::nullopt});
}

std::string Writing::follow(std::string_view line) {
  LineFields fields(line);
  const std::string renamed = rename_line(fields, line, names_);
  if (!fields.error().empty()) return fields.error();
  auto played = player_.play(renamed);
  if (!played) return played.error();
  ++lines_;
  ended_ = fields.first() == "ends";
  return file_->line(*played ? answer(**played, fields) : renamed);
}

std::string Writing::write(RecordingReader& recording, FunctionRef<bool(const ReplayResult&)> go_on) {
  std::optional<std::size_t> file;
  for (;;) {
    const auto line = recording.next();
    if (!line) return line.error();
    if (!*line) return file_ ? file_->close() : "";
    const bool begins = file != recording.file_index();
    file = recording.file_index();
    const std::string wrong = begins ? begin_file(recording) : follow(**line);
    if (!wrong.empty()) return std::format("{}: {}", recording.where(), wrong);
    result_.replay.changes = player_.changes();
    if (go_on && !go_on(result_.replay)) {
      result_.replay.stopped = true;
      return "";
    }
  }
}

/// Collects the names. @return the error; "": none.
std::string collect(RecordingReader& recording, Renaming& names, FunctionRef<bool(const ReplayResult&)> go_on,
                    bool& stopped) {
  ReplayResult nothing;
  for (;;) {
    const auto line = recording.next();
    if (!line) return line.error();
    if (!*line) return "";
    LineFields fields(**line);
    if (fields.first() != "winnow" && fields.first() != "answer") rename_line(fields, **line, names);
    if (!fields.error().empty()) return std::format("{}: {}", recording.where(), fields.error());
    if (go_on && !go_on(nothing)) return stopped = true, "";
  }
}

}  // namespace

Anonymized anonymize(const std::string& path, RecordingReader& recording, const std::string& to,
                     Workers& workers, FunctionRef<bool(const ReplayResult&)> go_on) {
  Anonymized result;
  ReplayResult& replay = result.replay;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(to, error))
    if (log_file_number(entry.path().filename().string()) != 0) {
      replay.error = to + ": holds a recording already; expected a directory without one";
      return result;
    }
  error.clear();  // The directory need not be there.
  Renaming names;
  replay.error = collect(recording, names, go_on, replay.stopped);
  if (!replay.error.empty() || replay.stopped) return result;
  names.number_all();
  result.names = names.size();

  if (!fs::exists(to, error) && fs::create_directories(to, error))
    fs::permissions(to, fs::perms::owner_all, error);
  if (error) {
    replay.error = to + ": " + error.message();
    return result;
  }
  auto again = RecordingReader::open(path);
  if (!again) {
    replay.error = again.error();
    return result;
  }
  replay.error = Writing(names, to, workers, result).write(*again, go_on);
  replay.notes = again->notes();
  return result;
}

void append_anonymized(std::string& out, const Anonymized& result, bool json) {
  const ReplayResult& replay = result.replay;
  if (json) {
    out += std::format(
        R"({{"files":{},"changes":{},"calls":{},"names":{},"sameChoices":{},"changedChoices":{},"complete":{}}})",
        replay.files, replay.changes, replay.calls, result.names, replay.equal, result.changed_choices,
        replay.error.empty() && !replay.stopped);
    out += '\n';
    return;
  }
  out += std::format("{} names replaced in {} changes and {} calls\n", with_thousands(result.names),
                     with_thousands(replay.changes), with_thousands(replay.calls));
  for (const std::string& line : result.changed) out += line + "\n";
  out += std::format("{} choices are the same, {} are others\n", with_thousands(replay.equal),
                     with_thousands(result.changed_choices));
  if (result.changed_choices > 0)
    out += "A draw among equal nodes is by the pod's UID. A UID that was a name has another one now.\n";
}

}  // namespace winnow
