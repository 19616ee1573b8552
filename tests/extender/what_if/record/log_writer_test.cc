#include "extender/what_if/record/log_writer.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <format>
#include <latch>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "cluster/text/gzip_lines.h"
#include "extender/what_if/record/format.h"
#include "tests/cluster/client/transport/temp_folder.h"
#include "tests/failing_memory.h"

namespace winnow::test {
namespace {

using live::test::TempFolder;
using Effect = LogLine::Effect;

std::vector<std::string> log_lines(const std::string& path) {
  auto reader = GzipReader::open(path).value();
  std::vector<std::string> lines;
  for (std::string line; reader->next(line) == GzipReader::Next::kLine;) lines.push_back(line);
  return lines;
}

std::string head_of(std::uint64_t number) { return std::format("head {}", number); }

std::unique_ptr<LogWriter> open_log(const std::string& dir, std::size_t bytes,
                                    std::size_t queued = 1UL << 20) {
  return LogWriter::open({.dir = dir, .most_bytes = bytes, .most_queued = queued, .files = 8}, head_of)
      .value();
}

/// Text that gzip makes little shorter.
std::string noise(std::size_t bytes) {
  static std::uint64_t random = 1;
  std::string text;
  text.reserve(bytes + 8);
  while (text.size() < bytes) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    text += std::format("{:08x}", random >> 32);
  }
  return text;
}

/// The files of the directory in order, and how many bytes they have.
std::vector<std::string> files_of(const std::string& dir, std::uintmax_t* bytes = nullptr) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(dir)) {
    files.push_back(entry.path().filename().string());
    if (bytes) *bytes += entry.file_size();
  }
  std::ranges::sort(files);
  return files;
}

std::uintmax_t bytes_of(const std::string& dir) {
  std::uintmax_t bytes = 0;
  files_of(dir, &bytes);
  return bytes;
}

/// A disk that takes nothing until it is let go. What is written is lost.
class StalledDisk {
 public:
  StalledDisk() { REQUIRE(::pipe2(ends_, O_CLOEXEC) == 0); }
  /// The writer has gone before.
  ~StalledDisk() {
    if (reader_.joinable()) reader_.join();
    ::close(ends_[0]);
  }
  StalledDisk(const StalledDisk&) = delete;
  StalledDisk& operator=(const StalledDisk&) = delete;
  /// For LogWriter::Options.
  int file() const { return ends_[1]; }
  /// Takes everything, until the writer has closed its file.
  void let_go() {
    reader_ = std::jthread([this] {
      std::string nobody(64UL << 10, ' ');
      while (::read(ends_[0], nobody.data(), nobody.size()) > 0) continue;
    });
  }

 private:
  int ends_[2] = {};
  std::jthread reader_;
};

}  // namespace

