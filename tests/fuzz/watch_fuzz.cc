// What API servers send: watches, pages of lists, Status objects, and the list of the servers themselves.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <stop_token>

#include "cluster/api/decode.h"
#include "cluster/client/access/server_url.h"
#include "cluster/client/servers/access_reviewer.h"
#include "cluster/client/servers/api_servers.h"
#include "cluster/client/servers/api_status.h"
#include "cluster/client/servers/backoff.h"
#include "cluster/client/transport/transport.h"
#include "cluster/client/watch/discovery.h"
#include "cluster/client/watch/list_stream.h"
#include "cluster/client/watch/lister.h"
#include "cluster/client/watch/reflector_status.h"
#include "cluster/client/watch/watcher.h"
#include "cluster/text/characters.h"
#include "tests/fuzz/fuzz.h"

namespace winnow::fuzz {
namespace {

using namespace live;

/// A clock that stands still, and does not wait.
class StillClock final : public Clock {
 public:
  Time now() const override { return Time(); }
  bool sleep(Duration, const std::stop_token&) override { return true; }
};

/// Writes down all that a sink is told.
class Story final : public ObjectSink, public ReflectorObserver {
 public:
  void begin_list() override { told += "begin\n"; }
  bool list(std::string_view object) override { return add("list", object); }
  void end_list(std::string_view version) override { add("end", version); }
  bool set(std::string_view object) override { return add("set", object); }
  bool remove(std::string_view object) override { return add("remove", object); }
  void flush() override {}  // Pieces are flushed, and not events.

  void on_list(const Resource&, std::string_view, std::size_t) override {}
  void on_watch(const Resource&, std::string_view) override {}
  void on_events(const Resource&, std::string_view, std::size_t count) override { events += count; }
  void on_bookmark(const Resource&, std::string_view) override { told += "bookmark\n"; }
  void on_error(const Resource&, std::string_view, WatchError, std::string_view message) override {
    check_error(printable(message));  // The log's writer escapes bytes that are no characters.
    add("error", message);
  }
  void on_slow_list(const Resource&, std::string_view, std::size_t) override {}
  void on_rewind(const Resource&, std::string_view, std::string_view) override {}

  std::string told;
  std::size_t events = 0;

 private:
  bool add(std::string_view what, std::string_view text) {
    told += std::string(what) + ' ' + std::string(text) + '\n';
    return true;
  }
};

/// Answers lists by pages, one after another, and watches by pieces.
class FakeTransport final : public ApiTransport {
 public:
  using Answer = std::expected<ApiResponse, TransportError>;
  Answer call(const std::string&, const ApiRequest& request, std::chrono::milliseconds,
              const std::stop_token&) override {
    must(is_one_line(request.path) && !request.path.contains(' '), "a path is one", request.path);
    if (next == pages.size()) return std::unexpected(TransportError{TransportError::Kind::kBroken, "over"});
    return ApiResponse{.status = status, .body = pages[next++]};
  }
  Answer stream(const std::string&, const ApiRequest&, std::chrono::milliseconds, std::chrono::milliseconds,
                const OnPiece& on_piece, const std::stop_token&) override {
    if (!on_piece("")) return ApiResponse{.status = 200};
    for (const std::string_view piece : pieces)
      if (!on_piece(piece)) break;
    return ApiResponse{.status = 200};
  }

