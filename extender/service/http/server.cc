#include "extender/service/http/server.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <deque>
#include <string_view>
#include <thread>
#include <vector>

#include "cluster/mutex.h"
#include "extender/service/http/listener.h"
#include "extender/service/http/pending_guards.h"
#include "extender/service/http/registry.h"
#include "extender/service/http/router.h"

namespace winnow::http {
namespace {

using Entry = Registry::Entry;

constexpr std::uint64_t kListenerId = 1;
constexpr std::uint64_t kTimerId = 2;
constexpr std::uint64_t kQuitId = 3;
constexpr std::uint64_t kDecidedId = 4;
constexpr std::uint64_t kWorkId = 5;
constexpr int kAcceptsPerEvent = 64;
constexpr std::chrono::milliseconds kAcceptRetry{100};
constexpr std::size_t kTurnedAway = 64;  // see admit()
// The kernel lets the send buffer of a socket grow to 4 MiB for a peer that does not read, at the container's
// cost. It may where there are few connections. Further ones get little: the kernel takes twice of it.
constexpr std::size_t kFreelyBuffered = 16;
constexpr int kSmallSendBuffer = 32 << 10;

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  void reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_;
};

/// The slots in which handlers of one class run, and the connections that wait for one, in the order of
/// arrival.
class HandlerSlots {
 public:
  explicit HandlerSlots(std::size_t slots) : count_(std::max<std::size_t>(slots, 1)), free_(count_) {}

  std::size_t count() const { return count_; }

  /// @return true: the caller has a slot and runs the handler. False: the entry now waits in line.
  bool take(Entry* entry) {
    const MutexLock lock(mutex_);
    if (free_ == 0) {
      waiting_.push_back(entry);
      return false;
    }
    --free_;
    return true;
  }
  /// Puts an entry in line. Somebody calls next() or begin() afterwards.
  void wait_in_line(Entry* entry) {
    const MutexLock lock(mutex_);
    waiting_.push_back(entry);
  }
  /// @return the entry to serve next with the caller's slot; null: nobody waits, and the slot is free again.
  Entry* next() {
    const MutexLock lock(mutex_);
    if (waiting_.empty()) {
      ++free_;
      return nullptr;
    }
    return take_first();
  }
  /// @return the first in line, with a slot for it; null: nobody waits, or no slot is free.
  Entry* begin() {
    const MutexLock lock(mutex_);
    if (waiting_.empty() || free_ == 0) return nullptr;
    --free_;
    return take_first();
  }

 private:
  Entry* take_first() WINNOW_REQUIRES(mutex_) {
    Entry* const entry = waiting_.front();
    waiting_.pop_front();
    return entry;
  }

  const std::size_t count_;
  Mutex mutex_;
  std::size_t free_ WINNOW_GUARDED_BY(mutex_);
  std::deque<Entry*> waiting_ WINNOW_GUARDED_BY(mutex_);
};

/// The guard, which sees paths without the prefix.
Guard behind(const PathPrefix& prefix, Guard guard) {
  return [&prefix, guard = std::move(guard)](const Request& request, Response& response,
                                             FunctionRef<Admit()> later) {
    Request inside = request;
    enter(inside, prefix);
    return guard(inside, response, later);
  };
}

void keep_send_buffer_small(int fd) {
  const int bytes = kSmallSendBuffer;
  ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

}  // namespace

class Server::Impl {
 public:
  Impl(Limits limits, Handler otherwise, Cost cost)
      : limits_(limits), cost_of_others_(cost), router_(std::move(otherwise), limits_, tally_) {
    watch(timer_.get(), EPOLLIN | static_cast<unsigned>(EPOLLET), kTimerId, EPOLL_CTL_ADD);
    watch(quit_event_.get(), EPOLLIN, kQuitId, EPOLL_CTL_ADD);
    watch(undecided_->fd(), EPOLLIN, kDecidedId, EPOLL_CTL_ADD);
    watch(work_event_.get(), EPOLLIN, kWorkId, EPOLL_CTL_ADD);
  }

  void route(std::string_view method, std::string_view path, Handler handler, Cost cost, Share share) {
    router_.add(method, path, std::move(handler), share);
    add_cost(method, prefix_.prefix + std::string(path), cost);
    if (std::ranges::contains(prefix_.anywhere, path)) add_cost(method, std::string(path), cost);
  }

