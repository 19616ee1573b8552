// From the pieces of a watch's stream to its events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <string_view>

namespace winnow::live {

/// One line of a watch: {"type": …, "object": …}. Valid during the call that hands it out.
struct WatchEvent {
  enum class Type : std::uint8_t { kAdded, kModified, kDeleted, kBookmark, kError, kUnknown };
  Type type = Type::kUnknown;
  std::string_view type_name;         ///< As written.
  std::string_view kind;              ///< The object's; "" where it has none.
  std::string_view resource_version;  ///< The object's metadata.resourceVersion; "" where it has none.
  std::string_view object;            ///< JSON.
};

/// Puts lines together, however they were cut into pieces. Each byte is looked at twice: to find the end of
/// its line, and to read the event. So the time is linear in the bytes. For one thread.
class WatchStream {
 public:
  /// etcd takes no request above 1.5 MiB; an object's JSON is a few times that at most.
  static constexpr std::size_t kLongestLine = std::size_t{16} << 20;

  explicit WatchStream(std::size_t longest_line = kLongestLine) : longest_line_(longest_line) {}

  /// False: enough, the rest of the piece is dropped.
  using OnEvent = std::function<bool(const WatchEvent&)>;

  /// @return whether to go on, or what is wrong with a line; after either no more is fed.
  std::expected<bool, std::string> feed(std::string_view piece, const OnEvent& on_event);

  /// Whether an unfinished line is held: a stream that ends here was cut.
  bool mid_line() const { return !partial_.empty(); }

 private:
  const std::size_t longest_line_;
  std::string partial_;
};

/// One line without its end. @return or what is wrong: "byte 17: expected …".
std::expected<WatchEvent, std::string> read_watch_event(std::string_view line);

}  // namespace winnow::live
