// Lines in gzip files: written as they come, and read one after another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace winnow {

/// Makes a file that only its owner may read, and opens it. @return its descriptor; -1: errno says why, and a
///   file that is there already is an error.
int make_file(const std::string& path);

/// Writes a gzip file. A line whose writing fails is kept, and is written with the next one. Used by one
/// thread.
class GzipWriter {
 public:
  /// Asked once where there is no space left. @return whether there is more now.
  using MakeSpace = std::function<bool()>;

  /// @return the writer of a new file, or the error without the file's name. See make_file().
  static std::expected<std::unique_ptr<GzipWriter>, std::string> create(const std::string& path);
  /// The same for a file that is open. Closes it, whatever comes.
  static std::expected<std::unique_ptr<GzipWriter>, std::string> over(int file,
                                                                      MakeSpace make_space = nullptr);
  /// Ends the file.
  ~GzipWriter();
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;

  /// Writes the text and a line end. @return the error; "": none.
  std::string line(std::string_view text);
  /// Brings all lines so far to the file, so that they survive the end of the process.
  std::string flush();
  /// Whether the file at that path is this one, with all that was written. True where it is no regular file.
  bool is_at(const std::string& path) const;
  /// Another descriptor of the file, which stays readable by its name in /proc although it has no other name
  /// any more; -1: there is none.
  int duplicate() const;
  /// Ends the file. Nothing may be written after it.
  std::string close();
  /// How many bytes the file has, without the text behind the last flush that is not compressed yet.
  std::size_t bytes() const { return written_ + used_; }

 private:
  struct Stream;
  GzipWriter(int file, std::unique_ptr<Stream> stream, MakeSpace make_space);
  void compress(std::string_view text, int flush);
  std::string write_out();

  int file_;  ///< -1: closed.
  const std::unique_ptr<Stream> stream_;
  const MakeSpace make_space_;
  std::vector<char> out_;  ///< What is compressed and not written: the first `used_` bytes.
  std::size_t used_ = 0;
  std::size_t written_ = 0;
  bool torn_ = false;  ///< A line ends somewhere, for want of memory.
};

/// Reads a file of lines, gzip or plain. Used by one thread.
class GzipReader {
 public:
  enum class Next : std::uint8_t {
    kLine,
    kEnd,      ///< The file has ended behind a whole line.
    kCut,      ///< It ends within a line, or within its gzip data.
    kBroken,   ///< It is no gzip data, or its checksum is wrong.
    kTooLong,  ///< The next line has more bytes than the reader takes.
  };
  /// A recorder queues 256 MiB at most, so it writes no longer line. A copy without names may be a little
  /// longer.
  static constexpr std::size_t kMostLineBytes = std::size_t{264} << 20;

  /// @param most_line  the longest line, instead of kMostLineBytes.
  /// @return the reader, or the error without the file's name. Nothing but a file is read: a pipe may never
  /// end.
  static std::expected<std::unique_ptr<GzipReader>, std::string> open(const std::string& path,
                                                                      std::size_t most_line = kMostLineBytes);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  /// Reads the next line, without its end. After anything but a line the same comes again.
  Next next(std::string& line);

 private:
  GzipReader(void* file, std::size_t most_line) : file_(file), most_line_(most_line) {}
  Next fill();
  void* file_;  ///< A gzFile.
  const std::size_t most_line_;
  std::string buffer_;
  std::size_t at_ = 0;
  Next state_ = Next::kLine;
};

}  // namespace winnow
