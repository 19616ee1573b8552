// A recording that is cut short, broken or of another version is told in one line, which names the place.
#include "extender/what_if/replay/recording_reader.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <format>
#include <span>

#include "cluster/text/json.h"
#include "extender/version.h"
#include "tests/extender/what_if/replay/recorded_service.h"

namespace winnow::test {
namespace {

using live::test::TempFolder;

constexpr std::string_view kHead =
    R"({"winnow":"recording","format":1,"number":1,"version":"0.1.0","revision":"r","run":"a","started":"s",)"
    R"("answer":"complete","scoreScale":"best","failedNodes":"judged","assume":false,"drawn":1})";
constexpr std::string_view kRules = R"({"rules":1,"gates":"","config":""})";
constexpr std::string_view kCache =
    R"({"picture":1,"accounting":"today","exactZones":false,"generation":"classic"})";

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out(text);
  REQUIRE(out.contains(from));
  return out.replace(out.find(from), from.size(), to);
}

/// The error of a recording with these lines, without the folder.
std::string error_of(const std::vector<std::string>& lines) {
  const TempFolder folder;
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  folder.write("f", text);
  std::string error = play(folder.path("f")).error;
  CHECK(!error.contains('\n'));
  if (error.starts_with(folder.path("f: "))) error.erase(0, folder.path("f: ").size());
  return error;
}

std::string ends(std::size_t lines) { return std::format(R"({{"ends":{},"next":false}})", lines); }

struct WrongRecording {
  std::string sentence;
  std::vector<std::string> lines;
  std::string error;  ///< One that ends with ": " is the beginning of it.
};

void check_errors(std::span<const WrongRecording> rows) {
  for (const WrongRecording& row : rows) {
    CAPTURE(row.sentence);
    const std::string error = error_of(row.lines);
    if (row.error.ends_with(": "))
      CHECK(error.starts_with(row.error));
    else
      CHECK(error == row.error);
  }
}

}  // namespace

TEST_CASE("what is wrong with a file of a recording is one line") {
  const std::string head(kHead), rules(kRules), cache(kCache);
  const WrongRecording rows[] = {
      {"nothing is wrong", {head, rules, cache, ends(3)}, ""},
      {"another file",
       {"{}"},
       R"(line 1: head: winnow: is missing; expected "recording": this is no file of a recording)"},
      {"no JSON", {"hello"}, "line 1: head: byte 0: expected '{', found 'h'"},
      {"a newer version",
       {replaced(replaced(head, R"("format":1)", R"("format":2)"), "0.1.0", "9.1.0")},
       std::format("line 1: head: format: 2; expected 1, which Winnow {} reads: replay it with Winnow 9.1.0",
                   build_info().version)},
      {"a word that is unknown",
       {replaced(head, "complete", "all")},
       "line 1: head: answer: all; expected complete or best or one"},
      {"a field that is missing",
       {replaced(head, R"("assume":false,)", "")},
       "line 1: head: assume: is missing; expected true or false"},
      {"no end", {head, rules}, R"(is cut short behind line 2; expected the line with "ends")"},
      {"lines are missing", {head, rules, ends(7)}, "line 3: end: ends: 7; expected 2, the lines before"},
      {"a line behind the end", {head, ends(1), rules}, "line 3: a line behind the end; expected none"},
  };
  check_errors(rows);
}

