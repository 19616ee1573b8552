#include "cluster/client/watch/leader_election.h"

#include <algorithm>
#include <exception>
#include <format>
#include <random>
#include <utility>

#include "cluster/client/servers/api_servers.h"
#include "cluster/client/servers/api_status.h"
#include "cluster/client/transport/transport.h"
#include "cluster/text/encoding.h"

namespace winnow::live {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kLeaseClient = "lease";  // Of the balancer.
/// The most requests that giving back takes, where renewals of our own still arrive.
constexpr int kReleaseTries = 5;

std::string leases_path(const std::string& ns) {
  return "/apis/coordination.k8s.io/v1/namespaces/" + percent_encoded(ns) + "/leases";
}

}  // namespace

Elector::Elector(ApiServers& servers, ApiTransport& transport, Clock& clock, LeaderElectionOptions options,
                 LeaderElectionObserver& observer, std::uint64_t seed, Wall wall)
    : servers_(servers),
      transport_(transport),
      clock_(clock),
      options_(std::move(options)),
      observer_(observer),
      wall_(std::move(wall)),
      path_(leases_path(options_.resource_namespace)),
      // So that one request that hangs does not lose the leadership. As NewFromKubeconfig of client-go's
      // resourcelock/interface.go v0.37.0 has it.
      limit_(std::max<milliseconds>(seconds(1), options_.renew_deadline / 2)),
      random_(seed) {}

Clock::Duration Elector::step(const std::stop_token& stop) {
  note_lapse();
  take_or_renew(stop);
  note_lapse();
  report_holder();
  if (!leading_) return wait_of_candidate();
  const Clock::Duration left = leads_until() - clock_.now();
  return std::clamp<Clock::Duration>(left, Clock::Duration::zero(), options_.retry_period);
}

// Upstream: tryAcquireOrRenew.
void Elector::take_or_renew(const std::stop_token& stop) {
  const Clock::Time now = clock_.now();
  if (is_ours() && is_valid(now) && renew_at_once(stop)) return;
  const LeaseRecord record = record_of_now();
  const auto lease = get(limit_, stop);
  if (!lease) {
    if (lease.error().status == 404)
      write(&Elector::create, record, stop);
    else
      failed(lease.error(), stop);
    return;
  }
  metadata_ = lease->metadata;
  see(lease->record);
  const std::string& holder = lease->record.holder;
  if (!is_ours())
    lose(holder.empty() ? "the Lease has no holder any more" : "the Lease is held by " + holder);
  if (is_ours() || holder.empty() || !is_valid(now)) take(record, stop);
}

/// The leader's usual way: it expects that nobody has written since. Any failure is looked into.
bool Elector::renew_at_once(const std::stop_token& stop) {
  LeaseRecord record = record_of_now();
  record.acquire_time = seen_->acquire_time;
  record.transitions = seen_->transitions;
  const Clock::Time sent = clock_.now();
  if (!update(record, stop)) return false;
  lead(sent);
  return true;
}

/// Writes to the Lease that was just read.
void Elector::take(LeaseRecord record, const std::stop_token& stop) {
  if (is_ours()) record.acquire_time = seen_->acquire_time;
  record.transitions = seen_->transitions + (is_ours() ? 0 : 1);
  write(&Elector::update, record, stop);
}

void Elector::write(Write how, const LeaseRecord& record, const std::stop_token& stop) {
  const Clock::Time sent = clock_.now();
  if (const Written written = (this->*how)(record, stop); written)
    lead(sent);
  else
    failed(written.error(), stop);
}

LeaseRecord Elector::record_of_now() const {
  const std::string now = micro_time(wall_());
  return {.holder = options_.identity,
          .duration_seconds = std::chrono::floor<seconds>(options_.lease_duration).count(),
          .acquire_time = now,
          .renew_time = now};
}

std::expected<Lease, Elector::Failed> Elector::ask(const ApiRequest& request, milliseconds limit,
                                                   const std::stop_token& stop) {
  const std::string server = servers_.choose(kLeaseClient);
  const auto answer = transport_.call(server, request, limit, stop);
  if (!answer || answer->status >= 500 || answer->status == 429 || answer->status == 401)
    servers_.choose_another(kLeaseClient, server);
  const std::string what = std::format("Lease {}/{}: ", options_.resource_namespace, options_.resource_name);
  if (!answer) return std::unexpected(Failed{0, what + server + ": " + answer.error().message});
  if (answer->status / 100 != 2) {
    const std::string message = failure_of(*answer).message;
    const bool denied = answer->status == 401 || answer->status == 403;
    return std::unexpected(Failed{
        answer->status, what + (denied ? denial(answer->status, "leader election", message) : message)});
  }
  auto lease = read_lease(answer->body);
  if (!lease) return std::unexpected(Failed{0, what + server + ": " + lease.error()});
  return std::move(*lease);
}

std::expected<Lease, Elector::Failed> Elector::get(milliseconds limit, const std::stop_token& stop) {
  return ask({"GET", path_ + "/" + percent_encoded(options_.resource_name), ""}, limit, stop);
}

Elector::Written Elector::create(const LeaseRecord& record, const std::stop_token& stop) {
  const std::string metadata = lease_metadata(options_.resource_namespace, options_.resource_name);
  return written_as(record, ask({"POST", path_, lease_json({record, metadata})}, limit_, stop));
}

