// One Lease in etcd, and the ways to it, each with faults of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <string>
#include <vector>

#include "cluster/client/transport/transport.h"
#include "tests/cluster/client/watch/sim_clock.h"

namespace winnow::live::test {

/// The Lease, as an API server keeps it.
struct FakeLease {
  bool exists = false;
  int version = 0;
  std::string labels = "{}";  ///< In JSON.
  std::string spec;           ///< The same.
  int created = 0;

  /// Somebody writes, without an election.
  void set(const std::string& spec_json) {
    exists = true;
    spec = spec_json;
    ++version;
  }
  std::string json() const {
    return R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"winnow-nominator",)"
           R"("namespace":"kube-system","resourceVersion":")" +
           std::to_string(version) + R"(","labels":)" + labels + R"(},"spec":)" + spec + "}";
  }
};

/// A process's way to the Lease. The time that a request takes passes on the clock.
class LeaseWay final : public ApiTransport {
 public:
  enum class Fault : std::uint8_t {
    kNone,
    kUnreachable,
    kHangs,
    kRequestLost,
    kAnswerLost,
    kAnswerLate,
    k500,
    k403
  };

  LeaseWay(FakeLease& lease, SimClock& clock) : lease_(lease), clock_(clock) {}

  std::deque<Fault> faults;  ///< Of the next requests; then `always`.
  Fault always = Fault::kNone;
  std::chrono::milliseconds late{5000};  ///< What a late answer takes.
  std::vector<std::string> asked;        ///< "PUT 10.5s"
  std::function<void()> before_update;   ///< What somebody does before each update; null: nothing.

  std::expected<ApiResponse, TransportError> call(const std::string& server, const ApiRequest& request,
                                                  std::chrono::milliseconds limit,
                                                  const std::stop_token& stop) override;
  std::expected<ApiResponse, TransportError> stream(const std::string&, const ApiRequest&,
                                                    std::chrono::milliseconds, std::chrono::milliseconds,
                                                    const OnPiece&, const std::stop_token&) override {
    return std::unexpected(TransportError{TransportError::Kind::kUnreachable, "no watch here"});
  }

 private:
  ApiResponse carry_out(const ApiRequest& request);
  ApiResponse update(const ApiRequest& request);

  FakeLease& lease_;
  SimClock& clock_;
};

}  // namespace winnow::live::test
