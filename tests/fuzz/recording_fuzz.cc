// Recordings: their heads, what calls remember, whole files, and files without names.
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <format>
#include <memory>
#include <string>

#include "extender/engine/workers.h"
#include "extender/service/scheduling/call_memory.h"
#include "extender/what_if/replay/anonymize.h"
#include "extender/what_if/replay/player.h"
#include "extender/what_if/replay/recording_reader.h"
#include "extender/what_if/replay/replay.h"
#include "tests/fuzz/fuzz.h"

namespace winnow::fuzz {
namespace {

Workers& no_helpers() {
  static Workers workers(0);
  return workers;
}

void head(std::string_view text) {
  RecordingHead read;
  if (const std::string wrong = read_recording_head(text, read); !wrong.empty()) return check_error(wrong);
  const std::string written = head_line(read);
  RecordingHead again;
  must(read_recording_head(written, again).empty(), "a head that is written is read back", written);
  must(head_line(again) == written, "and is the same", written);
}

void remembered(std::string_view text) {
  const std::string line = std::format(R"({{"remembered":{}}})", text);
  LineFields fields(line);
  const Remembered read = read_remembered(fields);
  if (!fields.error().empty()) return check_error(fields.error());
  const std::string written = std::format(R"({{"remembered":{}}})", remembered_json(read));
  LineFields again(written);
  const Remembered back = read_remembered(again);
  must(again.error().empty(), "what is remembered is read back", written + again.error());
  must(remembered_json(back) == remembered_json(read), "and is the same", written);
}

ReplayResult replayed(const std::string& path) {
  auto recording = RecordingReader::open(path);
  must(recording.has_value(), "a file is opened");
  return replay(*recording, no_helpers(), {});
}

std::string words_of(const ReplayResult& result) {
  std::string out;
  append_json(out, result);
  return out;
}

void check_result(const ReplayResult& result) {
  if (!result.error.empty()) check_error(result.error);
  for (const std::string& note : result.notes) check_error(note);
  std::uint64_t calls = result.equal + result.different;
  for (const auto& [why, times] : result.not_compared) calls += times;
  must(calls == result.calls, "each call is equal, different, or not compared");
}

void file(std::string_view text) {
  const MemoryFile recording(text);
  const ReplayResult first = replayed(recording.name());
  check_result(first);
  must(words_of(first) == words_of(replayed(recording.name())), "played twice it says the same", text);
}

/// A directory that goes with its files.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / std::format("winnow-fuzz-{}", ::getpid())) {
    std::filesystem::remove_all(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

void without_names(std::string_view text) {
  const MemoryFile file(text);
  const Folder to;
  auto recording = RecordingReader::open(file.name());
  must(recording.has_value(), "a file is opened");
  const Anonymized made = anonymize(file.name(), *recording, to.path(), no_helpers(), nullptr);
  if (!made.replay.error.empty()) return check_error(made.replay.error);
  // The copy has the name of the file, which is none of a recording's.
  const auto copy = std::filesystem::path(to.path()) / recording->file_name();
  const ReplayResult played = replayed(copy.string());
  must(played.error.empty(), "a copy without names is played", played.error);
  must(played.different == 0, "and gives its own answers", words_of(played));
}

constexpr Part kParts[] = {head, remembered, file, without_names};

}  // namespace
}  // namespace winnow::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return winnow::fuzz::run_part(data, size, winnow::fuzz::kParts);
}
