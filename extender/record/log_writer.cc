#include "extender/record/log_writer.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <exception>
#include <filesystem>
#include <format>
#include <system_error>
#include <utility>
#include <vector>

#include "cluster/text/json/json_string.h"
#include "extender/log/log.h"

namespace winnow {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBegin = "recording-";
constexpr std::string_view kEnd = ".jsonl.gz";
/// A crash loses what was said in it.
constexpr std::chrono::seconds kFlushAfter{1};
/// A watch that waits for the disk for longer would be late.
constexpr std::chrono::seconds kLongestWait{1};

struct LogFile {
  std::uint64_t number = 0;
  std::uintmax_t bytes = 0;
};

/// The files of the directory, the oldest first.
std::vector<LogFile> files_in(const std::string& dir) {
  std::vector<LogFile> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(dir, error)) {
    const std::uint64_t number = log_file_number(entry.path().filename().string());
    std::error_code gone;
    const std::uintmax_t bytes = number == 0 ? 0 : entry.file_size(gone);
    if (number != 0 && !gone) files.push_back({number, bytes});
  }
  std::ranges::sort(files, {}, &LogFile::number);
  return files;
}

}  // namespace

std::string log_file(const std::string& dir, std::uint64_t number) {
  return std::format("{}/{}{:06}{}", dir, kBegin, number, kEnd);
}

std::uint64_t log_file_number(std::string_view name) {
  if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) return 0;
  name.remove_prefix(kBegin.size());
  name.remove_suffix(kEnd.size());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size() ? number : 0;
}

std::expected<std::unique_ptr<LogWriter>, std::string> LogWriter::open(Options options, Head head) {
  std::error_code error;
  if (!fs::exists(options.dir, error) && fs::create_directories(options.dir, error))
    fs::permissions(options.dir, fs::perms::owner_all, error);
  if (error) return std::unexpected(options.dir + ": " + error.message());
  const std::vector<LogFile> before = files_in(options.dir);
  const std::uint64_t number = before.empty() ? 1 : before.back().number + 1;
  const std::string path = log_file(options.dir, number);
  auto file = GzipWriter::create(path);
  if (!file) return std::unexpected(path + ": " + file.error());
  std::unique_ptr<LogWriter> writer(
      new LogWriter(std::move(options), std::move(head), number, std::move(*file)));
  if (std::string wrong = writer->put(writer->head_(number)); !wrong.empty())
    return std::unexpected(path + ": " + wrong);
  if (std::string wrong = writer->put(R"({"begins":0})"); !wrong.empty())
    return std::unexpected(path + ": " + wrong);
  writer->thread_ = std::thread([&self = *writer] { self.run(); });
  return writer;
}

LogWriter::LogWriter(Options options, Head head, std::uint64_t number, std::unique_ptr<GzipWriter> file)
    : options_(std::move(options)), head_(std::move(head)), number_(number), file_(std::move(file)) {}

