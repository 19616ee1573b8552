#include "extender/service/authorization/shared_answers.h"

#include <arpa/inet.h>
#include <netinet/in.h>

namespace winnow {

std::string client_of(std::string_view remote) {
  std::string address(remote.substr(0, remote.rfind(':')));
  if (!address.starts_with('[')) return address;
  address = address.substr(1, address.find(']') - 1);
  in6_addr v6;
  if (inet_pton(AF_INET6, address.c_str(), &v6) != 1 || IN6_IS_ADDR_V4MAPPED(&v6)) return address;
  constexpr std::size_t kNetwork = 8;
  return {reinterpret_cast<const char*>(v6.s6_addr), kNetwork};
}

bool WaitingPlaces::take(const std::string& client, bool known) {
  const MutexLock lock(mutex_);
  if (known) {
    if (known_ >= most_) return false;
    ++known_;
    return true;
  }
  if (unknown_ >= most_) return false;
  if (!client.empty()) {
    std::size_t& of_client = by_client_[client];
    if (of_client >= most_of_client_) return false;
    ++of_client;
  }
  ++unknown_;
  return true;
}

void WaitingPlaces::give_back(const std::string& client, bool known) noexcept {
  const MutexLock lock(mutex_);
  if (known) {
    --known_;
    return;
  }
  --unknown_;
  const auto found = by_client_.find(client);
  if (found != by_client_.end() && --found->second == 0) by_client_.erase(found);
}

void WaitingPlaces::note_good(const std::string& key) {
  const MutexLock lock(mutex_);
  const live::Clock::Time now = clock_.now();
  order_.emplace_back(now, key);
  good_[key] = now;
  for (; order_.size() > most_tokens_; order_.pop_front()) {
    const auto found = good_.find(order_.front().second);
    // It may have been noted anew since.
    if (found != good_.end() && found->second == order_.front().first) good_.erase(found);
  }
}

bool WaitingPlaces::is_known(const std::string& key) const {
  const MutexLock lock(mutex_);
  const auto found = good_.find(key);
  return found != good_.end() && clock_.now() - found->second < kKnown;
}

}  // namespace winnow
