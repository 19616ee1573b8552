// The recording of a service: what changes in its caches, and the calls with their answers.
//
// format.h has the lines, log_writer.h the files.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "cluster/mutex.h"
#include "cluster/state/state.h"
#include "extender/service/scheduling/call_memory.h"
#include "extender/what_if/record/format.h"
#include "extender/what_if/record/log_writer.h"

namespace winnow {

struct ActiveConfig;
struct LoadedRules;

/// The journal of one cache. It must not outlive its recorder.
class CacheJournal : public Journal {
 public:
  /// An object of files, before the cache is read by anybody. See read_cluster(). Waits while the disk is
  /// behind, for as long as that takes.
  virtual void given(std::string_view json) noexcept = 0;
  virtual std::uint64_t number() const = 0;
};

/// Thread-safe.
class Recorder : public CallTracer {
 public:
  /// @param gates  --feature-gates. @return the recorder, or the error in one line.
  static std::expected<std::unique_ptr<Recorder>, std::string> open(LogWriter::Options files,
                                                                    RecordedOptions options,
                                                                    std::string gates);

  /// The journal of a new cache, which is to get it before anything is written.
  std::shared_ptr<CacheJournal> journal_of(const State::Options& options);
  /// Rules come into force. The active configuration is told next.
  void on_rules(const LoadedRules& rules);
  void on_serving(const ActiveConfig& active);
  std::unique_ptr<CallMemory> begin(const LiveMemory& live, std::string_view path, std::string_view query,
                                    std::string_view body,
                                    std::chrono::system_clock::time_point began) override;

  const RecordedOptions& options() const { return options_; }
  /// Why the recording has ended; "": it goes on.
  std::string ended() const { return writer_->ended(); }
  std::uint64_t lines() const { return writer_->lines(); }
  std::uint64_t lost_lines() const { return writer_->lost_lines(); }

 private:
  class OneJournal;
  class RecordingMemory;
  Recorder(RecordedOptions options, std::string gates) : options_(options), gates_(std::move(gates)) {}
  std::uint64_t rules_of(const ActiveConfig& active) const;

  const RecordedOptions options_;
  const std::string gates_;
  std::atomic<std::uint64_t> calls_ = 0;
  std::atomic<std::uint64_t> caches_ = 0;
  mutable Mutex mutex_;
  std::uint64_t rules_ WINNOW_GUARDED_BY(mutex_) = 0;
  std::map<const void*, std::uint64_t> by_engines_ WINNOW_GUARDED_BY(mutex_);
  std::unique_ptr<LogWriter> writer_;  ///< Set once. Last member, so that its thread ends first.
};

}  // namespace winnow
