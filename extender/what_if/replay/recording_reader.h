// The lines of a recording's files, in order, and the fields of a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/text/gzip_lines.h"
#include "extender/what_if/record/format.h"

namespace winnow {

/// One JSON object, whose text must outlive this. The functions that read a field keep the first error, and
/// give an empty value then: ask error() when all is read. Used by one thread.
class LineFields {
 public:
  /// A text that is no object has an error and no fields.
  explicit LineFields(std::string_view json);

  /// The key of the first member; "": there is none.
  std::string_view first() const { return fields_.empty() ? std::string_view() : fields_.front().first; }
  bool has(std::string_view key) const { return find(key).has_value(); }
  /// The value as JSON text.
  std::string_view raw(std::string_view key) { return required(key, "a value"); }
  std::string text(std::string_view key);
  std::uint64_t number(std::string_view key);
  double real(std::string_view key);
  bool truth(std::string_view key);
  /// The same, for a field that may be absent.
  bool is_set(std::string_view key) { return has(key) && truth(key); }
  std::string text_or_none(std::string_view key) { return has(key) ? text(key) : std::string(); }
  std::vector<std::string> texts(std::string_view key);
  /// The index of the field's text among the words.
  std::size_t word(std::string_view key, std::span<const std::string_view> words);
  /// The members of an object, by their keys, in order.
  std::vector<std::pair<std::string, std::string_view>> members(std::string_view key);

  /// `config: is missing; expected a string`; "": all is well.
  const std::string& error() const { return error_; }
  /// Sets the error, if there is none yet.
  void fail(std::string_view key, std::string_view found, std::string_view expected);

 private:
  std::optional<std::string_view> find(std::string_view key) const;
  std::string_view required(std::string_view key, std::string_view expected);

  std::vector<std::pair<std::string_view, std::string_view>> fields_;  ///< Raw.
  std::string error_;
};

// The lines of a recording's files, in order.

/// What a recording may take of the memory that this process may use.
struct RecordingLimits {
  std::size_t line_bytes = 0;      ///< A line is read, decoded and answered, each in memory of its own.
  std::size_t resident_bytes = 0;  ///< Of the whole process, when the next line is read.
  /// What is resident now; nothing: not known.
  std::function<std::optional<std::uint64_t>()> resident;

  /// By memory_limit().
  static RecordingLimits of_this_process();
};

/// Reads all files of a directory, the oldest first, or one file. Checks what holds a file together: its
/// head, its end, and the number of its lines. Errors are of one line: they name the file and the line, and
/// say what was expected. A line that is too long for the memory is an error, and so is the next line where
/// those before, with all that was made of them, have filled it. A process that was killed leaves a file that
/// is cut short: that is no error where the files of another process follow. Used by one thread.
class RecordingReader {
 public:
  static std::expected<RecordingReader, std::string> open(
      const std::string& path, RecordingLimits limits = RecordingLimits::of_this_process());

  /// The next line; nothing behind the last one. The text is valid until the next call. Do not call it again
  /// after an error.
  std::expected<std::optional<std::string_view>, std::string> next();

  /// The head of the file that the last line is of.
  const RecordingHead& head() const { return head_; }
  /// The name of that file without its directory.
  std::string file_name() const;
  std::size_t file_count() const { return files_.size(); }
  std::size_t file_index() const { return index_; }
  std::uint64_t line_number() const { return line_; }
  /// "DIR/recording-000001.jsonl.gz: line 12"
  std::string where() const;
  /// What is odd, a line each: a file is missing, or is cut short; the recording had ended early.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  RecordingReader(std::vector<std::string> files, RecordingLimits limits)
      : files_(std::move(files)), limits_(std::move(limits)) {}
  std::string no_room();
  std::string open_next();
  std::string read_head();
  std::string read_end();
  std::string what_is_wrong(GzipReader::Next found) const;
  bool another_run_follows() const;
  void note_missing(std::uint64_t before);
  void note_cut();

  std::vector<std::string> files_;
  RecordingLimits limits_;
  std::size_t since_look_ = 0;  ///< Bytes of lines since the memory was looked at.
  std::size_t index_ = 0;       ///< Of the current file, if there is one.
  std::size_t opened_ = 0;
  std::unique_ptr<GzipReader> file_;
  std::string text_;
  std::uint64_t line_ = 0;
  bool ended_ = false;     ///< The current file has had its last line.
  bool has_next_ = false;  ///< As that line says.
  RecordingHead head_;
  std::vector<std::string> notes_;
};

/// Reads a head. @return the error without a place; "": none.
std::string read_recording_head(std::string_view line, RecordingHead& head);

}  // namespace winnow
