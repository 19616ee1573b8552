// Lines of the log that nobody reads.
#include "extender/service/log/log_queue.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "extender/service/log/log.h"

namespace winnow::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

/// A reader who begins to read when a test says so.
class Reader {
 public:
  bool write(const std::string& line) {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return reads_; });
    if (!fails_) lines_.push_back(line);
    return !fails_;
  }
  void wait_for_write() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ > 0; });
  }
  void set(bool reads, bool fails = false) {
    const std::lock_guard lock(mutex_);
    reads_ = reads;
    fails_ = fails;
    changed_.notify_all();
  }
  std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = 0;
  bool reads_ = false, fails_ = false;
  std::vector<std::string> lines_;
};

struct QueueBed {
  explicit QueueBed(std::size_t bytes = LogQueue::kBytes)
      : queue([this](const std::string& line) { return reader.write(line); },
              [](std::uint64_t dropped) { return "dropped " + std::to_string(dropped); }, bytes) {}
  ~QueueBed() { reader.set(true); }

  Reader reader;
  LogQueue queue;
};

TEST_SUITE("log queue") {
  TEST_CASE("lines come in their order, and the end waits for them") {
    Reader reader;
    reader.set(true);
    std::vector<std::string> added;
    {
      LogQueue queue([&](const std::string& line) { return reader.write(line); },
                     [](std::uint64_t) { return std::string("dropped"); });
      for (int i = 0; i < 1000; ++i) queue.add(added.emplace_back(std::to_string(i)));
      CHECK(queue.dropped() == 0);
    }
    CHECK(reader.lines() == added);
  }

  TEST_CASE("who logs does not wait for a reader who does not read, and the bound holds") {
    QueueBed bed(10'000);
    bed.queue.add("first");
    bed.reader.wait_for_write();
    const std::string long_line(1000, 'x');
    for (int i = 0; i < 10'000; ++i) bed.queue.add(long_line);
    CHECK(bed.queue.dropped() == 10'000 - 9);
    CHECK_FALSE(bed.queue.flush(milliseconds(1)));

    bed.reader.set(true);
    CHECK(bed.queue.flush(minutes(1)));
    bed.queue.add("later");
    CHECK(bed.queue.flush(minutes(1)));
    const auto lines = bed.reader.lines();
    REQUIRE(lines.size() == 12);
    CHECK(lines[0] == "first");
    CHECK(lines[9] == long_line);
    CHECK(lines[10] == "dropped 9991");
    CHECK(lines[11] == "later");
    CHECK(bed.queue.dropped() == 9991);
  }

  TEST_CASE("a line that can never have room is dropped alone") {
    QueueBed bed(200);
    bed.reader.set(true);
    bed.queue.add(std::string(200, 'x'));
    bed.queue.add("short");
    CHECK(bed.queue.flush(minutes(1)));
    CHECK(bed.queue.dropped() == 1);
    CHECK(bed.reader.lines().front() == "short");
  }

  TEST_CASE("a line that cannot be written counts as dropped, and is told of when one can") {
    QueueBed bed;
    bed.reader.set(true, /*fails=*/true);
    for (int i = 0; i < 3; ++i) bed.queue.add("lost");
    CHECK(bed.queue.flush(minutes(1)));
    CHECK(bed.queue.dropped() == 3);
    bed.reader.set(true);
    bed.queue.add("written");
    bed.queue.flush(minutes(1));
    bed.queue.add("next");
    CHECK(bed.queue.flush(minutes(1)));
    CHECK(bed.reader.lines() == std::vector<std::string>{"written", "dropped 3", "next"});
  }

  TEST_CASE("many threads log at once, each in its own order") {
    Reader reader;
    reader.set(true);
    {
      LogQueue queue([&](const std::string& line) { return reader.write(line); },
                     [](std::uint64_t) { return std::string("dropped"); });
      std::vector<std::jthread> threads;
      for (char name = 'a'; name < 'e'; ++name)
        threads.emplace_back([&queue, name] {
          for (int i = 0; i < 200; ++i) queue.add(name + std::to_string(1000 + i));
        });
    }
    std::vector<std::string> lines = reader.lines();
    CHECK(lines.size() == 800);
    std::string last[4];
    for (const std::string& line : lines) {
      std::string& before = last[line.front() - 'a'];
      CHECK(before < line);
      before = line;
    }
  }

  TEST_CASE("a full stderr stops nobody, and says afterwards what was dropped") {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    const int before = ::dup(STDERR_FILENO);
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[1]);
    std::string text;
    std::uint64_t dropped = 0;
    {
      const LogThread thread;
      const std::string padding(1000, 'x');
      for (int i = 0; i < 3000; ++i) log_info("line", {{"number", i}, {"padding", padding}});
      dropped = log_lines_dropped();
      const std::jthread reader([&] {
        char buffer[65536];
        for (ssize_t got = 0; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
          if (text.append(buffer, static_cast<std::size_t>(got)).contains("msg=last ")) return;
      });
      for (int i = 0; i < 60; ++i) log_flush();  // Each waits for a second at most.
      log_info("last", {{"of", "all"}});
    }
    ::dup2(before, STDERR_FILENO);
    ::close(before);
    ::close(ends[0]);
    CHECK(dropped > 1000);
    CHECK(text.contains("level=warn msg=\"log lines dropped: nobody has read them in time\" lines=" +
                        std::to_string(dropped)));
    CHECK(text.starts_with("time="));
    CHECK(text.find("number=0 ") < text.find("number=1 "));
  }
}

}  // namespace
}  // namespace winnow::test
