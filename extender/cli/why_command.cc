// `winnow why`: asks a Winnow that runs for the decisions that it has kept, or says how things stand now.
#include <algorithm>
#include <iostream>
#include <optional>
#include <ranges>
#include <string_view>
#include <utility>

#include "cluster/api/meta.h"
#include "cluster/text/characters.h"
#include "cluster/text/encoding.h"
#include "cluster/text/json.h"
#include "cluster/text/json_document.h"
#include "cluster/text/json_reader.h"
#include "extender/cli/cluster_source.h"
#include "extender/cli/commands.h"
#include "extender/cli/flags/flag_kinds.h"
#include "extender/cli/flags/flags.h"
#include "extender/cli/kubectl/pending_list.h"
#include "extender/cli/named_pods.h"
#include "extender/cli/terminal.h"
#include "extender/cli/winnow_server.h"
#include "extender/config/extenders.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "extender/explain/decisions_json.h"
#include "extender/explain/explain.h"
#include "extender/explain/explanation_json.h"
#include "extender/explain/explanation_text.h"
#include "extender/explain/node_names.h"

namespace winnow {
namespace {

int why_fails(const std::string& line) {
  stderr_line("winnow why: " + line);
  return kBadInput;
}

std::string decisions_path(const WhyFlags& flags, const ObjectName& pod) {
  return Query("/decisions").add("pod", pod.full()).add("limit", std::to_string(flags.limit)).path();
}

std::string question_about(const ObjectName& pod) {
  std::string body = R"({"Namespace":)";
  append_quoted(body, pod.ns);
  append_quoted(body += R"(,"Name":)", pod.name);
  return body + "}";
}

/// Lines for people, with what is left out of nodes' names. Texts of the cluster cannot steer the terminal.
class WhyLines {
 public:
  /// @param width  see WhyFlags.
  WhyLines(NodeNames names, std::optional<int> width)
      : names_(width == 0 ? NodeNames() : std::move(names)),
        width_{.colour = false, .width = width.value_or(0)} {}

  const NodeNames& names() const { return names_; }
  std::size_t width() const { return line_width(width_); }
  void print(std::string_view line) const {
    const std::size_t indent = line.find_first_not_of(' ');
    std::string out;
    append_paragraph(out, printable(line.substr(std::min(indent, line.size()))),
                     {.width = line_width(width_),
                      .prefix = indent == 2 ? "  " : "",
                      .indent = indent == 2 ? std::size_t{4} : std::size_t{2}});
    std::cout << out;
  }
  /// What is left out, if anything is.
  void print_note() const {
    if (const std::string note = names_.note(); !note.empty()) print(note);
  }

