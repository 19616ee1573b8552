#include "cluster/watch/watch_stream.h"

#include "cluster/text/json/json_members.h"

namespace winnow::live {
namespace {

WatchEvent::Type type_of(std::string_view name) {
  using enum WatchEvent::Type;
  return name == "ADDED"      ? kAdded
         : name == "MODIFIED" ? kModified
         : name == "DELETED"  ? kDeleted
         : name == "BOOKMARK" ? kBookmark
         : name == "ERROR"    ? kError
                              : kUnknown;
}

void read_event_object(JsonScan& scan, WatchEvent& event) {
  scan.peek();
  const char* const start = scan.position();
  event.kind = event.resource_version = {};
  read_members(scan, [&](std::string_view key) {
    if (key == "kind") {
      event.kind = raw_string(scan);
    } else if (key == "metadata") {
      read_object(scan, [&](std::string_view name) {
        const std::string_view text = raw_string(scan);
        if (name == "resourceVersion") event.resource_version = text;
      });
    } else {
      scan.value();
    }
  });
  event.object = {start, scan.position()};
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

}  // namespace

std::expected<WatchEvent, std::string> read_watch_event(std::string_view line) {
  JsonScan scan(line);
  WatchEvent event;
  read_members(scan, [&](std::string_view key) {
    if (key == "type")
      event.type_name = raw_string(scan);
    else if (key == "object")
      read_event_object(scan, event);
    else
      scan.value();
  });
  if (!scan.expect_end()) return std::unexpected(scan.error());
  if (event.object.empty()) return std::unexpected("there is no object in it");
  event.type = type_of(event.type_name);
  return event;
}

std::expected<bool, std::string> WatchStream::feed(std::string_view piece, const OnEvent& on_event) {
  while (!piece.empty()) {
    const std::size_t end = piece.find('\n');
    const std::string_view part = piece.substr(0, end);
    if (partial_.size() + part.size() > longest_line_)
      return std::unexpected("a line of more than " + std::to_string(longest_line_) + " bytes");
    if (end == std::string_view::npos) {
      partial_ += part;
      return true;
    }
    piece.remove_prefix(end + 1);
    // A line that is whole in this piece is read without a copy.
    if (!partial_.empty()) partial_ += part;
    const std::string_view line = partial_.empty() ? part : std::string_view(partial_);
    if (!is_blank(line)) {
      const auto event = read_watch_event(line);
      if (!event) return std::unexpected(event.error());
      if (!on_event(*event)) return false;
    }
    partial_.clear();
  }
  return true;
}

}  // namespace winnow::live
