// The events of a watch, read from the pieces of its stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <string_view>

namespace winnow::live {

/// One line of a watch: {"type": …, "object": …}. Valid only during the call that passes it.
struct WatchEvent {
  enum class Type : std::uint8_t { kAdded, kModified, kDeleted, kBookmark, kError, kUnknown };
  Type type = Type::kUnknown;
  std::string_view type_name;         ///< As written.
  std::string_view kind;              ///< The object's kind; "" without one.
  std::string_view resource_version;  ///< The object's metadata.resourceVersion; "" without one.
  std::string_view object;            ///< JSON.
};

/// A parser that joins the pieces of a stream into lines. Each byte is read twice: to find the end of its
/// line, and to read the event. So the time is linear in the bytes. For one thread.
class WatchStream {
 public:
  /// The maximum length of a line. etcd accepts no request above 1.5 MiB, and an object's JSON is at most a
  /// few times that.
  static constexpr std::size_t kLongestLine = std::size_t{16} << 20;

  explicit WatchStream(std::size_t longest_line = kLongestLine) : longest_line_(longest_line) {}

  /// A receiver of events. It returns false to stop; the rest of the piece is dropped.
  using OnEvent = std::function<bool(const WatchEvent&)>;

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

}  // namespace winnow::live
