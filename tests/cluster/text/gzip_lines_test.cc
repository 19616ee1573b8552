#include "cluster/text/gzip_lines.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "tests/cluster/client/transport/temp_folder.h"

namespace winnow::test {
namespace {

using Next = GzipReader::Next;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// All lines, and how it ended.
std::pair<std::vector<std::string>, Next> lines_of(const std::string& path) {
  auto reader = GzipReader::open(path).value();
  std::vector<std::string> lines;
  std::string line;
  Next next = reader->next(line);
  for (; next == Next::kLine; next = reader->next(line)) lines.push_back(line);
  return {lines, next};
}

}  // namespace

TEST_CASE("nothing but a file is read, and no line that is longer than the reader takes") {
  const live::test::TempFolder folder;
  REQUIRE(::mkfifo(folder.path("pipe").c_str(), 0600) == 0);
  for (const std::string& path : {folder.path("pipe"), folder.path(), std::string("/dev/zero")}) {
    CAPTURE(path);
    CHECK(GzipReader::open(path).error() == "is a pipe, a device or a directory; expected a file");
  }
  folder.write("long", std::string(1'000'000, 'x') + "\n");
  std::string line;
  CHECK(GzipReader::open(folder.path("long"), 500'000).value()->next(line) == Next::kTooLong);
  CHECK(GzipReader::open(folder.path("long"), 1'000'000).value()->next(line) == Next::kLine);
}

TEST_CASE("lines are read as they were written, of any length") {
  const live::test::TempFolder folder;
  const std::vector<std::string> lines = {"one", "", std::string(700'000, 'x'), "é", "last"};
  auto writer = GzipWriter::create(folder.path("a.gz")).value();
  for (const std::string& line : lines) {
    CHECK(writer->line(line) == "");
    CHECK(writer->flush() == "");
  }
  CHECK(writer->bytes() > 0);
  CHECK(writer->close() == "");
  CHECK(lines_of(folder.path("a.gz")) == std::pair(lines, Next::kEnd));
  struct stat about{};
  REQUIRE(::stat(folder.path("a.gz").c_str(), &about) == 0);
  CHECK((about.st_mode & 0777) == 0600);
  CHECK(GzipWriter::create(folder.path("a.gz")).error() == "File exists");
}

TEST_CASE("what is flushed can be read before the file ends") {
  const live::test::TempFolder folder;
  auto writer = GzipWriter::create(folder.path("a.gz")).value();
  CHECK(writer->line("one") == "");
  CHECK(writer->flush() == "");
  CHECK(lines_of(folder.path("a.gz")) == std::pair(std::vector<std::string>{"one"}, Next::kCut));
}

TEST_CASE("where no space is left there may be more, and no line is lost") {
  const live::test::TempFolder folder;
  const std::pair all(std::vector<std::string>{"one", "two"}, Next::kEnd);
  const auto full = [] { return ::open("/dev/full", O_WRONLY | O_CLOEXEC); };
  /// What is written to the descriptor goes to that file from now on.
  const auto make_room = [&](int file, const char* name) {
    const int real = make_file(folder.path(name));
    CHECK(::dup2(real, file) == file);
    ::close(real);
  };
  int file = full();
  int asked = 0;
  auto asks = GzipWriter::over(file, [&] {
                ++asked;
                make_room(file, "a.gz");
                return true;
              }).value();
  for (const std::string& line : all.first) CHECK(asks->line(line) == "");
  CHECK(asks->flush() == "");
  CHECK(asks->close() == "");
  CHECK(asked == 1);
  CHECK(lines_of(folder.path("a.gz")) == all);

  file = full();
  auto fails = GzipWriter::over(file, [&] { return ++asked < 100; }).value();
  CHECK(fails->line("one") == "");
  CHECK(fails->flush() == "No space left on device");
  CHECK(asked == 2);  // Once.
  make_room(file, "b.gz");
  CHECK(fails->line("two") == "");
  CHECK(fails->close() == "");
  CHECK(lines_of(folder.path("b.gz")) == all);
}

TEST_CASE("a file that is cut anywhere is told from one that has ended") {
  const live::test::TempFolder folder;
  auto writer = GzipWriter::create(folder.path("a.gz")).value();
  for (const char* const line : {"one", "two", "three"}) CHECK(writer->line(line) == "");
  CHECK(writer->close() == "");
  const std::string whole = bytes_of(folder.path("a.gz"));
  for (std::size_t size = 1; size < whole.size(); ++size) {
    CAPTURE(size);
    folder.write("cut.gz", whole.substr(0, size));
    CHECK(lines_of(folder.path("cut.gz")).second == Next::kCut);
  }
  std::string broken = whole;
  broken[broken.size() - 6] = static_cast<char>(broken[broken.size() - 6] ^ 1);  // In the checksum.
  folder.write("broken.gz", broken);
  CHECK(lines_of(folder.path("broken.gz")).second == Next::kBroken);
}

}  // namespace winnow::test