TEST_CASE("what is wrong with a line is told with the object and the field") {
  const std::string head(kHead), rules(kRules), cache(kCache);
  const std::string look =
      R"({"look":7,"at":"t","path":"/filter","query":"","rules":1,"picture":1,"body":"{}"})";
  const WrongRecording rows[] = {
      {"an unknown line",
       {head, R"({"song":1})", ends(2)},
       "line 2: song: song: is unknown; expected rules, picture, look, answer, begins or ends"},
      {"rules that cannot be read",
       {head, R"({"rules":3,"gates":"","config":"kind: Policy\napiVersion: v9\n"})", ends(2)},
       "line 2: rules 3: config: "},
      {"a gate that is unknown",
       {head, R"({"rules":3,"gates":"Foo=true","config":""})", ends(2)},
       "line 2: rules 3: gates: "},
      {"no such picture",
       {head, R"({"picture":4,"set":"Pod","object":{}})", ends(2)},
       "line 2: picture 4: picture: 4 has not begun; expected a picture that is there"},
      {"an object that cannot be read",
       {head, cache, R"({"picture":1,"set":"Pod","object":{"spec":{"nodeName":5}}})", ends(3)},
       "line 3: picture 1: object: spec.nodeName: 5 is not a string; expected a Pod"},
      {"an unknown kind",
       {head, cache, R"({"picture":1,"set":"Song","object":{}})", ends(3)},
       "line 3: picture 1: set: Song; expected a kind that Winnow reads"},
      {"a pod without a name",
       {head, cache, R"({"picture":1,"assumed":{"ns":"a","uid":"u","node":"n"}})", ends(3)},
       "line 3: picture 1: assumed: name: is missing; expected a string; expected a pod and its node"},
      {"a look without rules",
       {head, cache, look, ends(3)},
       "line 3: look 7: rules: 1 are not there; expected rules of this file"},
      {"a look at no picture",
       {head, rules, look, ends(3)},
       "line 3: look 7: picture: 1 is not there; expected a picture of this file"},
      {"a look without a body",
       {head, rules, cache, replaced(look, R"(,"body":"{}")", ""), ends(4)},
       "line 4: look 7: body: is missing; expected a string"},
      {"a path that nobody answers",
       {head, rules, cache, replaced(look, "/filter", "/dance"), ends(4)},
       "line 4: look 7: path: /dance; expected the path of a call"},
      {"a path of a page",
       {head, rules, cache, replaced(look, "/filter", "/page/waiting"), ends(4)},
       "line 4: look 7: path: /page/waiting; expected the path of a call"},
      {"the path of the metrics",
       {head, rules, cache, replaced(look, "/filter", "/metrics"), ends(4)},
       "line 4: look 7: path: /metrics; expected the path of a call"},
      {"an answer without a status",
       {head, R"({"answer":7,"comparable":true,"body":""})", ends(2)},
       "line 2: answer 7: status: is missing; expected a whole number"},
  };
  check_errors(rows);
}

TEST_CASE("a recording that takes more memory than there is has one clear error") {
  const TempFolder folder;
  std::string text = std::string(kHead) + '\n' + std::string(kCache) + '\n';
  for (int i = 0; i < 5000; ++i)
    text += std::format(R"({{"picture":1,"given":{{"kind":"Node","metadata":{{"name":"n{}"}}}}}})", i) + '\n';
  folder.write("f", text);
  Workers workers(0);
  const auto error_with = [&](RecordingLimits limits) {
    auto recording = RecordingReader::open(folder.path("f"), std::move(limits));
    std::string error = replay(*recording, workers, {}).error;
    REQUIRE(error.starts_with(folder.path("f: ")));
    return error.substr(folder.path("f: ").size());
  };
  std::uint64_t resident = 100UL << 20;
  const auto grows = [&] { return resident += 40UL << 20; };
  CHECK(error_with({.line_bytes = 1UL << 20, .resident_bytes = 256UL << 20, .resident = grows}) ==
        "line 1025: 260 MiB of memory are used; expected 256 MiB at most, half of what there is");
  folder.write("f", std::string(kHead) + '\n' + std::string(3UL << 20, ' ') + "{}\n");
  CHECK(error_with({.line_bytes = 1UL << 20, .resident_bytes = 256UL << 20, .resident = [] { return 0; }}) ==
        "line 2 is too long; expected 1 MiB at most, in the memory that there is");
}

