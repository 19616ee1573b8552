// Bytes of files, pipes and devices.
#include "cluster/text/source.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/gzip.h"

namespace winnow {
namespace {

/// A path in the temporary directory; what is there is removed at the end.
class TemporaryPath {
 public:
  explicit TemporaryPath(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              ("winnow_source_" + std::to_string(::getpid()) + "_" + name)) {}
  ~TemporaryPath() { std::filesystem::remove(path_); }
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;
  std::string text() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

void write_to(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

constexpr std::chrono::milliseconds kShort{20};

}  // namespace

TEST_CASE("gzip that attacks") {
  const std::string packed = gzip(std::string(10'000'000, 'x'));
  CHECK(inflate_gzip(packed, 10'000'000)->size() == 10'000'000);
  CHECK(inflate_gzip(packed, 9'999'999).error() == "larger than 9999999 bytes");
  const std::string half = packed.substr(0, packed.size() / 2);
  CHECK(inflate_gzip(half, 1 << 30).error() ==
        "gzip data that ends early, after " + std::to_string(half.size()) + " bytes");
  CHECK(inflate_gzip(packed + "rubbish", 1 << 30)
            .error()
            .starts_with("broken gzip data at byte " + std::to_string(packed.size()).substr(0, 2)));
  std::string broken = packed;
  broken[broken.size() - 6] ^= 1;
  CHECK(inflate_gzip(broken, 1 << 30).error().starts_with("broken gzip data at byte "));
}

TEST_CASE("a file is read whole, up to the bound") {
  const TemporaryPath file("file");
  write_to(file.text(), "abc");
  CHECK(read_source(file.text()) == "abc");
  CHECK(read_source(file.text(), 3) == "abc");
  CHECK(read_source(file.text(), 2).error() == "larger than 2 bytes");
  write_to(file.text(), gzip(std::string(1000, 'x')));
  CHECK(read_source(file.text(), 999).error() == "larger than 999 bytes");
  CHECK(read_source(file.text(), 1000)->size() == 1000);
  CHECK(read_source(file.text() + ".none").error() == "No such file or directory");
  CHECK(read_source("/dev/null") == "");
}

TEST_CASE("directories and devices are no texts") {
  CHECK(read_source("/").error() == "is a directory; expected a file");
  for (const char* device : {"/dev/zero", "/dev/urandom"})
    CHECK(read_source(device).error() == "is a device; expected a file or a pipe");
}

TEST_CASE("a pipe is read to its end, and a silent one is given up") {
  const TemporaryPath pipe("pipe");
  REQUIRE(::mkfifo(pipe.text().c_str(), 0600) == 0);
  CHECK(read_source(pipe.text(), 1000, kShort).error() == "the pipe has given nothing for 20 ms");
  std::thread writer([&] { write_to(pipe.text(), std::string(300'000, 'x')); });
  const auto text = read_source(pipe.text());
  writer.join();
  REQUIRE(text);
  CHECK(text->size() == 300'000);
}

}  // namespace winnow
