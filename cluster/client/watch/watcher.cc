#include "cluster/client/watch/watcher.h"

#include "cluster/client/servers/api_status.h"
#include "cluster/client/servers/backoff.h"
#include "cluster/client/transport/transport.h"
#include "cluster/client/watch/reflector_status.h"
#include "cluster/client/watch/resource.h"
#include "cluster/function_ref.h"
#include "cluster/text/characters.h"
#include "cluster/text/encoding.h"
#include "cluster/text/go_format.h"
#include "cluster/text/json_scan.h"

namespace winnow::live {

namespace {

Failure malformed(std::string_view message) { return {WatchError::kMalformed, one_line(message)}; }

}  // namespace

Watcher::Watcher(const Resource& resource, ObjectSink& sink, ApiTransport& transport, Clock& clock,
                 const RetryAfter& retry, ReflectorProgress& progress, ReflectorObserver& observer,
                 std::uint64_t seed)
    : resource_(resource),
      sink_(sink),
      transport_(transport),
      clock_(clock),
      retry_(retry),
      progress_(progress),
      observer_(observer),
      random_(seed) {}

std::string Watcher::path() {
  // At random: watches that started together would otherwise always end together.
  const auto span = static_cast<std::uint64_t>((kLongestTimeout - kShortestTimeout).count()) + 1;
  const auto timeout = static_cast<std::uint64_t>(kShortestTimeout.count()) + random_() % span;
  return Query(resource_.path)
      .add("allowWatchBookmarks", "true")
      .add("fieldSelector", resource_.field_selector)
      .add("resourceVersion", known_)
      .add("timeoutSeconds", std::to_string(timeout))
      .add("watch", "true")
      .path();
}

Watcher::End Watcher::watch(const std::string& server, FunctionRef<void()> on_word,
                            const std::stop_token& stop) {
  server_ = server;
  from_ = known_ = progress_.resource_version();
  const ApiRequest request{.path = path()};
  WatchStream stream;
  End end;
  Clock::Time asked;
  const auto on_piece = [&](std::string_view piece) {
    if (!end.opened) {
      end.opened = true;
      progress_.opened();
      observer_.on_watch(resource_, server_);
    }
    if (!piece.empty() && take_piece(piece, stream, end)) on_word();
    return !end.failure;
  };
  const auto answer = retry_.ask(
      [&] {
        asked = clock_.now();
        return transport_.stream(server_, request, kLimit, kSilence, on_piece, stop);
      },
      stop);
  progress_.closed(answer || answer.error().kind == TransportError::Kind::kBroken);
  end.lasted = clock_.now() - asked;
  if (end.failure) return end;
  if (!answer)
    end.failure = failure_of(answer.error());
  else if (answer->status != 200)
    end.failure = failure_of(*answer);
  else if (stream.mid_line())
    end.failure = Failure{WatchError::kBroken, "the watch ended in the middle of an event"};
  return end;
}

/// Takes in a piece of the stream. @return whether it brought events.
bool Watcher::take_piece(std::string_view piece, WatchStream& stream, End& end) {
  Heard heard;
  try {
    const auto fed = stream.feed(piece, [&](const WatchEvent& event) { return take(event, end, heard); });
    if (!fed) end.failure = Failure{WatchError::kMalformed, one_line("a watch event: " + fed.error())};
    if (heard.changed) sink_.flush();
  } catch (...) {
    // Readers may have seen the events that the sink has taken: the list that follows may not be older.
    progress_.advance(known_);
    throw;
  }
  if (heard.events > 0) {
    progress_.advance(known_);
    observer_.on_events(resource_, server_, heard.events);
  }
  return heard.events > 0;
}

/// Takes in an event. @return whether to go on.
bool Watcher::take(const WatchEvent& event, End& end, Heard& heard) {
  using enum WatchEvent::Type;
  if (event.type == kUnknown) {
    // Its resource version is not used, because the event's effect is unknown.
    observer_.on_error(resource_, server_, WatchError::kMalformed,
                       "unknown event type " + go_quote(event.type_name));
    return true;
  }
  end.failure = check(event);
  if (end.failure) return false;
  const bool is_json = event.type == kDeleted    ? sink_.remove(event.object)
                       : event.type != kBookmark ? sink_.set(event.object)
                                                 : true;
  if (!is_json) {
    end.failure = malformed("a watch event: its object is no JSON");
    return false;
  }
  if (event.type == kBookmark)
    observer_.on_bookmark(resource_, server_);
  else
    heard.changed = true;
  if (event.resource_version != known_) end.advanced = true;
  known_ = event.resource_version;
  ++heard.events;
  return true;
}

std::optional<Failure> Watcher::check(const WatchEvent& event) const {
  if (event.type == WatchEvent::Type::kError) {
    const auto status = read_status(event.object);
    return status ? failure_of(*status) : malformed("an ERROR event without a Status");
  }
  if (event.kind != resource_.kind)
    return malformed("a watch event: expected a " + resource_.kind + ", found " + go_quote(event.kind));
  const std::string version(event.resource_version);
  if (!is_resource_version(version))
    return malformed("an event's resource version: expected a number above 0, found \"" + version + '"');
  if (!is_older(version, known_)) return std::nullopt;
  // A bookmark brings nothing that could be missed.
  if (event.type != WatchEvent::Type::kBookmark && is_older(from_, version))
    return malformed("events out of order: one at " + version + " after one at " + known_);
  return Failure{WatchError::kOlder, "an event at " + version + ", but " + known_ + " is known"};
}

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

/// Reads an object's kind and version, and no further. @return whether both are there.
bool read_head(JsonScan& scan, WatchEvent& event) {
  if (!scan.expect('{')) return false;
  do {
    const std::string_view key = scan.string();
    if (!scan.expect(':')) return false;
    if (key == R"("kind")") {
      event.kind = raw_string(scan);
    } else if (key == R"("metadata")" && scan.eat('{')) {
      do {
        const std::string_view name = scan.string();
        if (!scan.expect(':')) return false;
        const std::string_view text = raw_string(scan);
        if (name == R"("resourceVersion")") event.resource_version = text;
      } while (event.resource_version.empty() && scan.eat(','));
      // What follows in the metadata is long.
      return !event.kind.empty() && !event.resource_version.empty();
    } else {
      scan.value();
    }
  } while (scan.eat(','));
  return false;
}

/// Reads a line of the form that API servers write, {"type":…,"object":{…}}, as far as the object's version.
/// So the object is scanned once, by its decoder. @return nothing if the line has another form.
std::optional<WatchEvent> read_usual_event(std::string_view line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t'))
    line.remove_suffix(1);
  if (!line.ends_with("}}")) return std::nullopt;
  JsonScan scan(line);
  WatchEvent event;
  if (!scan.eat('{') || scan.string() != R"("type")" || !scan.expect(':')) return std::nullopt;
  event.type_name = raw_string(scan);
  event.type = type_of(event.type_name);
  using enum WatchEvent::Type;
  if (event.type != kAdded && event.type != kModified && event.type != kDeleted) return std::nullopt;
  if (!scan.eat(',') || scan.string() != R"("object")" || !scan.expect(':') || scan.peek() != '{')
    return std::nullopt;
  const char* const start = scan.position();
  if (!read_head(scan, event)) return std::nullopt;
  event.object = {start, line.data() + line.size() - 1};
  return event;
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
      std::expected<WatchEvent, std::string> event;
      if (const auto usual = read_usual_event(line))
        event = *usual;
      else
        event = read_watch_event(line);
      if (!event) return std::unexpected(event.error());
      if (!on_event(*event)) return false;
    }
    partial_.clear();
  }
  return true;
}

}  // namespace winnow::live