TEST_CASE("a recording is files, and nothing that may never end") {
  const TempFolder folder;
  REQUIRE(::mkfifo(folder.path("pipe").c_str(), 0600) == 0);
  CHECK(play(folder.path("pipe")).error ==
        folder.path("pipe: is a pipe, a device or a directory; expected a file"));
  CHECK(play("/dev/zero").error == "/dev/zero: is a pipe, a device or a directory; expected a file");
}

TEST_CASE("more pictures at once than a service has are an error, and not the end of memory") {
  std::vector<std::string> lines = {std::string(kHead)};
  for (int i = 1; i <= 101; ++i)
    lines.push_back(replaced(kCache, R"("picture":1)", std::format(R"("picture":{})", i)));
  CHECK(error_of(lines) == "line 102: picture 101: picture: 100 others are there; expected fewer at once");
}

TEST_CASE("objects of files are loaded in pieces, and are all there") {
  std::vector<std::string> lines = {std::string(kHead), std::string(kRules), std::string(kCache)};
  const std::string label(2000, 'x');
  std::string names, scores;
  for (int i = 0; i < 6000; ++i) {  // More than one piece.
    lines.push_back(std::format(
        R"({{"picture":1,"given":{{"kind":"Node","metadata":{{"name":"n{}","annotations":{{"a":"{}"}}}}}}}})",
        i, label));
    names += std::format(R"({}\"n{}\")", i == 0 ? "" : ",", i);
    scores += std::format(R"({}{{"Host":"n{}","Score":10}})", i == 0 ? "" : ",", i);
  }
  lines.push_back(
      R"({"look":7,"at":"t","path":"/prioritize","query":"","rules":1,"picture":1,"body":"{\"Pod\":{},\"NodeNames\":[)" +
      names + R"(]}"})");
  const TempFolder folder;
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  std::string body = "[" + scores + "]", quoted;
  append_quoted(quoted, body);
  text += R"({"answer":7,"status":200,"comparable":true,"body":)" + quoted + "}\n" + ends(lines.size() + 1) +
          '\n';
  folder.write("f", text);
  const ReplayResult result = play(folder.path("f"));
  CHECK(result.error == "");
  CHECK(result.equal == 1);
}

TEST_CASE("a recording that is cut at any byte has one clear error") {
  const TempFolder folder;
  {
    RecordedService service(folder.path("r"), {.answer = AnswerMode::kBest, .seed = 1});
    service.set_node(recorded_node("n-a", 2));
    CHECK(service.post("/filter", args_with_names({"n-a"}, recorded_pod("p", 9))).status == 200);
  }
  const std::string path = folder.path("r/recording-000001.jsonl.gz");
  const std::string whole = read_file(path);
  check_equal(play(path), 1);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    const std::string cut = folder.write("cut", whole.substr(0, size));
    const ReplayResult result = play(cut);
    CHECK(result.error.starts_with(cut + ": is cut short behind line "));
    CHECK(result.error.ends_with("; expected the line with \"ends\""));
    CHECK(result.different == 0);
  }
}