TEST_CASE("a file begins with the last line of each key, those that lead first") {
  const TempFolder folder;
  // What stands, by key, and in the order in which the leading keys came up.
  std::map<std::string, std::string> stands;
  std::vector<std::string> leading;
  {
    auto writer = open_log(folder.path("r"), 32UL << 10, /*queued=*/1UL << 30);
    std::uint64_t random = 1;
    for (int i = 0; i < 20'000; ++i) {
      random = random * 6364136223846793005U + 1442695040888963407U;
      const std::uint64_t draw = random >> 33;
      const std::string key = std::format("{}/{}", draw % 2 == 0 ? "lead" : "other", draw / 2 % 20);
      const std::string text = std::format("{} {} {}", key, i, random);
      if (draw % 7 == 0) {
        writer->add({.text = "end " + text, .effect = Effect::kEnds, .key = key, .other_key = "other/3"});
        stands.erase(key);
        stands.erase("other/3");
        std::erase(leading, key);
      } else if (draw % 1001 == 0) {
        writer->add({.text = "end all " + text, .effect = Effect::kEndsAll, .key = "other/"});
        std::erase_if(stands, [](const auto& one) { return one.first.starts_with("other/"); });
      } else {
        if (key.starts_with("lead") && !stands.contains(key)) leading.push_back(key);
        stands[key] = text;
        writer->add({.text = text,
                     .effect = Effect::kStands,
                     .key = key,
                     .place = key.starts_with("lead") ? LogLine::Place::kInOrder : LogLine::Place::kBehind});
      }
    }
  }
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path("r")))
    files.push_back(entry.path().string());
  std::ranges::sort(files);
  REQUIRE(files.size() > 2);
  // The lines of the last file make what stands at its end of what it begins with.
  const std::vector<std::string> last = log_lines(files.back());
  REQUIRE(last.size() > 45);
  CHECK(last[0].starts_with("head "));
  const std::size_t begins = std::stoul(last[1].substr(last[1].find(':') + 1));
  std::map<std::string, std::string> made;
  bool other = false;
  for (std::size_t i = 2; i + 1 < last.size(); ++i) {
    const std::string& line = last[i];
    const std::string key = line.substr(0, line.find(' '));
    if (i < begins + 2) {
      CHECK(!(other && key.starts_with("lead")));
      other |= key.starts_with("other");
    }
    if (line.starts_with("end all ")) {
      std::erase_if(made, [](const auto& one) { return one.first.starts_with("other/"); });
    } else if (line.starts_with("end ")) {
      made.erase(line.substr(4, line.find(' ', 4) - 4));
      made.erase("other/3");
    } else {
      made[key] = line;
    }
  }
  CHECK(made == stands);
  CHECK(last.back().starts_with(std::format(R"({{"ends":{},"next":false)", last.size() - 1)));
}

TEST_CASE("what cannot be kept ends the recording, and the file says why") {
  const TempFolder folder;
  {
    auto writer = open_log(folder.path("r"), 64UL << 20, /*queued=*/1000);
    writer->add({.text = "one"});
    writer->add({.text = std::string(2000, 'x')});
    CHECK(writer->ended() == "more than 1000 bytes waited to be written");
    writer->add({.text = "two"});
    CHECK(writer->lines() == 1);
    CHECK(writer->lost_lines() == 2);
  }
  CHECK(log_lines(folder.path("r/recording-000001.jsonl.gz")) ==
        std::vector<std::string>{
            "head 1", R"({"begins":0})", "one",
            R"({"ends":3,"next":false,"why":"more than 1000 bytes waited to be written"})"});
}

TEST_CASE("of what stands some keeps the order of its lines, some that of its keys, and the rest follows") {
  const TempFolder folder;
  using Place = LogLine::Place;
  {
    auto writer = open_log(folder.path("r"), 8UL << 20);
    const auto add = [&](const std::string& key, Place place, int version) {
      writer->add({.text = std::format("{} {}", key, version),
                   .effect = Effect::kStands,
                   .key = key,
                   .place = place});
    };
    add("pod", Place::kBehind, 1);
    for (const char* const key : {"node-b", "node-a", "node-c"}) add(key, Place::kInOrder, 1);
    for (const char* const key : {"given-2", "given-1"}) add(key, Place::kFirst, 1);
    add("node-b", Place::kInOrder, 2);
    add("given-2", Place::kFirst, 2);
    while (files_of(folder.path("r")).size() < 3) {  // The next one copies what was copied.
      writer->wait_for_room();
      writer->add({.text = noise(1000)});
    }
  }
  const std::vector<std::string> lines = log_lines(folder.path("r/recording-000003.jsonl.gz"));
  REQUIRE(lines.size() > 8);
  CHECK(std::vector(lines.begin(), lines.begin() + 8) ==
        std::vector<std::string>{"head 3", R"({"begins":6})", "given-1 1", "given-2 2", "node-b 2",
                                 "node-a 1", "node-c 1", "pod 1"});
}

