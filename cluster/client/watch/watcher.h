// The watcher of a resource, and the events of a watch, read from the pieces of its stream.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <string_view>

#include "cluster/client/servers/api_status.h"
#include "cluster/function_ref.h"

namespace winnow::live {

class ApiTransport;
class ObjectSink;
class ReflectorObserver;
class ReflectorProgress;
class RetryAfter;
struct Resource;

/// One line of a watch: {"type": …, "object": …}. Valid only during the call that passes it.
struct WatchEvent {
  enum class Type : std::uint8_t { kAdded, kModified, kDeleted, kBookmark, kError, kUnknown };
  Type type = Type::kUnknown;
  std::string_view type_name;         ///< As written.
  std::string_view kind;              ///< The object's kind; "" without one.
  std::string_view resource_version;  ///< The object's metadata.resourceVersion; "" without one.
  std::string_view object;            ///< JSON, if the line is: of the usual form its decoder finds out.
};

/// A parser that joins the pieces of a stream into lines. Each byte is read once, to find the end of its
/// line. Of an event in the form that API servers write, the object is read as far as its version: its
/// decoder reads it whole. So the time is linear in the bytes. For one thread.
class WatchStream {
 public:
  /// The maximum length of a line. etcd accepts no request above 1.5 MiB, and an object's JSON is at most a
  /// few times that.
  static constexpr std::size_t kLongestLine = std::size_t{16} << 20;

  explicit WatchStream(std::size_t longest_line = kLongestLine) : longest_line_(longest_line) {}

  /// A receiver of events. It returns false to stop; the rest of the piece is dropped.
  using OnEvent = FunctionRef<bool(const WatchEvent&)>;

  /// @return whether to continue, or the error in a line. After false or an error, no more may be fed.
  std::expected<bool, std::string> feed(std::string_view piece, const OnEvent& on_event);

  /// Whether a line is unfinished: a stream that ends here was cut off.
  bool mid_line() const { return !partial_.empty(); }

 private:
  const std::size_t longest_line_;
  std::string partial_;
};

/// Reads one line without its line end. @return the event, or an error: "byte 17: expected …".
std::expected<WatchEvent, std::string> read_watch_event(std::string_view line);

// The watcher: watches a resource.
//
// A watch is one long answer with a line for each event, starting after the requested resource version. Each
// event advances the known version. So the next watch, at any server, starts where this one ended. Without
// changes, bookmarks do the same once a minute. So a stream that is silent for longer is not trusted.

/// A client for watches, one after another, each at one server. For one thread. Upstream: client-go's
/// handleWatch (tools/cache/reflector.go v0.37.0).
///
/// An event that is older than the requested version is refused as kOlder: the server is behind. One that is
/// older than another event of the same watch is kMalformed. It came out of order, and what it changed was
/// not applied, so the objects must be listed. client-go would apply it, and go back in time.
class Watcher {
 public:
  /// The range of the random timeout after which the server is asked to end the watch.
  static constexpr std::chrono::seconds kShortestTimeout{300};
  static constexpr std::chrono::seconds kLongestTimeout{600};
  static constexpr std::chrono::seconds kLimit{30};  ///< The limit for the head of the answer.
  /// The maximum silence of a watch; a server sends a bookmark each minute. A server that is silent for
  /// longer may be cut off or frozen. Or it lags, and has no event newer than the known version.
  static constexpr std::chrono::seconds kSilence{75};

  /// All arguments must outlive the watcher.
  Watcher(const Resource& resource, ObjectSink& sink, ApiTransport& transport, Clock& clock,
          const RetryAfter& retry, ReflectorProgress& progress, ReflectorObserver& observer,
          std::uint64_t seed);

  /// The outcome of a watch.
  struct End {
    std::optional<Failure> failure;  ///< Nothing: the server closed the watch.
    bool opened = false;
    bool advanced = false;  ///< It brought a version above the known one.
    Clock::Duration lasted{};
  };
  /// Watches from the known resource version until the watch ends.
  /// @param on_word  is called after each piece that brought events.
  End watch(const std::string& server, FunctionRef<void()> on_word, const std::stop_token& stop);

 private:
  struct Heard {
    std::size_t events = 0;
    bool changed = false;  ///< The sink has changes to flush.
  };
  bool take_piece(std::string_view piece, WatchStream& stream, End& end);
  bool take(const WatchEvent& event, End& end, Heard& heard);
  std::optional<Failure> check(const WatchEvent& event) const;
  std::string path();

  const Resource& resource_;
  ObjectSink& sink_;
  ApiTransport& transport_;
  Clock& clock_;
  const RetryAfter& retry_;
  ReflectorProgress& progress_;
  ReflectorObserver& observer_;
  std::mt19937_64 random_;
  // The members below belong to the current watch.
  std::string server_;
  std::string from_;   ///< The requested version.
  std::string known_;  ///< The version of the last event that the sink has taken.
};

}  // namespace winnow::live
