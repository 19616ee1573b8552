#include "extender/what_if/replay/recording_reader.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <format>
#include <system_error>
#include <utility>

#include "cluster/memory_budget.h"
#include "cluster/text/characters.h"
#include "cluster/text/json_scan.h"
#include "extender/service/metrics/figure_series.h"
#include "extender/version.h"
#include "extender/what_if/record/log_writer.h"

namespace winnow {
namespace {

constexpr std::size_t kShownOfValue = 40;

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

LineFields::LineFields(std::string_view json) {
  JsonScan scan(json);
  const bool good =
      read_members(scan, [&](std::string_view key) { fields_.emplace_back(key, scan.value()); });
  if (good && scan.expect_end()) return;
  error_ = scan.error();
  fields_.clear();
}

void LineFields::fail(std::string_view key, std::string_view found, std::string_view expected) {
  if (error_.empty())
    error_ = std::format("{}: {}; expected {}", printable(key), printable(found), printable(expected));
}

std::optional<std::string_view> LineFields::find(std::string_view key) const {
  for (const auto& [name, value] : fields_)
    if (name == key) return value;
  return std::nullopt;
}

std::string_view LineFields::required(std::string_view key, std::string_view expected) {
  const auto value = find(key);
  if (!value) fail(key, "is missing", expected);
  return value.value_or(std::string_view());
}

std::string LineFields::text(std::string_view key) {
  const std::string_view value = required(key, "a string");
  std::string text;
  if (!value.starts_with('"') || !unescape(value, text))
    fail(key, utf8_shortened(value, kShownOfValue), "a string");
  return text;
}

std::uint64_t LineFields::number(std::string_view key) {
  const std::string_view value = required(key, "a whole number");
  const auto number = number_of<std::uint64_t>(value);
  if (!number) fail(key, utf8_shortened(value, kShownOfValue), "a whole number");
  return number.value_or(0);
}

double LineFields::real(std::string_view key) {
  const std::string_view value = required(key, "a number");
  const auto number = number_of<double>(value);
  if (!number) fail(key, utf8_shortened(value, kShownOfValue), "a number");
  return number.value_or(0);
}

bool LineFields::truth(std::string_view key) {
  const std::string_view value = required(key, "true or false");
  if (value != "true" && value != "false") fail(key, utf8_shortened(value, kShownOfValue), "true or false");
  return value == "true";
}

std::vector<std::string> LineFields::texts(std::string_view key) {
  std::vector<std::string> texts;
  const std::string_view value = required(key, "a list of strings");
  JsonScan scan(value);
  bool all = value.starts_with('[');
  if (all)
    all = read_elements(scan,
                        [&] {
                          const std::string_view element = scan.value();
                          all = all && element.starts_with('"') && unescape(element, texts.emplace_back());
                        }) &&
          all;
  if (!all) fail(key, utf8_shortened(value, kShownOfValue), "a list of strings");
  return texts;
}

std::size_t LineFields::word(std::string_view key, std::span<const std::string_view> words) {
  const std::string word = text(key);
  const auto found = std::ranges::find(words, word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  std::string all;
  for (const std::string_view one : words) all.append(all.empty() ? "" : " or ").append(one);
  fail(key, utf8_shortened(word, kShownOfValue), all);
  return 0;
}

std::vector<std::pair<std::string, std::string_view>> LineFields::members(std::string_view key) {
  std::vector<std::pair<std::string, std::string_view>> members;
  const std::string_view value = required(key, "an object");
  JsonScan scan(value);
  const bool good = value.starts_with('{') && read_members(scan, [&](std::string_view raw) {
                      std::string& name = members.emplace_back().first;
                      unescape("\"" + std::string(raw) + "\"", name);
                      members.back().second = scan.value();
                    });
  if (!good) fail(key, utf8_shortened(value, kShownOfValue), "an object");
  return members;
}

namespace {

namespace fs = std::filesystem;

std::string read_options(LineFields& fields, RecordedOptions& options) {
  options.answer = static_cast<AnswerMode>(fields.word("answer", kAnswerWords));
  options.scale = static_cast<ScoreScale>(fields.word("scoreScale", kScaleWords));
  options.failed_nodes = static_cast<FailedNodes>(fields.word("failedNodes", kFailedWords));
  options.preempt_search.reset();
  if (fields.has("preemptSearch"))
    options.preempt_search = static_cast<PreemptSearch>(fields.word("preemptSearch", kSearchWords));
  options.scheduler_filters.clear();
  if (fields.has("schedulerFilters")) options.scheduler_filters = fields.texts("schedulerFilters");
  options.assume = fields.truth("assume");
  options.nominates_refused = fields.is_set("nominatesRefused");
  options.seed.reset();
  if (fields.has("seed")) options.seed = fields.number("seed");
  options.drawn = fields.number("drawn");
  return fields.error();
}

}  // namespace

std::string read_recording_head(std::string_view line, RecordingHead& head) {
  LineFields fields(line);
  if (fields.error().empty() && (fields.first() != "winnow" || fields.text("winnow") != "recording"))
    fields.fail("winnow", "is missing", "\"recording\": this is no file of a recording");
  const std::uint64_t format = fields.number("format");
  head.version = fields.text_or_none("version");
  if (fields.error().empty() && format != kRecordingFormat)
    fields.fail("format", std::format("{}", format),
                std::format("{}, which Winnow {} reads: replay it with Winnow {}", kRecordingFormat,
                            build_info().version, head.version.empty() ? "of its version" : head.version));
  if (!fields.error().empty()) return fields.error();
  head.number = fields.number("number");
  head.revision = fields.text("revision");
  head.run = fields.text("run");
  head.started = fields.text("started");
  return read_options(fields, head.options);
}

RecordingLimits RecordingLimits::of_this_process() {
  // What is made of a line takes up to twenty times its bytes, for a short while.
  return {.line_bytes = share_of_memory(32, std::size_t{4} << 20, GzipReader::kMostLineBytes),
          .resident_bytes = share_of_memory(2, std::size_t{64} << 20, ~std::size_t{0}),
          .resident = [] { return read_process().resident_bytes; }};
}

std::expected<RecordingReader, std::string> RecordingReader::open(const std::string& path,
                                                                  RecordingLimits limits) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found)
    return std::unexpected(path + ": is not there; expected the directory of serve --record");
  if (!fs::is_directory(status)) return RecordingReader({path}, std::move(limits));
  std::vector<std::pair<std::uint64_t, std::string>> found;
  for (const auto& entry : fs::directory_iterator(path, error))
    if (const std::uint64_t number = log_file_number(entry.path().filename().string()); number != 0)
      found.emplace_back(number, log_file(path, number));
  if (error) return std::unexpected(path + ": " + error.message());
  if (found.empty())
    return std::unexpected(path + ": holds no recording; expected files recording-000001.jsonl.gz");
  std::ranges::sort(found);
  std::vector<std::string> files;
  for (auto& [number, file] : found) files.push_back(std::move(file));
  return RecordingReader(std::move(files), std::move(limits));
}

std::string RecordingReader::file_name() const { return fs::path(files_[index_]).filename().string(); }

std::string RecordingReader::where() const { return std::format("{}: line {}", files_[index_], line_); }

/// Why there is no line, which must be.
std::string RecordingReader::what_is_wrong(GzipReader::Next found) const {
  const std::string& file = files_[index_];
  if (found == GzipReader::Next::kBroken)
    return std::format("{}: is broken behind line {}; expected gzip data", file, line_);
  if (found == GzipReader::Next::kTooLong)
    return std::format("{}: line {} is too long; expected {} MiB at most, in the memory that there is", file,
                       line_ + 1, limits_.line_bytes >> 20);
  return std::format("{}: is cut short behind line {}; expected the line with \"ends\"", file, line_);
}

/// Whether the next file that has a head is of another process. Of this one it would not be: a process ends
/// its file before it makes the next.
bool RecordingReader::another_run_follows() const {
  for (std::size_t i = opened_; i < files_.size(); ++i) {
    auto file = GzipReader::open(files_[i], limits_.line_bytes);
    std::string line;
    if (!file || (*file)->next(line) != GzipReader::Next::kLine) continue;
    RecordingHead head;
    return read_recording_head(line, head).empty() && head.run != head_.run;
  }
  return false;
}

/// Opens the next file that has a line, and reads its head. @return the error; "": none.
std::string RecordingReader::open_next() {
  const std::string before_run = head_.run;
  const std::uint64_t before = head_.number;
  const bool is_first = opened_ == 0;
  for (;;) {
    index_ = opened_++;
    line_ = 0;
    ended_ = has_next_ = false;
    auto file = GzipReader::open(files_[index_], limits_.line_bytes);
    if (!file) return files_[index_] + ": " + file.error();
    file_ = std::move(*file);
    const GzipReader::Next found = file_->next(text_);
    if (found == GzipReader::Next::kLine) break;
    const bool is_cut = found == GzipReader::Next::kCut || found == GzipReader::Next::kEnd;
    if (!is_cut || !another_run_follows()) return what_is_wrong(found);
    note_cut();
  }
  ++line_;
  if (std::string wrong = read_head(); !wrong.empty()) return wrong;
  if (!is_first && before_run == head_.run) note_missing(before);
  return "";
}

void RecordingReader::note_cut() {
  notes_.push_back(
      std::format("{}: is cut short behind line {}; the next run goes on", files_[index_], line_));
}

std::string RecordingReader::read_head() {
  const std::string wrong = read_recording_head(text_, head_);
  return wrong.empty() ? "" : std::format("{}: head: {}", where(), wrong);
}

void RecordingReader::note_missing(std::uint64_t before) {
  if (head_.number == before + 1) return;
  notes_.push_back(
      std::format("{}: follows on number {}: files between are missing", files_[index_], before));
}

std::string RecordingReader::read_end() {
  LineFields fields(text_);
  const std::uint64_t lines = fields.number("ends");
  has_next_ = fields.truth("next");
  const std::string why = fields.text_or_none("why");
  if (fields.error().empty() && lines != line_ - 1)
    fields.fail("ends", std::format("{}", lines), std::format("{}, the lines before", line_ - 1));
  if (!fields.error().empty()) return std::format("{}: end: {}", where(), fields.error());
  if (!why.empty()) notes_.push_back(std::format("{}: the recording had ended: {}", files_[index_], why));
  if (has_next_ && opened_ == files_.size())
    notes_.push_back(std::format("{}: the file that follows is missing", files_[index_]));
  ended_ = true;
  return "";
}

/// Looks at the memory now and then, since a look costs as much as a short line. @return the error; "": there
/// is room.
std::string RecordingReader::no_room() {
  constexpr std::size_t kLookAfter = std::size_t{256} << 10, kLeastLine = 1024;
  since_look_ += std::max(text_.size(), kLeastLine);
  if (since_look_ < kLookAfter) return "";
  since_look_ = 0;
  const std::uint64_t resident = limits_.resident().value_or(0);
  if (resident <= limits_.resident_bytes) return "";
  return std::format("{}: {} MiB of memory are used; expected {} MiB at most, half of what there is", where(),
                     resident >> 20, limits_.resident_bytes >> 20);
}

std::expected<std::optional<std::string_view>, std::string> RecordingReader::next() {
  if (file_) {
    const GzipReader::Next found = file_->next(text_);
    if (found == GzipReader::Next::kLine) {
      ++line_;
      if (ended_) return std::unexpected(where() + ": a line behind the end; expected none");
      if (text_.starts_with(R"({"ends")"))
        if (std::string wrong = read_end(); !wrong.empty()) return std::unexpected(std::move(wrong));
      if (std::string wrong = no_room(); !wrong.empty()) return std::unexpected(std::move(wrong));
      return text_;
    }
    if (!ended_ || found != GzipReader::Next::kEnd) {
      const bool is_cut = found == GzipReader::Next::kCut || found == GzipReader::Next::kEnd;
      if (!is_cut || !another_run_follows()) return std::unexpected(what_is_wrong(found));
      note_cut();
    }
    file_.reset();
  }
  if (opened_ == files_.size()) return std::nullopt;
  if (std::string wrong = open_next(); !wrong.empty()) return std::unexpected(std::move(wrong));
  return text_;
}

}  // namespace winnow