  std::vector<std::string> pages;
  std::size_t next = 0;
  int status = 200;
  std::vector<std::string_view> pieces;
};

const Resource kPods{"pods", "/api/v1/pods", "Pod", ""};

std::string told_by(WatchStream& stream, const std::vector<std::string_view>& pieces) {
  std::string told;
  for (const std::string_view piece : pieces) {
    const auto fed = stream.feed(piece, [&](const WatchEvent& event) {
      told += std::to_string(static_cast<int>(event.type)) + ' ' + std::string(event.type_name) + ' ' +
              std::string(event.kind) + ' ' + std::string(event.resource_version) + ' ' +
              std::string(event.object) + '\n';
      return event.resource_version != "13";
    });
    if (!fed) return told + fed.error();
    if (!*fed) return told + "stopped";
  }
  return told + (stream.mid_line() ? "in a line" : "at the end");
}

void stream(std::string_view text) {
  for (const std::size_t longest : {WatchStream::kLongestLine, std::size_t{120}}) {
    WatchStream whole(longest);
    const std::string expected =
        told_by(whole, text.empty() ? std::vector<std::string_view>() : std::vector{text});
    for (const std::size_t most : {std::size_t{1}, std::size_t{20}, std::size_t{200}}) {
      WatchStream cut(longest);
      const std::string told = told_by(cut, pieces_of(text, most));
      must(told == expected, "a stream is the same wherever it is cut", told + '\n' + expected);
    }
  }
}

/// An event, read beside RapidJSON.
void event(std::string_view text) {
  const auto read = read_watch_event(text);
  if (!read) check_error(read.error());
  std::string buffer;
  rapidjson::Document document;
  const bool valid =
      parse(text, buffer, document).empty() && document.IsObject() && !has_equal_keys(document);
  if (!valid || text.contains('\\')) return;  // Names are compared as written.
  const bool has_object = document.HasMember("object") && document["object"].IsObject();
  must(read.has_value() == has_object, "an event has an object", read ? "" : read.error());
  if (!read) return;
  std::string own;
  rapidjson::Document object;
  must(parse(read->object, own, object).empty(), "an event's object is JSON", read->object);
  must(json_of(object) == json_of(document["object"]), "it is the object", read->object);
  const auto decoded = decode<Namespace>(read->object);
  if (decoded) must(decoded->metadata.resource_version == read->resource_version, "both read the version");
}

void page(std::string_view text) {
  const auto read = read_list_page(text);
  if (!read) check_error(read.error());
  std::string buffer;
  rapidjson::Document document;
  const bool valid = parse(text, buffer, document).empty();
  if (!valid || text.contains('\\') || has_equal_keys(document)) return;
  must(!read || document.IsObject(), "a page is an object");
  if (!read) return;
  const bool has_items = document.HasMember("items") && document["items"].IsArray();
  must(read->items.size() == (has_items ? document["items"].Size() : 0), "a page has its items");
  for (rapidjson::SizeType i = 0; i < read->items.size(); ++i) {
    std::string own;
    rapidjson::Document item;
    must(parse(read->items[i], own, item).empty(), "an item is JSON");
    must(json_of(item) == json_of(document["items"][i]), "it is the item");
  }
  // A page that is cut off is none.
  const std::size_t last = text.rfind('}');
  const std::size_t cut = random_of(text)() % (last + 1);
  must(!read_list_page(text.substr(0, cut)).has_value(), "a page that ends early is none");
}

/// A list, by pages that a line end parts, and as one page: the sink is told the same.
void lists(std::string_view text) {
  StillClock clock;
  const RetryAfter retry(clock, [](const ApiResponse&) {}, [] { return std::size_t{1}; });
  Story story;
  FakeTransport transport;
  for (const std::string_view line : lines_of(text)) transport.pages.emplace_back(line);
  Lister lister(kPods, story, transport, clock, retry, story);
  const auto listed = lister.list("https://a", "", "5", true, {});
  if (!listed) return check_error(printable(listed.error().message));
  must(is_resource_version(listed->resource_version), "a list has a version", listed->resource_version);
  must(!is_older(listed->resource_version, "5"), "it is not older than what is known");
  // The same objects in one page.
  std::string whole =
      R"({"kind":"PodList","metadata":{"resourceVersion":")" + listed->resource_version + "\"},\"items\":[";
  std::size_t objects = 0;
  for (std::size_t i = 0; i < transport.next; ++i) {
    const auto one = read_list_page(transport.pages[i]);
    for (const std::string_view item : one.value().items) whole += (objects++ ? "," : "") + std::string(item);
  }
  must(objects == listed->objects, "each object is counted");
  Story other;
  FakeTransport single;
  single.pages = {whole + "]}"};
  Lister again(kPods, other, single, clock, retry, other);
  must(again.list("https://a", "7", "5", false, {}).has_value(), "one page is a list", whole);
  must(other.told == story.told, "pages and one answer tell the same", other.told + story.told);
}

std::string watched(const std::vector<std::string_view>& pieces) {
  StillClock clock;
  const RetryAfter retry(clock, [](const ApiResponse&) {}, [] { return std::size_t{1}; });
  Story story;
  FakeTransport transport;
  transport.pieces = pieces;
  ReflectorProgress progress(clock);
  progress.listed("5");
  Watcher watcher(kPods, story, transport, clock, retry, progress, story, 1);
  const auto end = watcher.watch("https://a", [] {}, {});
  if (end.failure) check_error(printable(end.failure->message));
  must(!is_older(progress.resource_version(), "5"), "a watch does not go back", progress.resource_version());
  return story.told + (end.failure ? end.failure->message : "") + (end.advanced ? " advanced " : " ") +
         std::to_string(story.events) + ' ' + progress.resource_version();
}

std::string streamed(const std::vector<std::string_view>& pieces) {
  StillClock clock;
  const RetryAfter retry(clock, [](const ApiResponse&) {}, [] { return std::size_t{1}; });
  Story story;
  FakeTransport transport;
  transport.pieces = pieces;
  ListStream stream(kPods, story, transport, clock, retry, story);
  const auto list = stream.list("https://a", "3", "5", {});
  if (!list) {
    check_error(printable(list.error().message));
    return story.told + list.error().message;
  }
  if (!*list) return story.told;
  const StreamedList& whole = **list;
  must(is_resource_version(whole.resource_version), "a list has a version", whole.resource_version);
  must(!whole.later.empty() || !is_older(whole.resource_version, "5"), "it is as new as what is known");
  must(whole.later.empty() == whole.later_version.empty(), "later events have a version");
  must(!is_older(whole.later_version, whole.resource_version), "they are later");
  return story.told + whole.resource_version + ' ' + whole.later_version + ' ' +
         std::to_string(whole.objects) + ' ' + std::to_string(whole.later.size());
}

void watch(std::string_view text) {
  const std::string whole = watched({text});
  for (const std::size_t most : {std::size_t{1}, std::size_t{50}}) {
    const std::string cut = watched(pieces_of(text, most));
    must(cut == whole, "a watch tells the same wherever it is cut", cut + "\n" + whole);
    must(streamed(pieces_of(text, most)) == streamed({text}), "so does a list that is streamed");
  }
}

void status(std::string_view text) {
  const auto read = read_status(text);
  for (const int code : {200, 301, 401, 403, 409, 410, 429, 500, 504}) {
    const Failure failure = failure_of(ApiResponse{.status = code, .body = std::string(text)});
    must(printable(failure.message).size() <= kLongestError, "a failure is short", failure.message);
    const std::string line = denial(code, "list of pods", failure.message);
    must(line.empty() || is_one_line(printable(line)), "a denial is one line", line);
    must(std::ranges::none_of(failure.message, is_control), "a failure is one line", failure.message);
  }
  if (read) static_cast<void>(failure_of(*read));
}

void servers(std::string_view text) {
  StillClock clock;
  ApiServers servers({"https://configured:6443"}, clock);
  Discovery discovery(servers);
  const auto before = servers.servers();
  discovery.set(text);
  discovery.flush();
  const auto after = servers.servers();
  must(!after.empty() && after.front() == before.front(), "the configured server stays");
  for (const std::string& server : after)
    must(parse_server_url(server).has_value(), "each server has an address", server);
  if (!decode<EndpointSlice>(text)) must(after == before, "what cannot be read changes nothing");
}

/// An API server that answers each request with one text.
class OneAnswer final : public ApiTransport {
 public:
  OneAnswer(int status, std::string_view body) : answer_{.status = status, .body = std::string(body)} {}
  std::expected<ApiResponse, TransportError> call(const std::string&, const ApiRequest&,
                                                  std::chrono::milliseconds,
                                                  const std::stop_token&) override {
    return answer_;
  }
  std::expected<ApiResponse, TransportError> stream(const std::string&, const ApiRequest&,
                                                    std::chrono::milliseconds, std::chrono::milliseconds,
                                                    const OnPiece&, const std::stop_token&) override {
    return answer_;
  }

