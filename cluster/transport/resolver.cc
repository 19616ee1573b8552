#include "cluster/transport/resolver.h"

#include <netdb.h>

#include <cstring>
#include <exception>
#include <format>
#include <memory>
#include <new>
#include <thread>

#include "cluster/access/server_url.h"
#include "cluster/text/go_quote.h"

namespace winnow::live {
namespace {

using Answer = std::expected<std::vector<SocketAddress>, std::string>;

Answer look_up(const std::string& host, std::uint16_t port, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0)
    return std::unexpected(std::format("no address for {}: {}", go_quote(host), ::gai_strerror(error)));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
  std::vector<SocketAddress> addresses;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    SocketAddress& address = addresses.emplace_back();
    std::memcpy(&address.bytes, one->ai_addr, one->ai_addrlen);
    address.size = one->ai_addrlen;
  }
  return addresses;
}

}  // namespace

struct Resolver::Lookup {
  bool finished = false;
  Answer answer;
};

Answer Resolver::resolve(const std::string& host, std::uint16_t port, const Deadline& deadline) {
  if (is_ip_address(host)) return look_up(host, port, AI_NUMERICHOST);
  const std::string key = std::format("{}:{}", host, port);
  const MutexLock lock(shared_->mutex);
  auto& running = shared_->running[key];
  if (running == nullptr) {
    try {
      running = std::make_shared<Lookup>();
      std::thread([shared = shared_, lookup = running, host, port, key] {
        Answer answer = std::unexpected("out of memory");
        try {
          answer = look_up(host, port, 0);
        } catch (const std::bad_alloc&) {  // That is what it says already.
        }
        const MutexLock guard(shared->mutex);
        lookup->answer = std::move(answer);
        lookup->finished = true;
        shared->running.erase(key);
        shared->done.notify_all();
      }).detach();
    } catch (const std::exception& error) {  // Of the system, or out of memory.
      shared_->running.erase(key);
      return std::unexpected(std::format("no thread to look up {}: {}", go_quote(host), error.what()));
    }
  }
  const std::shared_ptr<Lookup> lookup = running;
  shared_->done.wait_until(shared_->mutex, deadline.stop(), deadline.until(),
                           [&] { return lookup->finished; });
  if (!lookup->finished) return std::unexpected(std::format("no address for {} in time", go_quote(host)));
  return lookup->answer;
}

}  // namespace winnow::live
