#include "extender/what_if/record/recorder.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <format>
#include <optional>
#include <random>
#include <utility>

#include "cluster/api/kinds.h"
#include "cluster/text/characters.h"
#include "cluster/text/json.h"
#include "cluster/text/json_scan.h"
#include "extender/config/extenders.h"
#include "extender/config/kept_config.h"
#include "extender/engine/engines.h"
#include "extender/service/scheduling/decision_lock.h"
#include "extender/service/scheduling/live_memory.h"
#include "extender/version.h"

namespace winnow {
namespace {

std::string in_words(std::chrono::system_clock::time_point time) {
  return std::format("{:%FT%TZ}", std::chrono::floor<std::chrono::milliseconds>(time));
}

/// A random number, in hexadecimal digits.
std::string new_run() {
  std::random_device random;
  return std::format("{:08x}{:08x}", random(), random());
}

std::string cache_key(std::uint64_t cache) { return std::format("picture {}/", cache); }

std::string begin_line(std::uint64_t cache, std::string_view key) {
  return std::format(R"({{"picture":{},"{}":)", cache, key);
}

void add_name(std::string& line, std::string_view ns, std::string_view name) {
  append_quoted(line += R"("ns":)", ns);
  append_quoted(line += R"(,"name":)", name);
}

/// Appends JSON on one line. A line end in JSON is white space: in strings it is escaped.
void append_json_line(std::string& line, std::string_view json) {
  const std::size_t begin = line.size();
  line += json;
  std::ranges::replace_if(
      line.begin() + static_cast<std::ptrdiff_t>(begin), line.end(),
      [](char c) { return c == '\n' || c == '\r'; }, ' ');
}

/// The JSON of the member Pod; "": there is none.
std::string_view pod_in(std::string_view body) {
  JsonScan scan(body);
  std::string_view pod;
  read_members(scan, [&](std::string_view key) {
    const std::string_view value = scan.value();
    if (equal_but_for_case(key, "Pod")) pod = value;
  });
  return pod.starts_with('{') ? pod : std::string_view();
}

}  // namespace

class Recorder::OneJournal : public CacheJournal {
 public:
  OneJournal(LogWriter& writer, std::uint64_t number, const State::Options& options)
      : writer_(writer), number_(number), prefix_(cache_key(number)) {
    writer_.add({.text = cache_line(number, options),
                 .effect = LogLine::Effect::kStands,
                 .key = prefix_ + "picture",
                 .place = LogLine::Place::kFirst});
  }
  ~OneJournal() override {
    add([&] {
      return LogLine{.text = begin_line(number_, "ended") + "true}",
                     .effect = LogLine::Effect::kEndsAll,
                     .key = prefix_};
    });
  }

  std::uint64_t number() const override { return number_; }
  bool wants_text() const noexcept override { return !writer_.is_over(); }
  void make_room() override { writer_.make_room(); }

  void given(std::string_view json) noexcept override {
    writer_.wait_for_room();
    add([&] {
      LogLine line{.text = begin_line(number_, "given"),
                   .effect = LogLine::Effect::kStands,
                   .key = std::format("{}given/{}", prefix_, given_++),
                   .place = LogLine::Place::kFirst};
      append_json_line(line.text, json);
      line.text += '}';
      return line;
    });
  }

  void set(ResourceKind kind, std::string_view ns, std::string_view name,
           std::string_view text) noexcept override {
    add([&] {
      LogLine line{.text = begin_line(number_, "set"),
                   .effect = LogLine::Effect::kStands,
                   .key = object_key(info_of(kind).kind, ns, name),
                   // Scores of images depend on which of the nodes has come first.
                   .place = kind == kind_of<Node> ? LogLine::Place::kInOrder : LogLine::Place::kBehind};
      append_quoted(line.text, info_of(kind).kind);
      append_json_line(line.text += R"(,"object":)", text);
      line.text += '}';
      return line;
    });
  }

  void remove(ResourceKind kind, std::string_view ns, std::string_view name) noexcept override {
    add([&] {
      LogLine line{.text = begin_line(number_, "gone"),
                   .effect = LogLine::Effect::kEnds,
                   .key = object_key(info_of(kind).kind, ns, name)};
      if (kind == kind_of<Pod>) line.other_key = object_key("assumed", ns, name);
      append_quoted(line.text, info_of(kind).kind);
      add_name(line.text += ',', ns, name);
      line.text += '}';
      return line;
    });
  }

