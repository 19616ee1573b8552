// The places of requests that wait for a review of their token, by client.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "cluster/clock.h"
#include "cluster/mutex.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

/// The client of a connection: its address without the port, and of IPv6 the network of 64 bits, which one
/// machine may have for itself. A name for comparisons.
/// @param remote  as in http::Request.
std::string client_of(std::string_view remote);

/// How many wait. One client cannot take the places of all, and no unknown token those of known ones. A token
/// is known for kKnown after it was good. Thread-safe.
class WaitingPlaces {
 public:
  static constexpr std::chrono::minutes kKnown{10};

  /// @param clock  outlives this.  @param most  for unknown tokens, and as many again for known ones.
  /// @param of_client  for one client's unknown tokens.  @param tokens  that are known at once.
  WaitingPlaces(live::Clock& clock, std::size_t most, std::size_t of_client, std::size_t tokens)
      : clock_(clock), most_(most), most_of_client_(of_client), most_tokens_(tokens) {}

  /// @param client  as client_of() gives it; "": it is not counted, for the review is made for others
  /// already.
  /// @return false: there is no place.
  bool take(const std::string& client, bool known);
  /// Gives back a place that take() has given.
  void give_back(const std::string& client, bool known) noexcept;

  /// @param key  the digest of a token that is good now.
  void note_good(const std::string& key);
  bool is_known(const std::string& key) const;

 private:
  live::Clock& clock_;
  const std::size_t most_, most_of_client_, most_tokens_;
  mutable Mutex mutex_;
  std::size_t known_ WINNOW_GUARDED_BY(mutex_) = 0, unknown_
                                                    WINNOW_GUARDED_BY(mutex_) = 0;  ///< Places taken.
  TextMap<std::size_t> by_client_ WINNOW_GUARDED_BY(mutex_);                        ///< Of the unknown.
  TextMap<live::Clock::Time> good_ WINNOW_GUARDED_BY(mutex_);                       ///< Last, by key.
  std::deque<std::pair<live::Clock::Time, std::string>> order_ WINNOW_GUARDED_BY(mutex_);  ///< Of the notes.
};

}  // namespace winnow
