// Lines in gzip files: written as they come, and read one after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

namespace winnow {

/// Writes a new gzip file, which only its owner may read. Used by one thread.
class GzipWriter {
 public:
  /// @return the writer, or the error without the file's name. A file that is there already is an error.
  static std::expected<std::unique_ptr<GzipWriter>, std::string> create(const std::string& path);
  /// Ends the file.
  ~GzipWriter();
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;

  /// Writes the text and a line end. @return the error; "": none.
  std::string line(std::string_view text);
  /// Brings all lines so far to the file, so that they survive the end of the process.
  std::string flush();
  /// Ends the file. Nothing may be written after it.
  std::string close();
  /// About how many bytes the file has, behind the last flush at least.
  std::size_t bytes() const;

 private:
  explicit GzipWriter(void* file) : file_(file) {}
  std::string error() const;
  void* file_;  ///< A gzFile.
};

/// Reads a file of lines, gzip or plain. Used by one thread.
class GzipReader {
 public:
  enum class Next : std::uint8_t {
    kLine,
    kEnd,      ///< The file has ended behind a whole line.
    kCut,      ///< It ends within a line, or within its gzip data.
    kBroken,   ///< It is no gzip data, or its checksum is wrong.
    kTooLong,  ///< The next line has more than kMostLineBytes.
  };
  static constexpr std::size_t kMostLineBytes = std::size_t{512} << 20;

  /// @return the reader, or the error without the file's name.
  static std::expected<std::unique_ptr<GzipReader>, std::string> open(const std::string& path);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  /// Reads the next line, without its end. After anything but a line the same comes again.
  Next next(std::string& line);

 private:
  explicit GzipReader(void* file) : file_(file) {}
  Next fill();
  void* file_;  ///< A gzFile.
  std::string buffer_;
  std::size_t at_ = 0;
  Next state_ = Next::kLine;
};

}  // namespace winnow