LogWriter::~LogWriter() {
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    queued_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void LogWriter::add(LogLine line) noexcept {
  try {
    const MutexLock lock(mutex_);
    if (ending_) return;
    if (!ended_.empty()) {
      ++lost_;
      return;
    }
    const std::size_t bytes = line.text.size() + line.key.size();
    if (queued_bytes_ + bytes > options_.most_queued) {
      ended_ = std::format("more than {} bytes waited to be written", options_.most_queued);
      ++lost_;
    } else {
      ++added_;
      queue_.push_back(std::move(line));
      queued_bytes_ += bytes;
    }
    queued_.notify_one();
  } catch (const std::exception&) {
    give_up("memory was short");
  }
}

void LogWriter::give_up(const std::string& why) noexcept {
  const MutexLock lock(mutex_);
  if (ended_.empty()) ended_ = why;
  queued_.notify_all();
  taken_.notify_all();
}

void LogWriter::make_room() {
  const auto until = std::chrono::steady_clock::now() + kLongestWait;
  const MutexLock lock(mutex_);
  while (queued_bytes_ > options_.most_queued / 2 && ended_.empty())
    if (!mutex_.wait_until(taken_, until)) return;
}

std::string LogWriter::ended() const {
  const MutexLock lock(mutex_);
  return ended_;
}

std::uint64_t LogWriter::lines() const {
  const MutexLock lock(mutex_);
  return added_;
}

std::uint64_t LogWriter::lost_lines() const {
  const MutexLock lock(mutex_);
  return lost_;
}

/// The thread: takes what is queued, all at once, and writes it.
void LogWriter::run() {
  for (;;) {
    std::deque<LogLine> lines;
    bool idle = false;
    std::string why;
    {
      const MutexLock lock(mutex_);
      const auto until = std::chrono::steady_clock::now() + kFlushAfter;
      while (queue_.empty() && !ending_ && ended_.empty() && !idle) idle = !mutex_.wait_until(queued_, until);
      lines.swap(queue_);
      queued_bytes_ = 0;
      taken_.notify_all();
      why = ended_;
      if (lines.empty() && (ending_ || !why.empty())) break;
    }
    if (idle && unflushed_ > 0) {
      unflushed_ = 0;
      if (const std::string wrong = file_->flush(); !wrong.empty()) give_up(wrong);
    }
    for (LogLine& line : lines) write(std::move(line));
  }
  const std::string why = ended();
  end_file(why, /*has_next=*/false);
  if (!why.empty()) log_warn("the recording has ended", {{"dir", options_.dir}, {"error", why}});
}

void LogWriter::write(LogLine line) {
  try {
    if (!file_) return;
    const std::string wrong = put(line.text);
    if (!wrong.empty()) {
      give_up(log_file(options_.dir, number_) + ": " + wrong);
      return;
    }
    note(line);
    if (is_full()) rotate();
  } catch (const std::exception&) {
    give_up("memory was short");
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
      standing->second.leads = line.leads;
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

/// Writes a line, and brings it to the file now and then.
std::string LogWriter::put(std::string_view text) {
  std::string wrong = file_->line(text);
  ++lines_;
  unflushed_ += text.size() + 1;
  const std::size_t part = options_.most_bytes / options_.files / 4;
  if (wrong.empty() && unflushed_ > std::clamp<std::size_t>(part, 4096, 1UL << 20)) {
    unflushed_ = 0;
    wrong = file_->flush();
  }
  return wrong;
}

/// A file that begins with much must bring something new, too.
bool LogWriter::is_full() const {
  const std::size_t bytes = file_->bytes();
  return bytes >= options_.most_bytes / options_.files && bytes >= first_bytes_ + first_bytes_ / 2;
}

void LogWriter::rotate() {
  const std::string from = log_file(options_.dir, number_);
  end_file("", /*has_next=*/true);
  const std::string to = log_file(options_.dir, ++number_);
  auto next = GzipWriter::create(to);
  if (!next) return give_up(to + ": " + next.error());
  file_ = std::move(*next);
  lines_ = unflushed_ = first_bytes_ = 0;
  std::string wrong = put(head_(number_));
  if (wrong.empty()) wrong = put(std::format(R"({{"begins":{}}})", stands_.size()));
  if (wrong.empty()) wrong = copy_standing(from);
  if (wrong.empty()) wrong = file_->flush();
  if (!wrong.empty()) return give_up(to + ": " + wrong);
  first_bytes_ = file_->bytes();
  remove_oldest();
}

/// Copies the lines that stand from the file before, which has them all.
std::string LogWriter::copy_standing(const std::string& from) {
  std::string wrong = copy_leading(from);
  return wrong.empty() ? copy_others(from) : wrong;
}

/// Calls visit with each line of the file that stands: its text, and where it is noted.
template <class Stands, class Visit>
static std::string for_each_standing(const std::string& from, Stands& stands, bool leads,
                                     const Visit& visit) {
  std::unordered_map<std::uint64_t, typename Stands::mapped_type*> by_line;
  for (auto& [key, standing] : stands)
    if (standing.leads == leads) by_line.emplace(standing.line, &standing);
  auto file = GzipReader::open(from);
  if (!file) return from + ": " + file.error();
  std::string text;
  std::uint64_t line = 0;
  std::size_t found = 0;
  while ((*file)->next(text) == GzipReader::Next::kLine)
    if (const auto standing = by_line.find(++line); standing != by_line.end()) {
      ++found;
      if (std::string wrong = visit(text, *standing->second); !wrong.empty()) return wrong;
    }
  return found == by_line.size() ? "" : from + " cannot be read again";
}

std::string LogWriter::copy_leading(const std::string& from) {
  std::vector<std::pair<Standing*, std::string>> lines;
  std::string wrong = for_each_standing(from, stands_, /*leads=*/true, [&](std::string& text, Standing& one) {
    lines.emplace_back(&one, std::move(text));
    return std::string();
  });
  if (!wrong.empty()) return wrong;
  std::ranges::sort(lines, {}, [](const auto& one) { return one.first->order; });
  // Their numbers in the old file are needed no more, and the others' are not among them.
  for (const auto& [standing, text] : lines) {
    if (wrong = put(text); !wrong.empty()) return wrong;
    standing->line = lines_;
  }
  return "";
}

std::string LogWriter::copy_others(const std::string& from) {
  return for_each_standing(from, stands_, /*leads=*/false, [&](const std::string& text, Standing& standing) {
    std::string wrong = put(text);
    standing.line = lines_;
    return wrong;
  });
}

/// Ends the current file with a line that says so.
void LogWriter::end_file(std::string_view why, bool has_next) {
  if (!file_) return;
  std::string last = std::format(R"({{"ends":{},"next":{})", lines_, has_next);
  if (!why.empty()) append_quoted(last += R"(,"why":)", why);
  file_->line(last + "}");
  const std::string wrong = file_->close();
  file_.reset();
  if (!wrong.empty()) give_up(log_file(options_.dir, number_) + ": " + wrong);
}

void LogWriter::remove_oldest() {
  std::vector<LogFile> files = files_in(options_.dir);
  std::uintmax_t bytes = 0;
  for (const LogFile& file : files) bytes += file.bytes;
  for (const LogFile& file : files) {
    if (bytes <= options_.most_bytes || file.number == number_) return;
    std::error_code error;
    fs::remove(log_file(options_.dir, file.number), error);
    if (!error) bytes -= file.bytes;
  }
}

}  // namespace winnow