TEST_CASE("all files stay within the size, those of processes before too") {
  const TempFolder folder;
  for (int run = 0; run < 30; ++run) {
    auto writer = open_log(folder.path("r"), 64UL << 10);
    // Less than a file takes in every other run, so that it does not come to an end by itself.
    for (int i = 0; i < (run % 2 == 0 ? 8 : 60); ++i) writer->add({.text = noise(1000)});
    writer.reset();
    CAPTURE(run);
    CHECK(bytes_of(folder.path("r")) <= 64UL << 10);
  }
  CHECK(bytes_of(folder.path("r")) > 32UL << 10);
  CHECK(files_of(folder.path("r")).back() > "recording-000060");
}

TEST_CASE("what stands and has no room ends the recording, and not the size") {
  const TempFolder folder;
  for (int run = 0; run < 2; ++run) {
    auto writer = open_log(folder.path("r"), 64UL << 10);
    for (int i = 0; i < 200; ++i)
      writer->add({.text = noise(1000), .effect = Effect::kStands, .key = std::format("{}", i)});
    writer.reset();
    CHECK(bytes_of(folder.path("r")) <= 64UL << 10);
    const std::vector<std::string> last = log_lines(folder.path("r/" + files_of(folder.path("r")).back()));
    CHECK(last.back().ends_with(R"(,"next":false,"why":"what must be kept has no room in 65536 bytes"})"));
  }
}

TEST_CASE("where no space is left the oldest file goes") {
  const TempFolder folder;
  for (int run = 0; run < 6; ++run) open_log(folder.path("r"), 64UL << 20)->add({.text = "one"});
  // No file can be made; then one can, which cannot be written. Each time one file goes, and no more than
  // one.
  int made = 0;
  LogWriter::Options options{.dir = folder.path("r"), .most_bytes = 64UL << 20};
  options.make = [&](const std::string&) {
    errno = ENOSPC;
    return made++ == 0 ? -1 : ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  };
  LogWriter::open(std::move(options), head_of).value()->add({.text = "two"});
  CHECK(made == 2);
  // A flush may have come before the end of the file.
  const std::size_t files = files_of(folder.path("r")).size();
  CHECK(files <= 4);
  CHECK(files >= 3);
  CHECK(files_of(folder.path("r")).back() == "recording-000006.jsonl.gz");
}

TEST_CASE("a disk that stands still is waited for once, and its lines stay in memory within the queue") {
  const TempFolder folder;
  StalledDisk disk;
  constexpr std::size_t kLine = 256UL << 10;
  constexpr std::size_t kQueued = 12 * kLine;
  LogWriter::Options options{.dir = folder.path("r"), .most_bytes = 1UL << 30, .most_queued = kQueued};
  options.longest_wait = std::chrono::milliseconds(1);
  options.make = [&](const std::string&) { return disk.file(); };
  auto writer = LogWriter::open(std::move(options), head_of).value();
  // The thread may write a few of them, and then stands still for longer than the test.
  for (int i = 0; i < 10; ++i) writer->add({.text = noise(kLine)});
  for (int i = 0; i < 100; ++i) writer->make_room();
  CHECK(writer->stalls() == 1);
  CHECK(writer->ended() == "");

  disk.let_go();
  writer->wait_for_room();
  writer->make_room();
  CHECK(writer->stalls() == 1);
  CHECK(writer->ended() == "");
}

TEST_CASE("the line that is being written counts as one that waits") {
  const TempFolder folder;
  StalledDisk disk;
  LogWriter::Options options{.dir = folder.path("r"), .most_bytes = 1UL << 30, .most_queued = 3UL << 20};
  options.make = [&](const std::string&) { return disk.file(); };
  auto writer = LogWriter::open(std::move(options), head_of).value();
  writer->add({.text = noise(2UL << 20)});
  // The thread takes the line, and cannot write it.
  while (writer->waiting() > 0) std::this_thread::yield();
  writer->add({.text = noise(2UL << 20)});
  CHECK(writer->ended() == "more than 3145728 bytes waited to be written");
  disk.let_go();
}