 private:
  const ApiResponse answer_;
};

void reviews(std::string_view text) {
  StillClock clock;
  ApiServers servers({"https://configured:6443"}, clock);
  const std::string token = "abc.def";
  for (const int status : {201, 403}) {
    OneAnswer api(status, text);
    AccessReviewer reviewer(servers, api, clock);
    const auto user = reviewer.review(token, clock.now() + std::chrono::seconds(1), {});
    if (!user) check_error(printable(user.error()));
    if (!user) must(!user.error().contains(token), "no error has the token", user.error());
    if (user) must(!user->error.contains(token), "no reason has the token", user->error);
    if (user) must(is_one_line(user->error), "a reason is one line", user->error);
    must(!user || status == 201, "a status that refuses lets nobody in");
    const PathAccess access{user ? user->user : UserInfo(), "get", "/metrics"};
    std::string buffer;
    rapidjson::Document spec;
    must(parse(access.spec(), buffer, spec).empty(), "the question is JSON", access.spec());
    const auto allowed = reviewer.review(access, clock.now() + std::chrono::seconds(1), {});
    if (!allowed) check_error(printable(allowed.error()));
    if (allowed) must(is_one_line(allowed->reason), "a reason is one line", allowed->reason);
    must(!allowed || !user, "one answer is not both reviews");
  }
}

constexpr Part kParts[] = {stream, event, page, lists, watch, status, servers, reviews};

}  // namespace
}  // namespace winnow::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return winnow::fuzz::run_part(data, size, winnow::fuzz::kParts);
}
