#include "extender/record/log_writer.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <format>
#include <map>

#include "extender/record/format.h"
#include "tests/cluster/transport/temp_folder.h"

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

std::unique_ptr<LogWriter> open_log(const std::string& dir, std::size_t bytes,
                                    std::size_t queued = 1UL << 20) {
  return LogWriter::open({.dir = dir, .most_bytes = bytes, .most_queued = queued, .files = 8},
                         [](std::uint64_t number) { return std::format("head {}", number); })
      .value();
}

}  // namespace

TEST_CASE("a file begins with the last line of each key, those that lead first") {
  const TempFolder folder;
  // What stands, by key, and in the order in which the leading keys came up.
  std::map<std::string, std::string> stands;
  std::vector<std::string> leading;
  {
    auto writer = open_log(folder.path("r"), 32UL << 10);
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
        writer->add({.text = text, .effect = Effect::kStands, .key = key, .leads = key.starts_with("lead")});
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

TEST_CASE("a directory that cannot be written is an error of one line") {
  const TempFolder folder;
  folder.write("file", "");
  const auto writer = LogWriter::open({.dir = folder.path("file/r")}, [](std::uint64_t) { return "head"; });
  REQUIRE(!writer);
  CHECK(writer.error() == folder.path("file/r") + ": Not a directory");
}

}  // namespace winnow::test
