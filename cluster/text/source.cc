#include "cluster/text/source.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <format>
#include <limits>
#include <memory>

namespace winnow {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

std::unexpected<std::string> too_large(std::size_t max_bytes) {
  return std::unexpected(std::format("larger than {} bytes", max_bytes));
}

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

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

std::expected<std::string, std::string> read_all(std::FILE* file, std::size_t max_bytes) {
  std::string bytes;
  // If the size is known, reserve it: growing would take twice the memory.
  if (std::fseek(file, 0, SEEK_END) == 0) {
    const long size = std::ftell(file);
    std::rewind(file);
    if (size > 0) bytes.reserve(std::min(static_cast<std::size_t>(size), max_bytes) + 2 * kChunkBytes);
  }
  while (true) {
    const std::size_t size = bytes.size();
    bytes.resize(size + kChunkBytes);
    const std::size_t got = std::fread(bytes.data() + size, 1, kChunkBytes, file);
    bytes.resize(size + got);
    if (bytes.size() > max_bytes) return too_large(max_bytes);
    if (got < kChunkBytes) break;
  }
  if (std::ferror(file) != 0) return std::unexpected(std::string(std::strerror(errno)));
  return bytes;
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
    if (status == Z_STREAM_END) {
      if (exhausted) return bytes;
      if (inflateReset(&stream) != Z_OK) return std::unexpected(std::string("broken gzip data"));
    } else if (status == Z_BUF_ERROR || (status == Z_OK && exhausted && stream.avail_out != 0)) {
      return std::unexpected(std::string("gzip data that ends early"));
    } else if (status != Z_OK) {
      return std::unexpected(std::string("broken gzip data"));
    }
  }
}

std::expected<std::string, std::string> read_source(const std::string& file, std::size_t max_bytes) {
  const File opened(file == "-" ? stdin : std::fopen(file.c_str(), "rb"));
  if (opened == nullptr) return std::unexpected(std::string(std::strerror(errno)));
  auto bytes = read_all(opened.get(), max_bytes);
  if (!bytes || !bytes->starts_with("\x1f\x8b")) return bytes;
  return inflate_gzip(*bytes, max_bytes);
}

}  // namespace winnow
