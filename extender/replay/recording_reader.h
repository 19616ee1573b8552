// The lines of a recording's files, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/text/encoding/gzip_lines.h"
#include "extender/record/format.h"

namespace winnow {

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