  void assumed(const Assumption& one) noexcept override {
    add([&] {
      LogLine line{.text = begin_line(number_, "assumed") + '{',
                   .effect = LogLine::Effect::kStands,
                   .key = object_key("assumed", one.ns, one.name)};
      add_name(line.text, one.ns, one.name);
      append_quoted(line.text += R"(,"uid":)", one.uid);
      append_quoted(line.text += R"(,"node":)", one.node);
      if (one.nomination) line.text += R"(,"nomination":true)";
      if (one.bound) line.text += R"(,"bound":true)";
      append_claims(line.text, one.devices);
      line.text += "}}";
      return line;
    });
  }

  void unread(ResourceKind kind, bool unread) noexcept override {
    add([&] {
      LogLine line{.text = begin_line(number_, unread ? "unread" : "read"),
                   .effect = unread ? LogLine::Effect::kStands : LogLine::Effect::kEnds,
                   .key = object_key("unread", "", info_of(kind).kind)};
      append_quoted(line.text, info_of(kind).kind);
      line.text += '}';
      return line;
    });
  }

  void released(std::string_view ns, std::string_view name, bool keeps_devices) noexcept override {
    add([&] {
      LogLine line{.text = begin_line(number_, "released") + '{',
                   .effect = LogLine::Effect::kEnds,
                   .key = object_key("assumed", ns, name)};
      add_name(line.text, ns, name);
      if (keeps_devices) line.text += R"(,"keepsDevices":true)";
      line.text += "}}";
      return line;
    });
  }

  void lost() noexcept override {
    add([&] {
      return LogLine{.text = begin_line(number_, "lost") + "true}",
                     .effect = LogLine::Effect::kEndsAll,
                     .key = prefix_ + "object/"};
    });
  }

 private:
  /// @param make  the line. What has no room in memory ends the recording.
  template <class Make>
  void add(const Make& make) noexcept {
    if (writer_.is_over()) return writer_.lose(1);
    try {
      writer_.add(make());
    } catch (const std::exception&) {
      writer_.give_up("memory was short");
    }
  }

  std::string object_key(std::string_view kind, std::string_view ns, std::string_view name) const {
    return std::format("{}object/{}/{}/{}", prefix_, kind, ns, name);
  }

  LogWriter& writer_;
  const std::uint64_t number_;
  const std::string prefix_;
  std::size_t given_ = 0;
};

/// The live memory. What it tells is noted, and is a part of the call's look.
class Recorder::RecordingMemory : public LiveMemory {
 public:
  RecordingMemory(const LiveMemory& live, Recorder& recorder, std::uint64_t call, std::string_view path,
                  std::string_view query, std::string_view body, std::chrono::system_clock::time_point began)
      : LiveMemory(live),
        recorder_(recorder),
        call_(call),
        path_(path),
        query_(query),
        body_(body),
        began_(began),
        is_text_(find_not_utf8(body) == std::string_view::npos) {
    // Bodies are large, and the cache is locked when the call looks at it.
    quoted_.reserve(body.size() + body.size() / 4 + 2);
    append_quoted(quoted_, body);
  }

  const NodePicker& picker_for(std::string_view pod_key) override {
    const auto known = earlier().picker.not_followed(pod_key);
    told_.not_followed = {known.begin(), known.end()};
    return LiveMemory::picker_for(pod_key);
  }
  std::string note_refusal(RefusalHold& hold, const RefusedPod& refused) override {
    return told_.remark = LiveMemory::note_refusal(hold, refused);
  }
  std::vector<std::string> named_victims(std::string_view pod_key, std::string_view node) override {
    return told_.named = LiveMemory::named_victims(pod_key, node);
  }
  bool believes_gone(std::string_view pod_key) override {
    return told_.believed = LiveMemory::believes_gone(pod_key);
  }
  bool fits_outside(const RefusalHold& hold) override {
    return told_.fits_outside = LiveMemory::fits_outside(hold);
  }
  bool refused_nominated(const RefusalHold& hold) override {
    return told_.refused_nominated = LiveMemory::refused_nominated(hold);
  }
  std::vector<std::string> promised_to_others(const State& state, std::uint64_t told,
                                              const Pod& pod) override {
    return told_.promised = LiveMemory::promised_to_others(state, told, pod);
  }
  std::string why_not_nominated(std::string_view ns, std::string_view name, std::string_view uid) override {
    return told_.not_nominated = LiveMemory::why_not_nominated(ns, name, uid);
  }
  std::optional<Remembered::Refused> last_refusal(std::string_view pod_key) override {
    return told_.refused = LiveMemory::last_refusal(pod_key);
  }
  Remembered::HeldPlaces held_since(const std::vector<HeldPlace>& places) override {
    return told_.held = LiveMemory::held_since(places);
  }

