// The verbs show_status and show_flags: /statusz and /flagz, for people, as Kubernetes' components have them.
// Upstream: apiserver/pkg/server/statusz/textserializer.go, flagz/textserializer.go v1.37.0.
#include <algorithm>
#include <format>
#include <set>

#include "extender/verbs/routes.h"
#include "extender/version.h"

namespace winnow {

namespace {

constexpr std::string_view kWarning =
    "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees "
    "and is for debugging purposes only.";

/// What the pages begin with. @param page  "statusz"
std::string header(std::string_view page) { return std::format("\nwinnow {}\n{}\n", page, kWarning); }

/// "26 hr 03 min 09 sec"
std::string uptime(std::chrono::system_clock::duration time) {
  const auto seconds = std::max<std::int64_t>(0, std::chrono::floor<std::chrono::seconds>(time).count());
  return std::format("{} hr {:02} min {:02} sec", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

/// The paths that only read, by the alphabet, but for the page's own files and data.
std::string paths_that_read() {
  std::set<std::string_view> paths;
  for (const Route& route : routes())
    if (route.method == "GET" && !route.path.starts_with("/page/")) paths.insert(route.path);
  std::string text;
  for (const std::string_view path : paths) (text += text.empty() ? "" : " ") += path;
  return text;
}

void answer(Reply& reply, std::string text) {
  reply.response.content_type = "text/plain; charset=utf-8";
  reply.response.body = std::move(text);
}

}  // namespace

namespace verbs {

void show_status(VerbContext& context, Call&, Reply& reply) {
  const auto now = std::chrono::system_clock::now();
  const BuildInfo& build = build_info();
  answer(reply,
         header("statusz") + std::format("\nStarted: {:%a %b %e %H:%M:%S UTC %Y}\nUp: {}\nCompiler: {}\n"
                                         "Binary version: {} ({})\n\nPaths: {}\n",
                                         std::chrono::floor<std::chrono::seconds>(context.started),
                                         uptime(now - context.started), build.compiler, build.version,
                                         build.revision, paths_that_read()));
}

void show_flags(VerbContext& context, Call&, Reply& reply) {
  std::string text = header("flagz");
  for (const auto& [name, value] : context.options.flags) text += name + '=' + value + '\n';
  answer(reply, std::move(text));
}

}  // namespace verbs

}  // namespace winnow