  void set_prefix(PathPrefix prefix) {
    prefix_ = std::move(prefix);
    router_.set_prefix(prefix_);
  }

  // The router takes the prefix off itself. Connections ask before that.
  void set_guard(Guard guard) {
    router_.set_guard(guard);
    guard_ = prefix_.prefix.empty() ? std::move(guard) : behind(prefix_, std::move(guard));
  }
  void set_transport(MakeTransport make) { make_transport_ = std::move(make); }

  std::expected<std::uint16_t, std::string> listen(const std::string& address, std::uint16_t port) {
    if (epoll_.get() < 0 || timer_.get() < 0 || quit_event_.get() < 0 || work_event_.get() < 0 ||
        undecided_->fd() < 0)
      return std::unexpected("no descriptors left");
    const auto opened = open_listener(address, port);
    if (!opened) return std::unexpected(opened.error());
    listener_.reset(opened->fd);
    return opened->port;
  }

  void start() {
    watch(listener_.get(), EPOLLIN | static_cast<unsigned>(EPOLLONESHOT), kListenerId, EPOLL_CTL_ADD);
    std::size_t threads = 1;
    for (const HandlerSlots* const slots : {&calls_, &reads_, &scrapes_}) threads += slots->count();
    if (std::ranges::contains(costs_, Cost::kLong, [](const auto& one) { return one.second; }))
      threads += long_.count();
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }

  void stop(std::chrono::milliseconds drain) {
    if (ending_.draining.exchange(true)) return;
    if (!threads_.empty()) {
      // The kernel has completed the connections in the backlog: their clients may have sent requests.
      accept_waiting(1 << 16, *std::make_unique<Scratch>());
      if (listener_.get() >= 0) ::shutdown(listener_.get(), SHUT_RD);
      registry_.drain();
      registry_.wait_empty(Clock::now() + drain);
    }
    ending_.drained = true;
    quit_ = true;
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(quit_event_.get(), &one, sizeof one);
    for (auto& thread : threads_) thread.join();
    undecided_->close();
    registry_.clear();
    listener_.reset();
  }

  Counters counters() const;

 private:
  void watch(int fd, unsigned events, std::uint64_t id, int operation) {
    epoll_event event{};
    event.events = events;
    event.data.u64 = id;
    ::epoll_ctl(epoll_.get(), operation, fd, &event);
  }

  void add_cost(std::string_view method, const std::string& path, Cost cost) {
    costs_.emplace_back(std::string(method) + ' ' + path, cost);
    if (method == "GET") costs_.emplace_back("HEAD " + path, cost);
  }

  void work();
  void accept_waiting(int most, Scratch& scratch);
  void admit(Accepted accepted, Scratch& scratch);
  void expire(Scratch& scratch);
  void go_on_with_decided(Scratch& scratch);
  void carry_on(Entry* entry, Next next, Scratch& scratch);
  void settle(Entry* entry, Next next);
  void serve(Entry* entry, HandlerSlots& slots, Scratch& scratch);
  void begin_waiting(Scratch& scratch);
  Next answer(Entry* entry, Scratch& scratch);
  Cost cost_of(std::string_view request) const;
  HandlerSlots& slots_of(Entry* entry);

