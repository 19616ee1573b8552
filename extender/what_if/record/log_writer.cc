#include "extender/what_if/record/log_writer.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <exception>
#include <filesystem>
#include <format>
#include <system_error>
#include <utility>
#include <vector>

#include "cluster/text/gzip_lines.h"
#include "cluster/text/json.h"
#include "extender/service/log/log.h"

namespace winnow {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBegin = "recording-";
constexpr std::string_view kEnd = ".jsonl.gz";
/// A crash loses what was said in it.
constexpr std::chrono::seconds kFlushAfter{1};
constexpr std::string_view kMemoryShort = "memory was short";
/// Of the reason why a recording has ended.
constexpr std::size_t kMostReason = 1024;
/// What a line of the queue takes beside its texts.
constexpr std::size_t kLineBytes = sizeof(LogLine);

/// Makes the directory for its owner alone, unless it is there.
std::error_code make_directory(const std::string& dir) {
  std::error_code error;
  if (!fs::exists(dir, error) && fs::create_directories(dir, error))
    fs::permissions(dir, fs::perms::owner_all, error);
  return error;
}

std::size_t memory_of(const LogLine& line) {
  return kLineBytes + line.text.capacity() + line.key.capacity() + line.other_key.capacity();
}

}  // namespace

std::string log_file(const std::string& dir, std::uint64_t number) {
  return std::format("{}/{}{:06}{}", dir, kBegin, number, kEnd);
}

std::uint64_t log_file_number(std::string_view name) {
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) return 0;
  const std::string_view digits = name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return 0;
  return std::format("{:06}", number) == digits ? number : 0;
}

/// The files of the directory, the oldest first.
std::deque<LogWriter::OldFile> LogWriter::files_in(const std::string& dir) {
  std::deque<OldFile> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(dir, error)) {
    const std::uint64_t number = log_file_number(entry.path().filename().string());
    std::error_code gone;
    const std::uintmax_t bytes = number == 0 ? 0 : entry.file_size(gone);
    if (number != 0 && !gone) files.push_back({number, bytes});
  }
  std::ranges::sort(files, {}, &OldFile::number);
  return files;
}

std::expected<std::unique_ptr<LogWriter>, std::string> LogWriter::open(Options options, Head head) {
  if (const std::error_code error = make_directory(options.dir))
    return std::unexpected(options.dir + ": " + error.message());
  std::unique_ptr<LogWriter> writer(new LogWriter(std::move(options), std::move(head)));
  LogWriter& self = *writer;
  self.older_ = files_in(self.options_.dir);
  for (const OldFile& file : self.older_) self.older_bytes_ += file.bytes;
  if (!self.older_.empty()) self.number_ = self.older_.back().number;
  // Processes that start again and again fill no disk.
  while (self.older_bytes_ + self.part() > self.options_.most_bytes && self.remove_oldest()) continue;
  ++self.number_;
  if (std::string wrong = self.begin_file(); !wrong.empty()) return std::unexpected(std::move(wrong));
  self.thread_ = std::thread([&self] { self.run(); });
  return writer;
}

LogWriter::LogWriter(Options options, Head head)
    : options_(std::move(options)),
      head_(std::move(head)),
      too_much_(std::format("more than {} bytes waited to be written", options_.most_queued)) {
  ended_.reserve(kMostReason);
}

