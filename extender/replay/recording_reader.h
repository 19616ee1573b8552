// The lines of a recording's files, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/text/encoding/gzip_lines.h"
#include "extender/record/format.h"

namespace winnow {

/// Reads all files of a directory, the oldest first, or one file. Checks what holds a file together: its
/// head, its end, and the number of its lines. Errors are of one line: they name the file and the line, and
/// say what was expected. A process that was killed leaves a file that is cut short: that is no error where
/// the files of another process follow. Used by one thread.
class RecordingReader {
 public:
  static std::expected<RecordingReader, std::string> open(const std::string& path);

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
  explicit RecordingReader(std::vector<std::string> files) : files_(std::move(files)) {}
  std::string open_next();
  std::string read_head();
  std::string read_end();
  std::string what_is_wrong(GzipReader::Next found) const;
  bool another_run_follows() const;
  void note_missing(std::uint64_t before);
  void note_cut();

  std::vector<std::string> files_;
  std::size_t index_ = 0;  ///< Of the current file, if there is one.
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
