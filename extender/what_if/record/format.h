// The lines of a recording.
//
// A recording is a directory of files recording-NNNNNN.jsonl.gz. A file is gzip, and a line of it is a JSON
// object. What a line is says its first member:
//
//   {"winnow":"recording","format":1,"version":…,"number":1,"run":…,"answer":…,…}   the head of a file
//   {"begins":N}                                    N lines follow that stand from earlier files
//   {"rules":1,"gates":"…","config":"…"}            rules come into force; "" is the default provider
//   {"picture":1,"accounting":…,"exactZones":…,"generation":…}   a cache, empty; "facts":["label KEY",…],
//                                                   "podFields" and "nodeFields":["/spec/dnsPolicy",…] too
//   {"picture":1,"given":{…}}                       an object of --cluster; all are loaded at once
//   {"picture":1,"set":"Pod","object":{…}}          an object is added or changed
//   {"picture":1,"gone":"Pod","ns":…,"name":…}      an object is gone
//   {"picture":1,"assumed":{"ns":…,"name":…,"uid":…,"node":…}}   a pod counts on a node;
//   "claims":{NAME:{…},…} has
//                                                   ResourceClaims, allocated as they count for the pod
//   {"picture":1,"released":{"ns":…,"name":…}}      it does not any more; "keepsDevices":true: its claims' do
//   {"picture":1,"unread":"ResourceClaim"}          the API does not give the kind's objects
//   {"picture":1,"read":"ResourceClaim"}            it does again
//   {"picture":1,"lost":true}                       everything in the cache is gone
//   {"picture":1,"ended":true}                      nobody reads this cache any more
//   {"look":7,"at":"…","path":"/filter","query":"","rules":1,"picture":1,"remembered":{…},"body":"…"}
//   {"answer":7,"status":200,"comparable":true,"body":"…"}
//   {"ends":N,"next":true,"why":"…"}                the file's last line; N lines precede it
//
// The order of the lines is the order of what has happened: a look stands behind the changes that its call
// has seen, and before all others. It is added to the queue while the call holds the cache's lock. An
// answer follows later; one without a look was made without the cache.
//
// Decisions. A replay must not guess what came from time or from evidence: the log has each change of the
// cache that followed, and not the cause. What a call is told of earlier calls is in its look (Remembered),
// so no file needs the ones before. A file begins with the last line of each object, copied from the file
// before, so that neither the watch nor a call waits and no object is kept in memory. Only the nodes are, for
// the moment of copying: they are put into the order in which they came. A configuration may have keys,
// tokens and passwords: only that is kept of it of which rules are made. Where a line cannot be kept the
// recording ends, and says so; a gap would make every later answer doubtful.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/state/state.h"
#include "extender/service/scheduling/options.h"

namespace winnow {

struct Remembered;

inline constexpr std::uint64_t kRecordingFormat = 1;

/// The paths of the calls that are recorded: those that answer about pods and nodes. A page of Winnow's own
/// is for people.
inline constexpr std::string_view kRecordedPaths[] = {"/filter",  "/predicates", "/prioritize", "/priorities",
                                                      "/preempt", "/explain",    "/bind"};
bool is_recorded(std::string_view path);

/// What answers depend on, beside rules, cache and request.
struct RecordedOptions {
  AnswerMode answer = AnswerMode::kComplete;
  ScoreScale scale = ScoreScale::kBest;
  FailedNodes failed_nodes = FailedNodes::kJudged;
  std::optional<PreemptSearch> preempt_search;
  std::vector<std::string> scheduler_filters;
  bool assume = false;
  bool nominates_refused = false;
  std::optional<std::uint64_t> seed;
  std::uint64_t drawn = 0;  ///< Drawn at random where there is no seed.

  bool operator==(const RecordedOptions&) const = default;
};

struct RecordingHead {
  std::string version, revision;
  std::string run;  ///< Names the process.
  std::string started;
  std::uint64_t number = 0;  ///< Of the file.
  RecordedOptions options;
};

/// Words for the values, in the order of their enums.
inline constexpr std::string_view kAnswerWords[] = {"complete", "best", "one"};
inline constexpr std::string_view kScaleWords[] = {"best", "mean"};
inline constexpr std::string_view kFailedWords[] = {"judged", "quiet"};
inline constexpr std::string_view kSearchWords[] = {"all", "candidates"};
inline constexpr std::string_view kAccountingWords[] = {"today", "v1.16", "v1.16-overhead"};
inline constexpr std::string_view kGenerationWords[] = {"classic", "today"};

std::string head_line(const RecordingHead& head);
/// "{}" where nothing is remembered.
std::string remembered_json(const Remembered& remembered);

struct RecordedLook {
  std::uint64_t call = 0;
  std::string at;  ///< In words.
  std::string_view path, query, body;
  std::string_view quoted_body = {};  ///< The body as a JSON string, if that is at hand; "": it is not.
  std::uint64_t rules = 0, cache = 0;
};
std::string look_line(const RecordedLook& look, const Remembered& remembered);

/// A call that has not looked at the cache has its request in its answer.
struct RecordedAnswer {
  std::uint64_t call = 0;
  int status = 0;
  bool comparable = false;
  std::string_view body;
  std::optional<RecordedLook> without_look;
};
std::string answer_line(const RecordedAnswer& answer);

std::string rules_line(std::uint64_t number, std::string_view gates, std::string_view config);
std::string cache_line(std::uint64_t number, const State::Options& options);
/// Appends `,"claims":{…}`: as ResourceClaims the devices that an assumed pod takes; nothing if there are
/// none.
void append_claims(std::string& line, std::span<const ClaimedDevices> devices);

}  // namespace winnow