  bool looks_once() const override { return true; }
  void set_out_of_time(bool out_of_time) noexcept override { out_of_time_ = out_of_time; }

  void looked(const ActiveConfig& active) noexcept override {
    add([&]() -> std::optional<std::string> {
      const auto* const journal = dynamic_cast<const CacheJournal*>(active.cache->journal());
      if (!journal) return std::nullopt;
      has_looked_ = true;
      RecordedLook look = this->look();
      look.rules = recorder_.rules_of(active);
      look.cache = journal->number();
      return look_line(look, told_);
    });
  }

  void answered(int status, std::string_view body) noexcept override {
    add([&]() -> std::optional<std::string> {
      // What is refused with 503 is refused for the moment.
      RecordedAnswer answer{.call = call_,
                            .status = status,
                            .comparable = status != 503 && !out_of_time_ && is_text_,
                            .body = body,
                            .without_look = std::nullopt};
      if (!has_looked_) answer.without_look = look();
      return answer_line(answer);
    });
  }

 private:
  std::string_view pod_text() const override { return pod_in(body_); }
  RecordedLook look() const {
    return {.call = call_,
            .at = in_words(began_),
            .path = path_,
            .query = query_,
            .body = {},
            .quoted_body = quoted_};
  }

  /// @param make  the line, or nothing. What has no room in memory ends the recording, and not the call.
  template <class Make>
  void add(const Make& make) noexcept {
    if (recorder_.writer_->is_over()) return recorder_.writer_->lose(1);
    try {
      if (std::optional<std::string> text = make()) recorder_.writer_->add({.text = *std::move(text)});
    } catch (const std::exception&) {
      recorder_.writer_->give_up("memory was short");
    }
  }

  Recorder& recorder_;
  const std::uint64_t call_;
  const std::string path_, query_, body_;
  const std::chrono::system_clock::time_point began_;
  const bool is_text_;
  std::string quoted_;  ///< The body.
  Remembered told_;
  bool has_looked_ = false, out_of_time_ = false;
};

std::expected<std::unique_ptr<Recorder>, std::string> Recorder::open(LogWriter::Options files,
                                                                     RecordedOptions options,
                                                                     std::string gates) {
  if (!options.seed) {
    std::random_device random;
    options.drawn = std::uint64_t{random()} << 32 | random();
  }
  std::unique_ptr<Recorder> recorder(new Recorder(options, std::move(gates)));
  const RecordingHead head{.version = build_info().version,
                           .revision = build_info().revision,
                           .run = new_run(),
                           .started = in_words(std::chrono::system_clock::now()),
                           .options = options};
  auto writer = LogWriter::open(std::move(files), [head](std::uint64_t number) {
    RecordingHead numbered = head;
    numbered.number = number;
    return head_line(numbered);
  });
  if (!writer) return std::unexpected(std::move(writer).error());
  recorder->writer_ = std::move(*writer);
  return recorder;
}

std::shared_ptr<CacheJournal> Recorder::journal_of(const State::Options& options) {
  return std::make_shared<OneJournal>(*writer_, ++caches_, options);
}

void Recorder::on_rules(const LoadedRules& rules) {
  // A call may still be answered by the rules before, but by none that are older.
  constexpr std::uint64_t kKept = 3;
  const MutexLock lock(mutex_);
  const std::uint64_t number = ++rules_;
  writer_->add({.text = rules_line(number, gates_, kept_config(rules.text)),
                .effect = LogLine::Effect::kStands,
                .key = std::format("rules {}/", number % kKept),
                .place = LogLine::Place::kFirst});
}

void Recorder::on_serving(const ActiveConfig& active) {
  const MutexLock lock(mutex_);
  by_engines_[active.engines.get()] = rules_;
}

std::uint64_t Recorder::rules_of(const ActiveConfig& active) const {
  const MutexLock lock(mutex_);
  const auto found = by_engines_.find(active.engines.get());
  return found == by_engines_.end() ? 0 : found->second;
}

std::unique_ptr<CallMemory> Recorder::begin(const LiveMemory& live, std::string_view path,
                                            std::string_view query, std::string_view body,
                                            std::chrono::system_clock::time_point began) {
  if (!is_recorded(path)) return nullptr;
  if (writer_->is_over()) {
    writer_->lose(1);
    return nullptr;
  }
  try {
    return std::make_unique<RecordingMemory>(live, *this, ++calls_, path, query, body, began);
  } catch (const std::exception&) {
    writer_->give_up("memory was short");
    return nullptr;
  }
}

}  // namespace winnow
