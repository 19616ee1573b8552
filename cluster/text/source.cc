#include "cluster/text/source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <format>
#include <limits>

#include "cluster/memory_budget.h"

namespace winnow {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

std::unexpected<std::string> too_large(std::size_t max_bytes) {
  return std::unexpected(std::format("larger than {} bytes", max_bytes));
}

std::string broken_at(std::size_t at) { return std::format("broken gzip data at byte {}", at); }

/// An open file, or standard input.
class File {
 public:
  /// Does not wait: a named pipe that nobody has opened for writing opens too.
  explicit File(const std::string& name)
      : fd_(name == "-" ? STDIN_FILENO : ::open(name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}
  ~File() {
    if (fd_ > STDIN_FILENO) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

std::unexpected<std::string> errno_text() { return std::unexpected(std::string(std::strerror(errno))); }

/// A zlib stream that reads gzip; the destructor ends it.
class Inflater {
 public:
  Inflater() { good_ = inflateInit2(&stream_, 16 + MAX_WBITS) == Z_OK; }
  ~Inflater() {
    if (good_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  bool good() const { return good_; }
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
  bool good_ = false;
};

/// Gives zlib as much of the input as its counter can hold.
void refill(z_stream& stream, std::string_view& rest) {
  if (stream.avail_in != 0) return;
  const std::size_t size = std::min<std::size_t>(rest.size(), std::numeric_limits<uInt>::max());
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
  stream.avail_in = static_cast<uInt>(size);
  rest.remove_prefix(size);
}

/// Whether it is known how long the file is. A pipe and standard input end when their writer ends them.
std::expected<bool, std::string> has_size(const struct stat& about, int fd) {
  if (S_ISREG(about.st_mode)) return true;
  if (S_ISDIR(about.st_mode)) return std::unexpected("is a directory; expected a file");
  const bool is_null = S_ISCHR(about.st_mode) && about.st_rdev == makedev(1, 3);  // /dev/null
  if (S_ISBLK(about.st_mode) || (S_ISCHR(about.st_mode) && !is_null && ::isatty(fd) == 0))
    return std::unexpected("is a device; expected a file or a pipe");
  return false;
}

/// Waits until the next read() does not block. @return the error; "": none.
std::string wait_for_bytes(int fd, std::chrono::milliseconds max_silence) {
  pollfd one{.fd = fd, .events = POLLIN, .revents = 0};
  const int limit = fd == STDIN_FILENO ? -1 : static_cast<int>(max_silence.count());
  int ready = 0;
  do ready = ::poll(&one, 1, limit);
  while (ready < 0 && errno == EINTR);
  if (ready < 0) return std::strerror(errno);
  return ready > 0 ? "" : std::format("the pipe has given nothing for {} ms", max_silence.count());
}

std::expected<std::string, std::string> read_all(int fd, std::size_t max_bytes,
                                                 std::chrono::milliseconds max_silence) {
  struct stat about{};
  if (::fstat(fd, &about) != 0) return errno_text();
  const auto sized = has_size(about, fd);
  if (!sized) return std::unexpected(sized.error());
  const std::size_t told = *sized ? static_cast<std::size_t>(about.st_size) : 0;
  if (told > max_bytes) return too_large(max_bytes);
  std::string bytes;
  // Growing would take twice the memory.
  if (told > 0) bytes.reserve(told + 2 * kChunkBytes);
  while (true) {
    if (!*sized)
      if (std::string why = wait_for_bytes(fd, max_silence); !why.empty()) return std::unexpected(why);
    const std::size_t size = bytes.size();
    bytes.resize(size + kChunkBytes);
    const ssize_t got = ::read(fd, bytes.data() + size, kChunkBytes);
    bytes.resize(size + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (bytes.size() > max_bytes) return too_large(max_bytes);
    if (got == 0) return bytes;
    if (got < 0 && errno != EINTR && errno != EAGAIN) return errno_text();
  }
}

}  // namespace

std::expected<std::string, std::string> inflate_gzip(std::string_view packed, std::size_t max_bytes) {
  Inflater inflater;
  if (!inflater.good()) return std::unexpected(std::string("zlib does not start"));
  z_stream& stream = inflater.stream();
  std::string bytes;
  std::string_view rest = packed;
  while (true) {
    refill(stream, rest);
    const std::size_t size = bytes.size();
    bytes.resize(size + kChunkBytes);
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data() + size);
    stream.avail_out = static_cast<uInt>(kChunkBytes);
    const int status = inflate(&stream, Z_NO_FLUSH);
    bytes.resize(size + kChunkBytes - stream.avail_out);
    if (bytes.size() > max_bytes) return too_large(max_bytes);
    const bool exhausted = stream.avail_in == 0 && rest.empty();
    const std::size_t at = packed.size() - rest.size() - stream.avail_in;
    if (status == Z_STREAM_END) {
      if (exhausted) return bytes;
      if (inflateReset(&stream) != Z_OK) return std::unexpected(broken_at(at));
    } else if (status == Z_BUF_ERROR || (status == Z_OK && exhausted && stream.avail_out != 0)) {
      return std::unexpected(std::format("gzip data that ends early, after {} bytes", at));
    } else if (status != Z_OK) {
      return std::unexpected(broken_at(at));
    }
  }
}

std::expected<std::string, std::string> read_source(const std::string& file, std::size_t max_bytes,
                                                    std::chrono::milliseconds max_silence) try {
  const HeldToProcess held;
  const File opened(file);
  if (opened.fd() < 0) return errno_text();
  auto bytes = read_all(opened.fd(), max_bytes, max_silence);
  if (!bytes || !bytes->starts_with("\x1f\x8b")) return bytes;
  return inflate_gzip(*bytes, max_bytes);
} catch (const MemoryExceeded& exceeded) {
  return std::unexpected(exceeded.text());
}

}  // namespace winnow
