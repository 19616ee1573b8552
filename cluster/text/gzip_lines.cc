#include "cluster/text/gzip_lines.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace winnow {
namespace {

constexpr unsigned kBufferBytes = 256U << 10;
/// Recordings are written beside calls: a level that is fast.
constexpr const char* kWriteMode = "wb3";

gzFile file_of(void* file) { return static_cast<gzFile>(file); }

}  // namespace

std::expected<std::unique_ptr<GzipWriter>, std::string> GzipWriter::create(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (fd < 0) return std::unexpected(std::string(std::strerror(errno)));
  const gzFile file = gzdopen(fd, kWriteMode);
  if (file == nullptr) {
    ::close(fd);
    return std::unexpected(std::string("zlib does not start"));
  }
  gzbuffer(file, kBufferBytes);
  return std::unique_ptr<GzipWriter>(new GzipWriter(file));
}

GzipWriter::~GzipWriter() { close(); }

std::string GzipWriter::error() const {
  int number = Z_OK;
  const char* const text = gzerror(file_of(file_), &number);
  if (number == Z_ERRNO) return std::strerror(errno);
  return text == nullptr || *text == '\0' ? "cannot be written" : text;
}

std::string GzipWriter::line(std::string_view text) {
  const gzFile file = file_of(file_);
  const bool written = (text.empty() || gzfwrite(text.data(), 1, text.size(), file) == text.size()) &&
                       gzputc(file, '\n') != -1;
  return written ? "" : error();
}

std::string GzipWriter::flush() { return gzflush(file_of(file_), Z_SYNC_FLUSH) == Z_OK ? "" : error(); }

std::string GzipWriter::close() {
  if (file_ == nullptr) return "";
  const int closed = gzclose(file_of(std::exchange(file_, nullptr)));
  return closed == Z_OK ? "" : closed == Z_ERRNO ? std::strerror(errno) : "cannot be written";
}

std::size_t GzipWriter::bytes() const {
  const z_off_t offset = gzoffset(file_of(file_));
  return offset < 0 ? 0 : static_cast<std::size_t>(offset);
}

std::expected<std::unique_ptr<GzipReader>, std::string> GzipReader::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::unexpected(std::string(std::strerror(errno)));
  const gzFile file = gzdopen(fd, "rb");
  if (file == nullptr) {
    ::close(fd);
    return std::unexpected(std::string("zlib does not start"));
  }
  gzbuffer(file, kBufferBytes);
  return std::unique_ptr<GzipReader>(new GzipReader(file));
}

GzipReader::~GzipReader() { gzclose(file_of(file_)); }

/// Appends what comes next to the buffer.
GzipReader::Next GzipReader::fill() {
  buffer_.erase(0, at_);
  at_ = 0;
  const std::size_t size = buffer_.size();
  buffer_.resize(size + kBufferBytes);
  const int got = gzread(file_of(file_), buffer_.data() + size, kBufferBytes);
  buffer_.resize(size + static_cast<std::size_t>(got > 0 ? got : 0));
  if (got > 0) return Next::kLine;
  int number = Z_OK;
  gzerror(file_of(file_), &number);
  // Data that ends too early is Z_BUF_ERROR; it may come with the last bytes or after them.
  if (number == Z_BUF_ERROR) return Next::kCut;
  if (got < 0 || number != Z_OK) return Next::kBroken;
  return buffer_.empty() ? Next::kEnd : Next::kCut;
}

GzipReader::Next GzipReader::next(std::string& line) {
  std::size_t searched = 0;
  for (;;) {
    const std::size_t end = buffer_.find('\n', at_ + searched);
    if (end != std::string::npos) {
      line.assign(buffer_, at_, end - at_);
      at_ = end + 1;
      return Next::kLine;
    }
    if (state_ != Next::kLine) return state_;
    searched = buffer_.size() - at_;
    state_ = searched > kMostLineBytes ? Next::kTooLong : fill();
  }
}

}  // namespace winnow
