#include "cluster/text/gzip_lines.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <limits>
#include <utility>

namespace winnow {
namespace {

constexpr std::size_t kBufferBytes = 256UL << 10;
/// Recordings are written beside calls: a level that is fast.
constexpr int kLevel = 3;
/// What zlib calls 15 bits of window, in gzip's format.
constexpr int kGzipWindow = 15 + 16;
constexpr int kMemoryLevel = 8;

gzFile file_of(void* file) { return static_cast<gzFile>(file); }

}  // namespace

struct GzipWriter::Stream {
  Stream() {
    started = deflateInit2(&z, kLevel, Z_DEFLATED, kGzipWindow, kMemoryLevel, Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~Stream() {
    if (started) deflateEnd(&z);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  z_stream z{};
  bool started = false;
};

int make_file(const std::string& path) {
  // Appended, so that a file that somebody cuts short stays shorter than what was written, and has no hole.
  return ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
}

std::expected<std::unique_ptr<GzipWriter>, std::string> GzipWriter::create(const std::string& path) {
  const int file = make_file(path);
  if (file < 0) return std::unexpected(std::string(std::strerror(errno)));
  return over(file);
}

std::expected<std::unique_ptr<GzipWriter>, std::string> GzipWriter::over(int file, MakeSpace make_space) {
  std::unique_ptr<GzipWriter> writer(new GzipWriter(file, std::make_unique<Stream>(), std::move(make_space)));
  if (!writer->stream_->started) return std::unexpected(std::string("zlib does not start"));
  return writer;
}

GzipWriter::GzipWriter(int file, std::unique_ptr<Stream> stream, MakeSpace make_space)
    : file_(file), stream_(std::move(stream)), make_space_(std::move(make_space)) {}

GzipWriter::~GzipWriter() {
  try {
    close();
  } catch (const std::exception&) {  // For want of memory the file is cut short.
    if (file_ >= 0) ::close(file_);
  }
}

/// Compresses into memory, so that a line is whole in the file although a write has failed in between.
void GzipWriter::compress(std::string_view text, int flush) {
  z_stream& z = stream_->z;
  // zlib does not write to its input.
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  do {
    if (used_ == out_.size()) out_.resize(std::max(kBufferBytes, 2 * out_.size()));
    const std::size_t room = std::min<std::size_t>(out_.size() - used_, std::numeric_limits<uInt>::max());
    z.next_out = reinterpret_cast<Bytef*>(out_.data() + used_);
    z.avail_out = static_cast<uInt>(room);
    deflate(&z, flush);
    used_ += room - z.avail_out;
  } while (z.avail_out == 0);
}

/// @return the error; "": all is written.
std::string GzipWriter::write_out() {
  std::size_t done = 0;
  bool asked = false;
  std::string wrong;
  while (done < used_ && wrong.empty()) {
    const ssize_t bytes = ::write(file_, out_.data() + done, used_ - done);
    if (bytes >= 0) {
      done += static_cast<std::size_t>(bytes);
    } else if (const int number = errno; number != EINTR) {
      const bool is_full = number == ENOSPC && make_space_ && !std::exchange(asked, true);
      if (!is_full || !make_space_()) wrong = std::strerror(number);
    }
  }
  std::copy(out_.begin() + static_cast<std::ptrdiff_t>(done),
            out_.begin() + static_cast<std::ptrdiff_t>(used_), out_.begin());
  used_ -= done;
  written_ += done;
  if (used_ == 0 && out_.size() > 4 * kBufferBytes) out_ = {};  // After a line that was large.
  return wrong;
}

std::string GzipWriter::line(std::string_view text) {
  if (torn_) return "memory was short";
  if (text.size() > std::numeric_limits<uInt>::max()) return "a line is too long";
  torn_ = true;
  compress(text, Z_NO_FLUSH);
  compress("\n", Z_NO_FLUSH);
  torn_ = false;
  return used_ < kBufferBytes ? "" : write_out();
}

std::string GzipWriter::flush() {
  compress({}, Z_SYNC_FLUSH);
  return write_out();
}

bool GzipWriter::is_at(const std::string& path) const {
  struct stat open{}, named{};
  if (::fstat(file_, &open) != 0 || !S_ISREG(open.st_mode)) return true;
  return ::stat(path.c_str(), &named) == 0 && named.st_ino == open.st_ino && named.st_dev == open.st_dev &&
         static_cast<std::size_t>(open.st_size) >= written_;
}

int GzipWriter::duplicate() const { return ::fcntl(file_, F_DUPFD_CLOEXEC, 0); }

std::string GzipWriter::close() {
  if (file_ < 0) return "";
  if (stream_->started) compress({}, Z_FINISH);
  std::string wrong = write_out();
  const int closed = ::close(std::exchange(file_, -1));
  return closed != 0 && wrong.empty() ? std::strerror(errno) : wrong;
}

std::expected<std::unique_ptr<GzipReader>, std::string> GzipReader::open(const std::string& path,
                                                                         std::size_t most_line) {
  // Without O_NONBLOCK a named pipe would wait for somebody who writes.
  const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return std::unexpected(std::string(std::strerror(errno)));
  struct stat about{};
  if (::fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) {
    ::close(fd);
    return std::unexpected(std::string("is a pipe, a device or a directory; expected a file"));
  }
  const gzFile file = gzdopen(fd, "rb");
  if (file == nullptr) {
    ::close(fd);
    return std::unexpected(std::string("zlib does not start"));
  }
  gzbuffer(file, static_cast<unsigned>(kBufferBytes));
  return std::unique_ptr<GzipReader>(new GzipReader(file, most_line));
}

GzipReader::~GzipReader() { gzclose(file_of(file_)); }

/// Appends what comes next to the buffer.
GzipReader::Next GzipReader::fill() {
  buffer_.erase(0, at_);
  at_ = 0;
  const std::size_t size = buffer_.size();
  buffer_.resize(size + kBufferBytes);
  const int got = gzread(file_of(file_), buffer_.data() + size, static_cast<unsigned>(kBufferBytes));
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
    state_ = searched > most_line_ ? Next::kTooLong : fill();
  }
}

}  // namespace winnow
