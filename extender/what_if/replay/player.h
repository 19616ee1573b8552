// The replay of a recording: its lines are followed, and its calls are answered again.
//
// recording_reader.h reads lines and their fields. player.h follows them. replay.h plays a whole recording,
// says where two answers differ, and puts the result into words.
// anonymize.h makes a recording without names of another, by renaming.h.
//
// A call is answered by the code of its verb, in the cache that its look has seen. It changes nothing: what
// followed from it is in the recording. So a wrong answer does not make later ones wrong.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "extender/config/extenders.h"
#include "extender/engine/engines.h"
#include "extender/service/metrics/metrics.h"
#include "extender/service/verbs/call.h"
#include "extender/what_if/record/format.h"

namespace winnow {

class LineFields;
class Workers;

/// An answer with its status.
struct RecordedReply {
  int status = 0;
  std::string body;
  bool operator==(const RecordedReply&) const = default;
};

/// A call whose answer has come up in the recording.
struct PlayedCall {
  std::uint64_t number = 0;
  std::string path, at;
  std::string pod;  ///< NAMESPACE/NAME; "": not known.
  RecordedReply recorded;
  std::optional<RecordedReply> now;  ///< Nothing: it was not answered again.
  std::string why_not;               ///< Why not compared; "": compared.

  bool differs() const { return why_not.empty() && recorded != *now; }
};

/// Follows the lines of a recording. Used by one thread.
class Player {
 public:
  /// @param workers  outlive this.
  explicit Player(Workers& workers);
  ~Player();

  /// A file begins. Its first lines make all caches anew.
  void begin_file(const RecordingHead& head);
  /// Follows a line behind the head. @return the call that it answers, if it does; or the error:
  /// `look 7: body: is missing; expected a string`.
  std::expected<std::optional<PlayedCall>, std::string> play(std::string_view line);

  /// The number of changes of caches so far.
  std::uint64_t changes() const { return changes_; }

 private:
  /// Rules, with the engines, which refer to them.
  struct Rules {
    Rules(LoadedRules loaded_, Workers& workers)
        : loaded(std::move(loaded_)), engines(loaded.sets, workers) {}
    const LoadedRules loaded;
    const Engines engines;
  };
  /// A cache, and objects of files that are not in it yet.
  struct Played {
    std::shared_ptr<ClusterCache> cache;
    std::string given;
  };
  /// A call between its look and its answer.
  struct Pending {
    std::string path, at, pod;
    RecordedReply now;
  };

  void take_rules(LineFields& fields);
  void change(LineFields& fields);
  void change(Played& played, LineFields& fields);
  void set_object(ClusterCache& cache, LineFields& fields);
  void remove_object(ClusterCache& cache, LineFields& fields);
  void set_unread(ClusterCache& cache, LineFields& fields);
  void assume(ClusterCache& cache, LineFields& fields);
  void release(ClusterCache& cache, LineFields& fields);
  void load_given(Played& played, LineFields& fields);
  void end_cache(std::uint64_t number);
  void look(LineFields& fields);
  PlayedCall answer(LineFields& fields);
  VerbContext& context_of(std::uint64_t rules, std::uint64_t cache);

  Workers& workers_;
  Metrics metrics_;
  RecordingHead head_;
  std::map<std::uint64_t, std::shared_ptr<const Rules>> rules_;
  std::map<std::uint64_t, Played> caches_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::unique_ptr<VerbContext>> contexts_;
  std::map<std::uint64_t, Pending> pending_;
  std::uint64_t changes_ = 0;
};

/// Reads what is remembered. Errors are kept in the fields.
Remembered read_remembered(LineFields& look);

}  // namespace winnow