  const Limits limits_;
  const Cost cost_of_others_;
  Tally tally_;
  Router router_;
  PathPrefix prefix_;
  Guard guard_;
  MakeTransport make_transport_ = make_plain_transport;
  std::vector<std::pair<std::string, Cost>> costs_;  // by the begin of the request line
  Descriptor epoll_{::epoll_create1(EPOLL_CLOEXEC)};
  Descriptor timer_{::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)};
  Descriptor quit_event_{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
  Descriptor work_event_{::eventfd(0, EFD_SEMAPHORE | EFD_NONBLOCK | EFD_CLOEXEC)};  // see begin_waiting()
  Descriptor listener_;
  Registry registry_{epoll_.get(), timer_.get()};
  HandlerSlots calls_{limits_.workers}, reads_{limits_.readers}, scrapes_{1}, long_{2};
  const std::shared_ptr<PendingGuards> undecided_ = std::make_shared<PendingGuards>();
  Ending ending_;
  std::atomic<bool> quit_{false};
  std::vector<std::jthread> threads_;
};

void Server::Impl::work() {
  const auto scratch = std::make_unique<Scratch>();
  while (!quit_) {
    // One event at a time: a thread that runs a handler must not hold events of other connections.
    epoll_event event{};
    if (::epoll_wait(epoll_.get(), &event, 1, -1) != 1) continue;
    const std::uint64_t id = event.data.u64;
    if (id == kListenerId) {
      accept_waiting(kAcceptsPerEvent, *scratch);
    } else if (id == kTimerId) {
      expire(*scratch);
    } else if (id == kDecidedId) {
      go_on_with_decided(*scratch);
    } else if (id == kWorkId) {
      begin_waiting(*scratch);
    } else if (Entry* entry = registry_.claim(id)) {
      carry_on(entry, entry->connection.on_ready(*scratch), *scratch);
    }
  }
}

// Takes one entry. The event stays for those that are left.
void Server::Impl::go_on_with_decided(Scratch& scratch) {
  auto decided = undecided_->next();
  if (!decided) return;
  decided->entry->connection.decide(std::move(decided->refusal));
  carry_on(decided->entry, Next::kReady, scratch);
}

void Server::Impl::carry_on(Entry* entry, Next next, Scratch& scratch) {
  // A light request takes no slot. What is pipelined behind it waits in line, or it could keep all threads.
  if (next == Next::kReady && cost_of(entry->connection.ready()) == Cost::kLight)
    next = answer(entry, scratch);
  if (next != Next::kReady) return settle(entry, next);
  HandlerSlots& slots = slots_of(entry);
  if (slots.take(entry)) serve(entry, slots, scratch);
}

// Compares the text of the request line. A request that says the same in other words, as proxies do, is one
// of those that no route takes.
Cost Server::Impl::cost_of(std::string_view request) const {
  const auto found = std::ranges::find_if(costs_, [&](const auto& one) {
    return request.starts_with(one.first) && std::string_view(" ?").contains(request[one.first.size()]);
  });
  return found != costs_.end() ? found->second : cost_of_others_;
}

HandlerSlots& Server::Impl::slots_of(Entry* entry) {
  const Cost cost = cost_of(entry->connection.ready());
  if (cost == Cost::kSlot) return calls_;
  if (cost == Cost::kLong) return long_;
  return cost == Cost::kScrape ? scrapes_ : reads_;
}

void Server::Impl::settle(Entry* entry, Next next) {
  if (next == Next::kDecision) return;  // answer() has given it away.
  if (next == Next::kClose) return registry_.remove(entry);
  registry_.park(entry, next == Next::kWaitWrite);
}

// Serves the entry, and then those that wait in line, with one handler slot. Ends when nobody waits.
void Server::Impl::serve(Entry* entry, HandlerSlots& slots, Scratch& scratch) {
  for (; entry != nullptr; entry = slots.next()) {
    const Next next = quit_ ? Next::kClose : answer(entry, scratch);
    if (next != Next::kReady) {
      settle(entry, next);
      continue;
    }
    // A pipelined request goes behind those that wait already. For one of another class a thread is called:
    // this one may be busy with its own class for long.
    HandlerSlots& others = slots_of(entry);
    others.wait_in_line(entry);
    const std::uint64_t one = 1;
    if (&others == &slots) continue;
    [[maybe_unused]] const auto written = ::write(work_event_.get(), &one, sizeof one);
  }
}

// Serves those in line for whom a slot is free. Others are served by who has the slots.
void Server::Impl::begin_waiting(Scratch& scratch) {
  std::uint64_t one = 0;
  [[maybe_unused]] const auto got = ::read(work_event_.get(), &one, sizeof one);
  for (HandlerSlots* const slots : {&calls_, &scrapes_, &reads_, &long_})
    if (Entry* const entry = slots->begin()) serve(entry, *slots, scratch);
}

Next Server::Impl::answer(Entry* entry, Scratch& scratch) {
  std::uint64_t ticket = 0;
  const auto later = [&] { return undecided_->make(entry, ticket); };
  const Next next = entry->connection.answer(router_, ending_, scratch, later);
  // From keep() on the entry may be another thread's.
  if (next == Next::kDecision)
    undecided_->keep(ticket);
  else
    undecided_->forget(ticket);
  return next;
}

void Server::Impl::expire(Scratch& scratch) {
  std::uint64_t fired = 0;
  [[maybe_unused]] const auto got = ::read(timer_.get(), &fired, sizeof fired);
  const auto expired = registry_.take_expired();
  if (expired.alarm) accept_waiting(kAcceptsPerEvent, scratch);
  for (Entry* entry : expired.entries) carry_on(entry, entry->connection.on_deadline(scratch), scratch);
}

void Server::Impl::accept_waiting(int most, Scratch& scratch) {
  for (int i = 0; i < most; ++i) {
    auto accepted = accept_one(listener_.get());
    if (accepted) {
      admit(std::move(*accepted), scratch);
      continue;
    }
    if (accepted.error() == EAGAIN || accepted.error() == EINVAL) break;
    const bool full = accepted.error() == EMFILE || accepted.error() == ENFILE ||
                      accepted.error() == ENOMEM || accepted.error() == ENOBUFS;
    if (!full) continue;  // that client has closed its connection already
    if (registry_.evict()) {
      Tally::add(tally_.evicted);
    } else if (!ending_.draining) {
      return registry_.set_alarm(Clock::now() + kAcceptRetry);
    }
  }
  if (!ending_.draining)
    watch(listener_.get(), EPOLLIN | static_cast<unsigned>(EPOLLONESHOT), kListenerId, EPOLL_CTL_MOD);
}

// A new connection replaces an evicted one when the server is full. If none can be evicted, the new client is
// answered 503. Up to kTurnedAway such connections linger so that the client can read it.
void Server::Impl::admit(Accepted accepted, Scratch& scratch) {
  Tally::add(tally_.accepted);
  auto owned = std::make_unique<Entry>(make_transport_(accepted.fd), std::move(accepted.remote), limits_,
                                       tally_, &guard_);
  const std::size_t open = registry_.size();
  if (open >= kFreelyBuffered) keep_send_buffer_small(owned->connection.fd());
  const bool full = open >= limits_.connections;
  if (full && registry_.evict()) {
    Tally::add(tally_.evicted);
  } else if (full) {
    const Next next = owned->connection.turn_away(scratch);
    if (open < limits_.connections + kTurnedAway) settle(registry_.add(std::move(owned)), next);
    return;
  }
  registry_.park(registry_.add(std::move(owned)), false);
}

Counters Server::Impl::counters() const {
  Counters now;
  now.accepted = tally_.accepted;
  now.open = registry_.size();
  now.idle = registry_.idle();
  now.buffered_bytes = tally_.buffered_bytes;
  now.requests = tally_.requests;
  now.handler_threw = tally_.handler_threw;
  now.idle_expired = tally_.idle_expired;
  now.evicted = tally_.evicted;
  now.client_gone = tally_.client_gone;
  for (std::size_t i = 0; i < kCauses; ++i) now.refused[i] = tally_.refused[i];
  return now;
}

Server::Server(Limits limits, Handler otherwise, Cost cost)
    : impl_(std::make_unique<Impl>(limits, std::move(otherwise), cost)) {}
Server::~Server() { impl_->stop(std::chrono::milliseconds(0)); }
void Server::route(std::string_view method, std::string_view path, Handler handler, Cost cost, Share share) {
  impl_->route(method, path, std::move(handler), cost, share);
}
void Server::set_prefix(PathPrefix prefix) { impl_->set_prefix(std::move(prefix)); }
void Server::set_guard(Guard guard) { impl_->set_guard(std::move(guard)); }
void Server::set_transport(MakeTransport make) { impl_->set_transport(std::move(make)); }
std::expected<std::uint16_t, std::string> Server::listen(const std::string& address, std::uint16_t port) {
  return impl_->listen(address, port);
}
void Server::start() { impl_->start(); }
void Server::stop(std::chrono::milliseconds drain) { impl_->stop(drain); }
Counters Server::counters() const { return impl_->counters(); }

}  // namespace winnow::http
