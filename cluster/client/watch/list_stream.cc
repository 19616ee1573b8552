#include "cluster/client/watch/list_stream.h"

#include <algorithm>
#include <exception>
#include <format>
#include <utility>

#include "cluster/api/decode.h"
#include "cluster/api/workload.h"
#include "cluster/client/servers/backoff.h"
#include "cluster/client/transport/transport.h"
#include "cluster/client/watch/reflector_status.h"
#include "cluster/client/watch/resource.h"
#include "cluster/client/watch/watcher.h"
#include "cluster/text/characters.h"
#include "cluster/text/encoding.h"
#include "cluster/text/go_format.h"

namespace winnow::live {
namespace {

Failure malformed_stream(std::string_view message) {
  return {WatchError::kMalformed, one_line("a streamed list: " + std::string(message))};
}

/// Whether it is the bookmark behind the objects.
bool ends_the_list(std::string_view bookmark) {
  const auto object = decode<Namespace>(bookmark);
  if (!object) return false;
  const StringMap& annotations = object->metadata.annotations;
  const auto end = annotations.find("k8s.io/initial-events-end");
  return end != annotations.end() && end->second == "true";
}

/// Whether a server refuses the request for what it is, and may answer one for pages.
bool refuses_streams(int status) {
  return status == 400 || status == 403 || status == 404 || status == 405 || status == 422;
}

}  // namespace

/// What has come so far.
struct ListStream::Reading {
  std::string_view known;
  StreamedList list;
  std::string highest;  ///< The highest version of an object or a later event.
  std::size_t later_bytes = 0;
  bool ended = false;  ///< The bookmark has come.
  bool flooded = false;
  std::optional<Failure> failure;
};

std::string ListStream::path(std::string_view not_older_than) const {
  return Query(resource_.path)
      .add("allowWatchBookmarks", "true")
      .add("fieldSelector", resource_.field_selector)
      .add("resourceVersion", not_older_than)
      .add("resourceVersionMatch", "NotOlderThan")
      .add("sendInitialEvents", "true")
      .add("timeoutSeconds", std::to_string(Watcher::kShortestTimeout.count()))
      .add("watch", "true")
      .path();
}

std::expected<std::optional<StreamedList>, Failure> ListStream::list(const std::string& server,
                                                                     std::string_view not_older_than,
                                                                     std::string_view known,
                                                                     const std::stop_token& stop) {
  if (without_.contains(server)) return std::nullopt;
  const ApiRequest request{.path = path(not_older_than)};
  Reading reading{.known = known, .highest = std::string(not_older_than)};
  WatchStream stream;
  bool opened = false, told = false;
  std::size_t bytes = 0;
  Clock::Time asked;
  const auto on_piece = [&](std::string_view piece) {
    if (!std::exchange(opened, true)) sink_.begin_list();
    bytes += piece.size();
    if (!told && clock_.now() - asked >= ApiTransport::kSlow) {
      told = true;
      try {
        observer_.on_slow_list(resource_, server, bytes);
      } catch (const std::exception&) {  // To tell of it takes memory. The list may succeed without.
      }
    }
    const auto fed = stream.feed(piece, [&](const WatchEvent& event) { return take(event, reading); });
    if (!fed) reading.failure = malformed_stream(fed.error());
    return !reading.failure && !reading.ended && !reading.flooded;
  };
  const auto answer = retry_.ask(
      [&] {
        asked = clock_.now();
        return transport_.stream(server, request, kLimit, kSilence, on_piece, stop);
      },
      stop);
  if (reading.failure) return std::unexpected(std::move(*reading.failure));
  if (reading.ended) return std::move(reading.list);
  if (!answer) {
    // It has ignored what it does not know, and watches.
    if (opened && answer.error().kind == TransportError::Kind::kTimeout) without_.insert(server);
    return std::unexpected(failure_of(answer.error()));
  }
  if (answer->status == 200) {
    without_.insert(server);
    if (reading.flooded) return std::nullopt;
    return std::unexpected(Failure{WatchError::kBroken, "a streamed list ended before its bookmark"});
  }
  if (!refuses_streams(answer->status)) return std::unexpected(failure_of(*answer));
  // A right can be given, and a kind can come. A parameter that is not known stays so.
  if (answer->status != 403 && answer->status != 404) without_.insert(server);
  return std::nullopt;
}

/// Takes in an event. @return whether to go on.
bool ListStream::take(const WatchEvent& event, Reading& reading) {
  using enum WatchEvent::Type;
  const auto fail = [&](std::string_view message) {
    reading.failure = malformed_stream(message);
    return false;
  };
  if (event.type == kError) {
    const auto status = read_status(event.object);
    reading.failure = status ? failure_of(*status) : malformed_stream("an ERROR event without a Status");
    return false;
  }
  if (event.type == kUnknown) return fail("unknown event type " + go_quote(event.type_name));
  if (event.kind != resource_.kind)
    return fail("expected a " + resource_.kind + ", found " + go_quote(event.kind));
  if (!is_resource_version(event.resource_version))
    return fail("an event's resource version: expected a number above 0, found \"" +
                std::string(event.resource_version) + '"');
  if (event.type == kBookmark) {
    take_bookmark(event, reading);
    return !reading.ended && !reading.failure;
  }
  // An ADDED behind another change is one of an object that may have been there before.
  if (event.type == kAdded && reading.list.later.empty()) return take_object(event, reading);
  return take_later(event, reading);
}

bool ListStream::take_object(const WatchEvent& event, Reading& reading) {
  if (++reading.list.objects > kObjects) {
    reading.failure = malformed_stream(std::format("more than {} objects", kObjects));
    return false;
  }
  if (reading.highest.empty() || is_older(reading.highest, event.resource_version))
    reading.highest = event.resource_version;
  if (!sink_.list(event.object)) reading.failure = malformed_stream("an object is no JSON");
  return !reading.failure;
}

bool ListStream::take_later(const WatchEvent& event, Reading& reading) {
  StreamedList& list = reading.list;
  if (list.later.empty()) list.resource_version = reading.highest;
  if (is_older(event.resource_version, reading.highest)) {
    reading.failure = malformed_stream("events out of order: one at " + std::string(event.resource_version) +
                                       " after one at " + reading.highest);
    return false;
  }
  reading.highest = event.resource_version;
  reading.later_bytes += event.object.size() + sizeof(LaterEvent);
  reading.flooded = reading.later_bytes > kLaterBytes;
  list.later.push_back({event.type == WatchEvent::Type::kDeleted, std::string(event.object)});
  return !reading.flooded;
}

void ListStream::take_bookmark(const WatchEvent& event, Reading& reading) {
  if (!ends_the_list(event.object)) return;
  StreamedList& list = reading.list;
  const std::string version(event.resource_version);
  // A restored etcd shows by this first: objects that are known are newer than all that it has.
  if (is_older(version, reading.known))
    reading.failure = Failure{WatchError::kOlder,
                              "a list at " + version + ", but " + std::string(reading.known) + " is known"};
  else if (is_older(version, reading.highest))
    reading.failure = malformed_stream("a bookmark at " + version + " after an object at " + reading.highest);
  if (reading.failure) return;
  (list.later.empty() ? list.resource_version : list.later_version) = version;
  reading.ended = true;
}

}  // namespace winnow::live