TEST_CASE("calls that are never answered are an error, and not the end of memory") {
  std::vector<std::string> lines = {std::string(kHead), std::string(kRules), std::string(kCache)};
  for (int i = 0; i <= 10'000; ++i)
    lines.push_back(std::format(
        R"({{"look":{},"at":"t","path":"/filter","query":"","rules":1,"picture":1,"body":""}})", i));
  lines.push_back(ends(lines.size()));
  CHECK(error_of(lines) ==
        "line 10004: look 10000: look: 10000 calls wait for their answers; expected 10000 at most");
}

TEST_CASE("a file that is broken in its first line is not told as one that is cut short") {
  const TempFolder folder;
  const std::string gzip("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
  const std::string path = folder.write("f", gzip + "\xff\xff" + std::string(100, 'x'));
  CHECK(play(path).error == path + ": is broken behind line 0; expected gzip data");
}

TEST_CASE("what a killed process has left is played up to where it is cut, where another goes on") {
  const TempFolder folder;
  const auto record = [&](int calls) {
    RecordedService service(folder.path("r"), {.answer = AnswerMode::kBest, .seed = 1});
    service.set_node(recorded_node("n-a", 2));
    for (int i = 0; i < calls; ++i)
      CHECK(service.post("/filter", args_with_names({"n-a"}, recorded_pod("p", 9))).status == 200);
  };
  for (const int calls : {2, 1, 3}) record(calls);
  const std::string whole = read_file(folder.path("r/recording-000001.jsonl.gz"));
  const std::string second = read_file(folder.path("r/recording-000002.jsonl.gz"));
  const auto cut_behind = [&](int file) {
    return std::format("recording-{:06}.jsonl.gz: is cut short behind line ", file);
  };
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    CAPTURE(size);
    folder.write("r/recording-000001.jsonl.gz", whole.substr(0, size));
    const ReplayResult result = play(folder.path("r"));
    check_equal(result, result.equal);
    CHECK(result.equal >= 4);
    CHECK(result.equal <= 6);
    REQUIRE(result.notes.size() == 1);
    CHECK(result.notes[0].contains(cut_behind(1)));
    CHECK(result.notes[0].ends_with("; the next run goes on"));
  }
  // Two in a row, of which nothing is left.
  folder.write("r/recording-000001.jsonl.gz", "");
  folder.write("r/recording-000002.jsonl.gz", "");
  ReplayResult result = play(folder.path("r"));
  check_equal(result, 3);
  CHECK(result.files == 1);
  CHECK(result.notes.size() == 2);
  // The last one is an error: perhaps it is being written.
  folder.write("r/recording-000001.jsonl.gz", whole);
  folder.write("r/recording-000002.jsonl.gz", second);
  folder.write("r/recording-000003.jsonl.gz", whole.substr(0, whole.size() / 2));
  result = play(folder.path("r"));
  CHECK(result.error.contains(cut_behind(3)));
  CHECK(result.equal >= 3);
}

TEST_CASE("a file that is cut short where the same process goes on is an error") {
  const TempFolder folder;
  std::filesystem::create_directory(folder.path("r"));
  const std::string head(kHead);
  folder.write("r/recording-000001.jsonl.gz", head + "\n");
  folder.write("r/recording-000002.jsonl.gz",
               replaced(head, R"("number":1)", R"("number":2)") + "\n" + ends(1) + "\n");
  CHECK(play(folder.path("r")).error == folder.path("r/recording-000001.jsonl.gz") +
                                            R"(: is cut short behind line 1; expected the line with "ends")");
}

TEST_CASE("no recording") {
  const TempFolder folder;
  CHECK(play(folder.path("none")).error ==
        folder.path("none") + ": is not there; expected the directory of serve --record");
  folder.write("recording-1.jsonl.gz", "");  // No name of a recording's file.
  CHECK(play(folder.path()).error ==
        folder.path() + ": holds no recording; expected files recording-000001.jsonl.gz");
}

TEST_CASE("files that are missing, and a recording that has ended early, are remarked") {
  const TempFolder folder;
  std::filesystem::create_directory(folder.path("r"));
  const auto write = [&](int number, const std::string& end) {
    folder.write(std::format("r/recording-{:06}.jsonl.gz", number),
                 replaced(kHead, R"("number":1)", std::format(R"("number":{})", number)) + "\n" + end + "\n");
  };
  write(1, R"({"ends":1,"next":true})");
  write(3, R"({"ends":1,"next":false,"why":"No space left on device"})");
  const ReplayResult result = play(folder.path("r"));
  CHECK(result.error == "");
  CHECK(result.files == 2);
  REQUIRE(result.notes.size() == 2);
  CHECK(
      result.notes[0].ends_with("recording-000003.jsonl.gz: follows on number 1: files between are missing"));
  CHECK(result.notes[1].ends_with(
      "recording-000003.jsonl.gz: the recording had ended: No space left on device"));
}

}  // namespace winnow::test