TEST_CASE("lines are flushed although others keep coming") {
  const TempFolder folder;
  constexpr int kLines = 50;
  std::latch added(1);
  std::atomic<bool> is_open = false;
  std::atomic<int> asked = 0;
  std::vector<std::size_t> in_file;  // When the time is asked for.
  LogWriter::Options options{.dir = folder.path("r"), .most_bytes = 64UL << 20};
  options.now = [&] {
    if (is_open) {
      added.wait();
      in_file.push_back(log_lines(folder.path("r/recording-000001.jsonl.gz")).size());
    }
    return std::chrono::steady_clock::time_point(std::chrono::seconds(10 * ++asked));
  };
  {
    auto writer = LogWriter::open(std::move(options), head_of).value();
    is_open = true;
    for (int i = 0; i < kLines; ++i) writer->add({.text = "line"});
    added.count_down();
  }
  REQUIRE(in_file.size() > kLines);
  CHECK(in_file.back() >= kLines);
}

TEST_CASE("a file that somebody removes, moves or replaces is followed by another with all that stands") {
  struct Row {
    const char* sentence;
    void (*harm)(const TempFolder& folder, const std::string& file);
    std::vector<std::string> files;
  };
  const std::string first = "recording-000001.jsonl.gz", second = "recording-000002.jsonl.gz";
  const Row rows[] = {
      {"it is removed",
       [](const TempFolder&, const std::string& file) { std::filesystem::remove(file); },
       {second}},
      {"it is moved",
       [](const TempFolder&, const std::string& file) { std::filesystem::rename(file, file + ".old"); },
       {first + ".old", second}},
      {"it is replaced",
       [](const TempFolder& folder, const std::string&) {
         folder.write("r/recording-000001.jsonl.gz", "other");
       },
       {first, second}},
      {"its directory is removed",
       [](const TempFolder& folder, const std::string&) { std::filesystem::remove_all(folder.path("r")); },
       {second}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const TempFolder folder;
    LogWriter::Options options{.dir = folder.path("r"), .most_bytes = 64UL << 20};
    std::atomic<int> asked = 0;
    options.now = [&] {
      return std::chrono::steady_clock::time_point(
          std::chrono::seconds(10 * ++asked));  // Each line is flushed.
    };
    auto writer = LogWriter::open(std::move(options), head_of).value();
    row.harm(folder, folder.path("r/" + first));
    writer->add({.text = "stands", .effect = Effect::kStands, .key = "one"});
    while (writer->lost_lines() == 0) std::this_thread::yield();
    writer->add({.text = "later"});
    CHECK_FALSE(writer->is_over());
    LogWriter* const raw = writer.get();
    CHECK(raw->lost_lines() == 1);
    writer.reset();
    CHECK(files_of(folder.path("r")) == row.files);
    CHECK(log_lines(folder.path("r/" + second)) == std::vector<std::string>{"head 2", R"({"begins":1})",
                                                                            "stands", "later",
                                                                            R"({"ends":4,"next":false})"});
  }
}

TEST_CASE("a file that is gone at the end is noticed, too") {
  const TempFolder folder;
  {
    auto writer = open_log(folder.path("r"), 64UL << 20);
    std::filesystem::remove(folder.path("r/recording-000001.jsonl.gz"));
    writer->add({.text = "stands", .effect = Effect::kStands, .key = "one"});
  }
  CHECK(log_lines(folder.path("r/recording-000002.jsonl.gz")) ==
        std::vector<std::string>{"head 2", R"({"begins":1})", "stands", R"({"ends":3,"next":false})"});
}

TEST_CASE("a file that is cut short ends the recording: what stands cannot be read from it") {
  const TempFolder folder;
  LogWriter::Options options{.dir = folder.path("r"), .most_bytes = 64UL << 20};
  std::atomic<int> asked = 0;
  options.now = [&] { return std::chrono::steady_clock::time_point(std::chrono::seconds(10 * ++asked)); };
  auto writer = LogWriter::open(std::move(options), head_of).value();
  writer->add({.text = "stands", .effect = Effect::kStands, .key = "one"});
  const std::string file = folder.path("r/recording-000001.jsonl.gz");
  while (log_lines(file).size() < 3) std::this_thread::yield();
  std::filesystem::resize_file(file, 0);
  writer->add({.text = "later"});
  while (!writer->is_over()) std::this_thread::yield();
  CHECK(writer->ended().ends_with(": cannot be read again"));
  CHECK(writer->lost_lines() >= 1);
}

TEST_CASE("memory that is short ends the recording, and not the process") {
  const TempFolder folder;
  auto writer = open_log(folder.path("r"), 64UL << 20);
  std::vector<LogLine> lines(100);
  fail_memory(0, 1'000'000);
  {
    const CodeUnderTest code;
    for (LogLine& line : lines) writer->add(std::move(line));
  }
  mend_memory();
  CHECK(writer->ended() == "memory was short");
  CHECK(writer->is_over());
  CHECK(writer->lines() + writer->lost_lines() == 100);
}

TEST_CASE("a file that cannot be made, or not be begun, ends the recording: nothing follows") {
  struct Row {
    std::string sentence;
    bool lose_first;
    std::string ended;
  };
  const Row rows[] = {
      {"it cannot be made", false, "r/recording-000002.jsonl.gz: Permission denied"},
      {"the file before it is gone", true, "r/recording-000001.jsonl.gz: No such file or directory"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const TempFolder folder;
    LogWriter::Options options{.dir = folder.path("r"), .most_bytes = 64UL << 10, .most_queued = 1UL << 30};
    options.make = [&](const std::string& path) {
      if (!path.contains("000002")) return make_file(path);
      if (row.lose_first) return folder.remove("r/recording-000001.jsonl.gz"), make_file(path);
      errno = EACCES;
      return -1;
    };
    auto writer = LogWriter::open(std::move(options), head_of).value();
    writer->add({.text = "stands", .effect = Effect::kStands, .key = "one"});
    for (int i = 0; i < 200; ++i) writer->add({.text = noise(1000)});
    while (!writer->is_over()) std::this_thread::yield();
    CHECK(writer->ended() == folder.path(row.ended));
    writer.reset();
    const std::vector<std::string> files = files_of(folder.path("r"));
    REQUIRE(files.size() == 1);
    const std::vector<std::string> lines = log_lines(folder.path("r/" + files[0]));
    CHECK(lines.back().starts_with(R"({"ends":)"));
    if (row.lose_first) CHECK(lines.size() == 3);
    CHECK(lines.back().contains(row.lose_first ? R"("next":false,"why":)" : R"("next":true)"));
  }
}

TEST_CASE("the names of a recording's files") {
  CHECK(log_file_number("recording-000001.jsonl.gz") == 1);
  CHECK(log_file_number("recording-1234567.jsonl.gz") == 1'234'567);
  for (const char* const name :
       {"recording-1.jsonl.gz", "recording-0000001.jsonl.gz", "recording-.jsonl.gz",
        "recording-000000.jsonl.gz", "recording-00001x.jsonl.gz", "recording-000001.gz"}) {
    CAPTURE(name);
    CHECK(log_file_number(name) == 0);
  }
}

TEST_CASE("no line is written that could not be read") {
  CHECK(GzipReader::kMostLineBytes > LogWriter::Options().most_queued);
}

TEST_CASE("a directory that cannot be written is an error of one line") {
  const TempFolder folder;
  folder.write("file", "");
  const auto writer = LogWriter::open({.dir = folder.path("file/r")}, [](std::uint64_t) { return "head"; });
  REQUIRE(!writer);
  CHECK(writer.error() == folder.path("file/r") + ": Not a directory");
}

}  // namespace winnow::test