LogWriter::~LogWriter() {
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    queued_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

std::string LogWriter::file() const { return log_file(options_.dir, number_); }

void LogWriter::add(LogLine line) noexcept {
  const std::size_t bytes = memory_of(line);
  try {
    const MutexLock lock(mutex_);
    if (ending_) return;
    if (is_over()) return lose(1);
    if (queued_bytes_ + bytes > options_.most_queued) {
      end_for(too_much_);
      lose(1);
    } else {
      queue_.push_back(std::move(line));
      ++added_;
      queued_bytes_ += bytes;
    }
    queued_.notify_one();
  } catch (const std::exception&) {
    give_up(kMemoryShort);
    lose(1);
  }
}

void LogWriter::give_up(std::string_view why) noexcept {
  const MutexLock lock(mutex_);
  end_for(why);
}

void LogWriter::end_for(std::string_view why) noexcept {
  if (is_over()) return;
  ended_.assign(why.substr(0, kMostReason));
  over_ = true;
  queued_.notify_all();
  taken_.notify_all();
}

/// A watch that waits for each of its batches would fall behind for as long as the disk stands still.
void LogWriter::make_room() {
  const auto until = std::chrono::steady_clock::now() + options_.longest_wait;
  const MutexLock lock(mutex_);
  while (queued_bytes_ > options_.most_queued / 2 && !stalled_ && !is_over())
    if (!mutex_.wait_until(taken_, until)) {
      stalled_ = true;
      ++stalls_;
      taken_.notify_all();  // The others that wait have waited enough.
    }
}

void LogWriter::wait_for_room() {
  const MutexLock lock(mutex_);
  while (queued_bytes_ > options_.most_queued / 2 && !is_over()) mutex_.wait(taken_);
}

std::uint64_t LogWriter::stalls() const {
  const MutexLock lock(mutex_);
  return stalls_;
}

std::string LogWriter::ended() const {
  const MutexLock lock(mutex_);
  return ended_;
}

std::size_t LogWriter::waiting() const {
  const MutexLock lock(mutex_);
  return queue_.size();
}

std::uint64_t LogWriter::lines() const {
  const MutexLock lock(mutex_);
  return added_;
}

/// The thread.
void LogWriter::run() {
  LogLine line;
  for (Taken taken = take(line); taken != Taken::kEnd; taken = take(line)) {
    if (taken == Taken::kLine)
      write(line);
    else
      attempt([&] {
        std::string wrong = flush();
        return wrong.empty() ? look_after_file() : wrong;
      });
    LogLine written;  // It may be large, and the next may come late.
    std::swap(line, written);
  }
  if (file_ && !is_over()) attempt([&] { return file_->is_at(file()) ? std::string() : begin_anew(); });
  if (file_) attempt([&] { return end_file(ended(), /*has_next=*/false); });
  attempt([&] {
    if (is_over()) log_warn("the recording has ended", {{"dir", options_.dir}, {"error", ended()}});
    return std::string();
  });
}

/// Does a part of the thread's work. The error that it returns ends the recording.
template <class Work>
void LogWriter::attempt(const Work& work) noexcept {
  try {
    if (const std::string wrong = work(); !wrong.empty()) fail(wrong);
  } catch (const std::exception&) {
    fail(kMemoryShort);
  }
}

/// Takes the next line, or waits for it; or for the time of the next flush, if there is something to flush.
LogWriter::Taken LogWriter::take(LogLine& line) {
  const MutexLock lock(mutex_);
  queued_bytes_ -= std::exchange(writing_, 0);
  if (queued_bytes_ <= options_.most_queued / 2) {
    stalled_ = false;
    taken_.notify_all();
  }
  const auto until = std::chrono::steady_clock::now() + kFlushAfter;
  while (queue_.empty()) {
    if (ending_ || is_over()) return Taken::kEnd;
    if (unflushed_ == 0 || !file_)
      mutex_.wait(queued_);
    else if (!mutex_.wait_until(queued_, until))
      return Taken::kTime;
  }
  // Not assigned: a string that is assigned to may keep its memory, and then this is not what was added.
  writing_ = memory_of(queue_.front());
  std::swap(line, queue_.front());
  queue_.pop_front();
  return Taken::kLine;
}

void LogWriter::write(const LogLine& line) noexcept {
  if (!file_) return lose(1);
  attempt([&] {
    std::string wrong = put(line.text);
    if (!wrong.empty()) return wrong;
    note(line);
    ++new_lines_;
    if (is_full()) return rotate();
    wrong = flush_if_due();
    return wrong.empty() ? look_after_file() : wrong;
  });
}

/// Ends the recording and its file at once: lines that wait would follow on one that is missing.
/// @return whether the file has its last line.
bool LogWriter::fail(std::string_view why) noexcept {
  give_up(why);
  try {
    return file_ && end_file(ended(), /*has_next=*/false).empty();
  } catch (const std::exception&) {
    return false;  // The file is cut short.
  }
}

void LogWriter::note(const LogLine& line) {
  switch (line.effect) {
    case LogLine::Effect::kNothing:
      return;
    case LogLine::Effect::kStands: {
      const auto [standing, is_new] = stands_.try_emplace(line.key);
      if (is_new) standing->second.order = next_order_++;
      standing->second.line = lines_;
      standing->second.place = line.place;
      return;
    }
    case LogLine::Effect::kEnds:
      stands_.erase(line.key);
      if (!line.other_key.empty()) stands_.erase(line.other_key);
      return;
    case LogLine::Effect::kEndsAll:
      std::erase_if(stands_, [&](const auto& one) { return one.first.starts_with(line.key); });
      return;
  }
}

/// Writes a line, and brings it to the file now and then. @return the error; "": none.
std::string LogWriter::put(std::string_view text) {
  const std::string wrong = file_->line(text);
  if (!wrong.empty()) return file() + ": " + wrong;
  ++lines_;
  unflushed_ += text.size() + 1;
  if (unflushed_ > std::clamp<std::size_t>(part() / 4, 4096, 1UL << 20))
    if (std::string not_flushed = flush(); !not_flushed.empty()) return not_flushed;
  return keep_size();
}

std::string LogWriter::flush() {
  unflushed_ = 0;
  flushed_ = options_.now();
  const std::string wrong = file_->flush();
  return wrong.empty() ? "" : file() + ": " + wrong;
}

std::string LogWriter::flush_if_due() {
  return unflushed_ > 0 && options_.now() - flushed_ >= kFlushAfter ? flush() : "";
}

/// After each flush: goes on in a new file if this one is not where it was.
std::string LogWriter::look_after_file() {
  if (std::exchange(looked_after_, flushed_) == flushed_ || file_->is_at(file())) return "";
  return begin_anew();
}

/// Somebody has removed, moved or cut short the file. What stands can still be read from it, unless it was
/// cut.
std::string LogWriter::begin_anew() {
  log_warn("a file of the recording is gone: its lines are lost, and the next file begins",
           {{"file", file()}, {"lines", new_lines_}});
  lose(new_lines_);
  const int kept = file_->duplicate();
  if (kept < 0) return file() + ": " + std::strerror(errno);
  std::string wrong;
  try {
    wrong = go_on_behind(std::format("/proc/self/fd/{}", kept));
  } catch (const std::exception&) {
    wrong = kMemoryShort;
  }
  ::close(kept);
  return wrong;
}

/// Removes old files while there is less room than half a file's part. What zlib holds back, and the last
/// line of the file, need some of it.
std::string LogWriter::keep_size() {
  const auto is_above = [&](std::size_t room) {
    return older_bytes_ + file_->bytes() + room > options_.most_bytes;
  };
  while (is_above(part() / 2))
    if (!remove_oldest())
      return is_above(part() / 4)
                 ? std::format("what must be kept has no room in {} bytes", options_.most_bytes)
                 : "";
  return "";
}

/// A file that begins with much must bring something new, too.
bool LogWriter::is_full() const {
  const std::size_t bytes = file_->bytes();
  return bytes >= part() && bytes >= first_bytes_ + first_bytes_ / 2;
}

/// Makes the current file, with its first two lines. @return the error; "": none.
std::string LogWriter::begin_file() {
  int made = options_.make(file());
  if (made < 0 && errno == ENOSPC && remove_oldest()) made = options_.make(file());
  // Somebody may have removed the directory.
  if (made < 0 && errno == ENOENT && !make_directory(options_.dir)) made = options_.make(file());
  if (made < 0) return file() + ": " + std::strerror(errno);
  auto writer = GzipWriter::over(made, [this] { return remove_oldest(); });
  if (!writer) return file() + ": " + writer.error();
  file_ = std::move(*writer);
  lines_ = new_lines_ = unflushed_ = first_bytes_ = 0;
  flushed_ = options_.now();
  std::string wrong = put(head_(number_));
  return wrong.empty() ? put(std::format(R"({{"begins":{}}})", stands_.size())) : wrong;
}

/// Ends the current file with a line that says so. @return the error; "": none.
std::string LogWriter::end_file(std::string_view why, bool has_next) {
  const std::unique_ptr<GzipWriter> ending = std::move(file_);
  std::string last = std::format(R"({{"ends":{},"next":{})", lines_, has_next);
  if (!why.empty()) append_quoted(last += R"(,"why":)", why);
  ending->line(last + "}");  // Where this fails, so does the end of the file.
  const std::string wrong = ending->close();
  older_.push_back({number_, ending->bytes()});
  older_bytes_ += ending->bytes();
  return wrong.empty() ? "" : file() + ": " + wrong;
}

/// Goes on in the next file. @return the error; "": none.
std::string LogWriter::rotate() { return go_on_behind(file()); }

/// @param from  where the current file can be read.
std::string LogWriter::go_on_behind(const std::string& from) {
  const bool is_gone = from != file();
  std::string wrong = end_file("", /*has_next=*/true);
  if (!wrong.empty()) return wrong;
  if (is_gone) {
    older_bytes_ -= older_.back().bytes;
    older_.pop_back();
  }
  copied_ = number_++;
  try {
    wrong = begin_next(from);
  } catch (const std::exception&) {
    wrong = kMemoryShort;
  }
  copied_ = 0;
  // Not all that stands is in the new file, so nothing may follow in it. Without its end it would only look
  // like one that is cut short.
  std::error_code error;
  if (!wrong.empty() && !fail(wrong)) fs::remove(file(), error);
  return wrong;
}

std::string LogWriter::begin_next(const std::string& from) {
  std::string wrong = begin_file();
  if (wrong.empty()) wrong = copy_standing(from);
  if (wrong.empty()) wrong = flush();
  if (!wrong.empty()) return wrong;
  first_bytes_ = file_->bytes();
  if (first_bytes_ > part() && !std::exchange(has_warned_, true))
    log_warn("what a file of the recording begins with is more than its part: few calls are kept",
             {{"dir", options_.dir}, {"bytes", first_bytes_}, {"part", part()}});
  return "";
}

namespace {

/// Calls visit with each of those lines of the file, in the order of the file. @param lines  with a member
///   `line`, their number. @return the error; "": none.
template <class Line, class Visit>
std::string for_each_line(const std::string& from, std::vector<Line*> lines, const Visit& visit) {
  if (lines.empty()) return "";
  auto file = GzipReader::open(from);
  if (!file) return from + ": " + file.error();
  std::ranges::sort(lines, {}, [](const Line* line) { return line->line; });
  std::string text;
  std::uint64_t number = 0;
  for (Line* const line : lines) {
    while (number < line->line) {
      if ((*file)->next(text) != GzipReader::Next::kLine) return from + ": cannot be read again";
      ++number;
    }
    if (std::string wrong = visit(text, *line); !wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace

/// Copies the lines that stand from the file before, which has them all. The lines are visited by their
/// numbers there: each gets its number here when it has been visited.
std::string LogWriter::copy_standing(const std::string& from) {
  std::vector<Standing*> leading, behind;
  for (auto& [key, standing] : stands_)
    (standing.place == LogLine::Place::kBehind ? behind : leading).push_back(&standing);
  const auto copy = [&](const std::string& text, Standing& standing) {
    std::string wrong = put(text);
    standing.line = lines_;
    return wrong;
  };
  std::vector<std::pair<Standing*, std::string>> in_order;
  std::string wrong =
      for_each_line(from, std::move(leading), [&](const std::string& text, Standing& standing) {
        if (standing.place == LogLine::Place::kFirst) return copy(text, standing);
        in_order.emplace_back(&standing, text);
        return std::string();
      });
  std::ranges::sort(in_order, {}, [](const auto& one) { return one.first->order; });
  for (const auto& [standing, text] : in_order)
    if (wrong.empty()) wrong = copy(text, *standing);
  in_order = {};
  return wrong.empty() ? for_each_line(from, std::move(behind), copy) : wrong;
}

/// @return false: there is no file that may go.
bool LogWriter::remove_oldest() {
  if (older_.empty() || older_.front().number == copied_) return false;
  std::error_code error;
  fs::remove(log_file(options_.dir, older_.front().number), error);
  if (error) return false;
  older_bytes_ -= older_.front().bytes;
  older_.pop_front();
  return true;
}

}  // namespace winnow