 private:
  const NodeNames names_;
  const TableOptions width_;
};

/// The places that keep the pod out now. None where it does not wait any more, or may not be asked about.
void print_held_places(WinnowServer& server, const ObjectName& pod, const WhyLines& lines) {
  auto body = server.post_good("/explain?limit=1", question_about(pod));
  if (!body) return;
  const auto document = load_document(std::move(*body));
  if (!document || !document->root().IsObject()) return;
  std::string error;
  std::vector<std::string> held;
  const Reader root(document->root(), nullptr, error);
  if (!root.within("page", [&](const Reader& page) { return page.read("held", held); })) return;
  for (const std::string& place : held) lines.print("held now: " + lines.names().in(place));
}

/// The pod of a kept decision.
struct DecidedPod {
  std::string pod;
};

bool read_fields(const Reader& reader, DecidedPod& decided) { return reader.read("pod", decided.pod); }

/// The names of pods with kept decisions that may have been meant; see near_pods().
std::string near_decided(WinnowServer& server, const ObjectName& pod) {
  auto body =
      server.get_good(Query("/decisions").add("limit", std::to_string(DecisionsQuery::kMostLimit)).path());
  const auto document = load_document(body ? std::move(*body) : "");
  std::vector<DecidedPod> decided;
  std::string error;
  if (!document || !document->root().IsObject() ||
      !Reader(document->root(), nullptr, error).read("decisions", decided))
    return "";
  std::vector<std::string> names;
  for (DecidedPod& one : decided)
    if (!std::ranges::contains(names, one.pod)) names.push_back(std::move(one.pod));
  return near_pods(pod, names);
}

int say_what_was_decided(const WhyFlags& flags, WinnowServer& server, const ObjectName& pod) {
  const auto body = server.get_good(decisions_path(flags, pod));
  if (!body) return why_fails(body.error());
  const auto decisions = read_decisions(*body);
  if (!decisions)
    return why_fails(flags.server.url +
                     ": GET /decisions is not answered as Winnow does: " + decisions.error());
  if (flags.json) {
    std::cout << *body;
  } else {
    const WhyLines lines(node_names_of(*decisions), flags.width);
    for (const ToldDecision& decision : *decisions) {
      lines.print(line_of(decision, lines.names()));
      for (const std::string& line : nearest_lines_of(decision, lines.names())) lines.print(line);
    }
    print_held_places(server, pod, lines);
    lines.print_note();
  }
  std::cout.flush();
  if (!std::cout) return why_fails("standard output cannot be written");
  if (!decisions->empty()) return kDone;
  why_fails("no decision about pod " + pod.full() + " is kept there" + near_decided(server, pod) +
            "; --now says how things stand");
  return kAnswerIsNo;
}

/// How things stand for the pod: by the Winnow of --server.
std::expected<Explanation, std::string> ask_now(const WhyFlags& flags, const ObjectName& pod) {
  auto server = WinnowServer::make(flags.server);
  if (!server) return std::unexpected(server.error());
  auto body = server->post_good("/explain", question_about(pod));
  if (!body) return std::unexpected(std::move(body).error());
  auto explanation = read_explanation(*body);
  if (!explanation)
    return std::unexpected(flags.server.url + ": POST /explain is not answered as Winnow does");
  return *std::move(explanation);
}

/// The same, worked out here of the cluster that the flags name.
std::expected<Explanation, std::string> explain_now(const CommonFlags& common, const ObjectName& pod) {
  const auto rules = rules_from(common);
  if (!rules) return std::unexpected(rules.error());
  stderr_lines("warning: ", rules->warnings);
  const auto cache = snapshot_from(common, *rules);
  if (!cache) return std::unexpected(cache.error());
  const ClusterCache::ReadGuard state = (*cache)->read();
  const auto id = known_pod(*state, pod);
  if (!id) return std::unexpected(id.error());
  Workers workers(0);
  const Engines engines(rules->sets, workers);
  ExplainOptions options;
  if (common.cluster.empty()) options.clocks = HeldClocks{};  // A file may be of any day.
  return explain_known(engines, *state, *id, std::nullopt, options);
}

int say_now(const CommonFlags& common, const WhyFlags& flags, const ObjectName& pod) {
  const auto explanation = flags.server.url.empty() ? explain_now(common, pod) : ask_now(flags, pod);
  if (!explanation) return why_fails(explanation.error());
  std::string out;
  if (flags.json) {
    append_why_json(out, *explanation);
  } else {
    const WhyLines lines(names_of(explanation->nodes), flags.width);
    append_why(out, *explanation, lines.names(), lines.width());
  }
  std::cout << out << std::flush;
  return std::cout ? kDone : why_fails("standard output cannot be written");
}

}  // namespace

int say_why(const CommonFlags& common, const WhyFlags& flags) {
  if (const std::string wrong = wrong_why_flags(common, flags); !wrong.empty()) return why_fails(wrong);
  if (const std::string wrong = wrong_server(flags.server); !wrong.empty()) return why_fails(wrong);
  // The current context need not be that of the Winnow which is asked.
  const auto pod = flags.server.url.empty() ? named_pod(common, flags.pod)
                                            : parse_pod_name(flags.pod, common.pod_namespace);
  if (!pod) return why_fails(pod.error());
  const ObjectName whole{.ns = pod->ns.empty() ? "default" : pod->ns, .name = pod->name};
  if (flags.now) return say_now(common, flags, whole);
  auto server = WinnowServer::make(flags.server);
  if (!server) return why_fails(server.error());
  return say_what_was_decided(flags, *server, whole);
}

}  // namespace winnow
