#include "tests/cluster/client/watch/script.h"

#include <algorithm>

#include "cluster/api/pod.h"
#include "tests/cluster/client/watch/fake_api_server.h"

namespace winnow::live {
namespace {

using Answer = std::expected<ApiResponse, TransportError>;

std::string object_text(std::string_view object, bool with_kind) {
  const std::size_t at = object.find('@');
  const std::size_t plus = std::min(object.find('+'), object.size());
  const std::string padding(plus < object.size() ? std::stoul(std::string(object.substr(plus + 1))) : 0, ' ');
  std::string text = with_kind ? R"({"kind":"Pod","apiVersion":"v1",)" : "{";
  text.append(R"("metadata":{"name":")").append(object.substr(0, at));
  text.append(R"(","resourceVersion":")").append(object.substr(at + 1, plus - at - 1));
  return text + R"("},"spec":{"text":"a \"quoted\\ {[ \u00e9)" + padding + "\"}}";
}

std::string line(std::string_view type, std::string_view object) {
  return R"({"type":")" + std::string(type) + R"(","object":)" + std::string(object) + "}\n";
}

std::string parameter(std::string_view path, std::string_view name) {
  for (const char joint : {'?', '&'}) {
    const std::string key = joint + std::string(name) + "=";
    if (const std::size_t at = path.find(key); at != std::string_view::npos) {
      path.remove_prefix(at + key.size());
      return std::string(path.substr(0, path.find('&')));
    }
  }
  return {};
}

std::string describe(std::string_view path) {
  const std::string version = parameter(path, "resourceVersion");
  const std::string from = version.empty() ? "" : " from " + version;
  if (!parameter(path, "sendInitialEvents").empty()) return "stream" + from;
  if (!parameter(path, "watch").empty()) return "watch" + from;
  if (const std::string token = parameter(path, "continue"); !token.empty()) return "page " + token;
  if (parameter(path, "limit") == "1") return "probe" + from;
  return "list" + from + (version.empty() && parameter(path, "limit").empty() ? " whole" : "");
}

}  // namespace

Step page(std::string_view version, const std::vector<std::string>& objects, std::string_view next) {
  std::string text =
      R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":")" + std::string(version) + "\"";
  if (!next.empty()) text += R"(,"continue":")" + std::string(next) + "\"";
  text += "},\"items\":[";
  for (std::size_t i = 0; i < objects.size(); ++i)
    text += (i > 0 ? "," : "") + object_text(objects[i], false);
  return body(200, text + "]}\n");
}

Step stream(std::vector<std::string> pieces, double lasts) {
  return {ApiResponse{.status = 200}, std::move(pieces), lasts, true};
}

Step breaks(Step stream, TransportError::Kind kind) {
  stream.answer = std::unexpected(TransportError{kind, "it broke"});
  return stream;
}

Step fails(TransportError::Kind kind) { return {std::unexpected(TransportError{kind, "it failed"}), {}}; }
Step body(int status, std::string text) {
  return {ApiResponse{.status = status, .body = std::move(text)}, {}};
}

Step says(int code, std::string_view reason, std::string_view message, std::string_view details) {
  return body(code, status_json(code, reason, message, details));
}

Step with_retry_after(Step step, int seconds) {
  step.answer->retry_after = std::chrono::seconds(seconds);
  return step;
}

std::string added(std::string_view object) { return line("ADDED", object_text(object, true)); }
std::string modified(std::string_view object) { return line("MODIFIED", object_text(object, true)); }
std::string deleted(std::string_view object) { return line("DELETED", object_text(object, true)); }

std::string bookmark(std::string_view version) {
  return line("BOOKMARK", R"({"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":")" +
                              std::string(version) +
                              R"(","creationTimestamp":null},"spec":{"containers":null}})");
}

std::string list_end(std::string_view version) {
  return line("BOOKMARK", R"({"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":")" +
                              std::string(version) +
                              R"(","annotations":{"k8s.io/initial-events-end":"true"}}})");
}

std::string error(int code, std::string_view reason, std::string_view message) {
  return line("ERROR", status_json(code, reason, message));
}

Script::Script(std::vector<std::string> urls, KindPresence presence, bool streams_lists)
    : servers(std::move(urls), clock),
      reflector({"pods", "/api/v1/pods", "Pod", "", presence, streams_lists}, sink, servers, *this, clock,
                sink, 7) {}

void Script::run(std::deque<Step> steps) {
  steps_ = std::move(steps);
  stop_ = {};
  reflector.run(stop_.get_token());
}

Step Script::next(const std::string& server, const ApiRequest& request) {
  if (steps_.empty()) {
    stop_.request_stop();
    return fails(TransportError::Kind::kStopped);
  }
  asked.push_back({server, describe(request.path), request.path, clock.now()});
  Step step = std::move(steps_.front());
  steps_.pop_front();
  return step;
}

Answer Script::call(const std::string& server, const ApiRequest& request, std::chrono::milliseconds,
                    const std::stop_token&) {
  const Step step = next(server, request);
  if (after(step.lasts) > after(0) + ApiTransport::kSlow && request.on_slow)
    request.on_slow(step.answer ? step.answer->body.size() : 0);
  clock.advance(after(step.lasts).time_since_epoch());
  return step.answer;
}

Answer Script::stream(const std::string& server, const ApiRequest& request, std::chrono::milliseconds,
                      std::chrono::milliseconds, const OnPiece& on_piece, const std::stop_token&) {
  const Step step = next(server, request);
  if (!step.opens) return step.answer;
  if (!on_piece("")) return ApiResponse{.status = 200};
  for (const std::string& piece : step.pieces)
    if (!on_piece(piece)) return ApiResponse{.status = 200};
  clock.advance(after(step.lasts).time_since_epoch());
  return step.answer;
}

std::string Script::story() const {
  std::string story;
  for (const Asked& one : asked) story += (story.empty() ? "" : ", ") + one.what;
  return story;
}

std::string Script::objects() const {
  std::string text;
  for (const auto& [name, object] : sink.objects)
    text += (text.empty() ? "" : " ") + name + "@" + std::to_string(version_of(object));
  return text;
}

}  // namespace winnow::live