Elector::Written Elector::update(const LeaseRecord& record, const std::stop_token& stop) {
  return update_within(limit_, record, stop);
}

Elector::Written Elector::update_within(milliseconds limit, const LeaseRecord& record,
                                        const std::stop_token& stop) {
  const std::string path = path_ + "/" + percent_encoded(options_.resource_name);
  return written_as(record, ask({"PUT", path, lease_json({record, metadata_})}, limit, stop));
}

Elector::Written Elector::written_as(const LeaseRecord& record, std::expected<Lease, Failed> answer) {
  if (!answer) return std::unexpected(std::move(answer).error());
  metadata_ = std::move(answer->metadata);
  see(record);
  seen_at_ = clock_.now();
  return {};
}

void Elector::failed(const Failed& failure, const std::stop_token& stop) {
  if (!stop.stop_requested()) observer_.on_failure(failure.error);
}

void Elector::see(const LeaseRecord& record) {
  if (seen_ == record) return;
  seen_ = record;
  seen_at_ = clock_.now();
  const MutexLock lock(mutex_);
  holder_ = record.holder;
}

/// Whether the holder, whoever it is, may still lead.
bool Elector::is_valid(Clock::Time now) const {
  constexpr std::int64_t kLongest = 1'000'000'000;  // Longer ones would overflow the clock's numbers.
  return seen_at_ + seconds(std::clamp<std::int64_t>(seen_->duration_seconds, 0, kLongest)) > now;
}

/// @param sent  when the request was sent that has taken or renewed the Lease.
void Elector::lead(Clock::Time sent) {
  note_lapse();
  std::uint64_t term = 0;
  {
    const MutexLock lock(mutex_);
    if (abdicated_ || sent + options_.renew_deadline <= clock_.now()) return;
    until_ = sent + options_.renew_deadline;
    if (leading_) return;
    term = ++terms_;
  }
  leading_ = true;
  observer_.on_started_leading(term);
}

void Elector::lose(const std::string& why) {
  {
    const MutexLock lock(mutex_);
    until_ = kNever;
  }
  if (std::exchange(leading_, false)) observer_.on_stopped_leading(LeadEnd::kLost, why);
}

/// A leadership that time has ended is over, though the next renewal may succeed.
void Elector::note_lapse() {
  if (leading_ && leads_until() <= clock_.now())
    lose(std::format("the Lease was not renewed for {}ms", options_.renew_deadline.count()));
}

void Elector::report_holder() {
  if (!seen_ || seen_->holder == reported_holder_) return;
  reported_holder_ = seen_->holder;
  observer_.on_new_leader(reported_holder_);
}

/// Upstream: wait.JitterUntil: so that candidates do not all come at once.
Clock::Duration Elector::wait_of_candidate() {
  const double extra = std::uniform_real_distribution<double>(0, kElectionJitter)(random_);
  return std::chrono::duration_cast<Clock::Duration>(options_.retry_period * (1 + extra));
}

// Upstream: release.
void Elector::release() {
  abdicate();
  if (std::exchange(leading_, false))
    observer_.on_stopped_leading(LeadEnd::kGivenBack, "it gives the Lease back");
  if (!is_ours()) return;
  const Clock::Time deadline = clock_.now() + options_.renew_deadline;
  const auto limit = [&] {
    return std::min(limit_, std::chrono::duration_cast<milliseconds>(deadline - clock_.now()));
  };
  for (int tries = 0; tries < kReleaseTries && limit() > milliseconds(0); ++tries) {
    const auto lease = get(limit(), {});
    if (!lease) return failed(lease.error(), {});
    metadata_ = lease->metadata;
    see(lease->record);
    if (!is_ours()) return;
    LeaseRecord free = record_of_now();
    free.holder.clear();
    free.duration_seconds = 1;
    free.transitions = lease->record.transitions;
    const Written written = update_within(limit(), free, {});
    if (written) return report_holder();
    if (written.error().status != 409) return failed(written.error(), {});
  }
}

void Elector::abdicate() {
  const MutexLock lock(mutex_);
  abdicated_ = true;
  until_ = kNever;
}

std::uint64_t Elector::term() const {
  const MutexLock lock(mutex_);
  return clock_.now() < until_ ? terms_ : 0;
}

Clock::Time Elector::leads_until() const {
  const MutexLock lock(mutex_);
  return until_;
}

std::string Elector::holder() const {
  const MutexLock lock(mutex_);
  return holder_;
}

namespace {

/// The wait after a step that has thrown. The shortest retry period of use is not shorter.
constexpr std::chrono::seconds kAfterFailure{1};

}  // namespace

LeaderElection::LeaderElection(ApiServers& servers, ApiTransport& transport, Clock& clock,
                               LeaderElectionOptions options, LeaderElectionObserver& observer)
    : clock_(clock),
      elector_(servers, transport, clock, std::move(options), observer, std::random_device{}()) {}

void LeaderElection::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) clock_.sleep(step(stop), stop);
    try {
      elector_.release();
    } catch (const std::exception&) {  // Out of memory: the Lease ends by itself.
    }
  });
}

Clock::Duration LeaderElection::step(const std::stop_token& stop) {
  try {
    return elector_.step(stop);
  } catch (const std::exception&) {  // Out of memory. A lead that cannot be renewed ends by its deadline.
    return kAfterFailure;
  }
}

void LeaderElection::stop() {
  elector_.abdicate();
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

}  // namespace winnow::live
