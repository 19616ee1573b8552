// One call whose refusal may be held back.
//
// kube-scheduler calls about a pod because something has happened, and Winnow's watch may not have told of it
// yet. Then "no node fits" is said of a picture that is too old, and the pod waits for minutes. So a Hold
// looks for signs that the caller knows more than the picture:
//   - the pod's version, or a node's name, is one that the watch has not told of (Sign::kAhead);
//   - the pod is asked about again, and nothing has happened that Winnow knows of (Sign::kAskedAgain).
// While there is a sign, the refusal waits for news and the call looks again, as long as Recency allows.
// Without a sign it waits as long as the watch is usually late. One attempt of kube-scheduler's may make
// several calls about a pod; what one of them has waited for, the next one need not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "extender/catch_up/recency.h"
#include "extender/catch_up/refusals.h"

namespace winnow {

/// Says how long one call waits for the watch. Used by one thread; the clock is the caller's.
class Hold {
 public:
  using Time = Recency::Time;
  static constexpr unsigned kDoubts = 4;

  /// What the call says.
  struct Asked {
    std::string uid;
    std::uint64_t version = 0;  ///< The pod's resource version; 0: none.
    bool refused = false;       ///< Its last attempt has failed, and its condition says so.
    bool one_node = false;      ///< About one node alone.
    bool preempts = false;      ///< Behind the filter calls of the same attempt.
    Time at;
  };
  /// What a look at the picture has found.
  struct Seen {
    std::uint64_t news = 0;         ///< News::Count::for_others before the look.
    std::uint64_t told = 0;         ///< Up to where the watch has told of pods; 0: there is none.
    std::size_t unknown_nodes = 0;  ///< Of those asked about.
    bool differs = false;           ///< The answer is not what the caller must have expected.
  };

  /// Both outlive this.
  Hold(Recency& recency, const Refusals& refusals, Asked asked);

  /// The pod is refused by what was seen. @return until when to wait for news, and then to look again;
  /// nothing: the refusal stands.
  std::optional<Time> next(const Seen& seen, Time now);
  /// The call is answered.
  void end(bool refused, Time now);
  /// After next(). The refusal that stands may be one of too old a picture. That is so where
  ///   - the pod was asked about again for nothing that Winnow knows of,
  ///   - it was held for as long as allowed, and the caller is still ahead,
  ///   - or the watch is too late for any hold.
  /// It is not so where the pod has not said yet that it was refused: saying so is a change of it. kDoubts
  /// such answers in a row are enough, where nothing else happens.
  bool is_doubtful(const Seen& seen, Time now) const;
  /// At the last look the caller knew more than the picture.
  bool has_sign() const { return sign_ != Recency::Sign::kNoSign; }
  /// Which of the refusals in a row this one is.
  std::uint64_t attempt() const { return before_ ? before_->times + 1 : 1; }

  /// The refusal, for Refusals.
  /// @param doubtful  see is_doubtful. @param told  its text says so.
  Refusal refusal(const std::string& ns, const std::string& name, const Seen& seen, Time now,
                  bool doubtful = false, bool told = false) const;
  /// In this very attempt the node that the pod is nominated for was refused by us.
  bool refused_nominated() const { return same_attempt_ && before_->refused_nominated; }

 private:
  Recency::Sign sign(const Seen& seen) const;
  /// Nothing that Winnow knows of explains why the pod is asked about again.
  bool is_unexplained() const;
  /// How often in a row the pod was tried again for our doubt alone.
  unsigned doubts(const Seen& seen) const;

  Recency& recency_;
  Asked asked_;
  std::optional<Refusal> before_;
  bool same_attempt_ = false;
  std::optional<std::uint64_t> first_news_;      ///< At the first look.
  std::optional<Time> held_;                     ///< Since when.
  Recency::Sign sign_ = Recency::Sign::kNoSign;  ///< Of the last look.
  Recency::Duration seen_late_{0};               ///< What the sign was of came so late.
  bool cut_short_ = false;                       ///< More was worth holding than was allowed.
};

}  // namespace winnow
