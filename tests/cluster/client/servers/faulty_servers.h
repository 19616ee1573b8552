// API servers that lose requests and answers, and the clock beside them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <expected>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "cluster/client/transport/transport.h"
#include "cluster/clock.h"
#include "cluster/text/json.h"

namespace winnow::live::test {

/// Time that passes only while somebody waits.
class FakeClock : public Clock {
 public:
  Time now() const override {
    const std::lock_guard lock(mutex_);
    return now_;
  }
  bool sleep(Duration duration, const std::stop_token&) override {
    const std::lock_guard lock(mutex_);
    now_ += duration;
    return true;
  }

 private:
  mutable std::mutex mutex_;
  Time now_{std::chrono::hours(1)};
};

/// Each request meets the next fault, or none. Thread-safe.
class FaultyServers : public ApiTransport {
 public:
  enum class Fault : std::uint8_t {
    kNone,
    kUnreachable,
    kRequestLost,
    kAnswerLost,
    kLate,
    k500,
    k429,
    k429Long,  ///< Retry-After: 60.
    k401,
    k403,
    k422,
    kNoRight,       ///< 403, in the words of missing_right.
    kGarbage,       ///< 200, and the request is lost: the next of `garbage` is the body.
    kGarbledWrite,  ///< The same, but the request is carried out.
    kDown
  };

  explicit FaultyServers(FakeClock& clock) : clock_(clock) {}

  std::deque<Fault> faults;  ///< Of the next requests; then none.
  bool always_down = false;
  std::deque<std::string> garbage;    ///< Then "".
  std::string dead;                   ///< A server that nobody can reach.
  std::vector<std::string> refusing;  ///< Servers that take no credentials of ours.
  std::vector<std::string> starting;  ///< Servers that have not read the roles yet, and so deny every right.
  std::string missing_right;          ///< "create resource \"pods/binding\""
  std::vector<std::string> asked;     ///< "POST https://one"
  std::vector<Clock::Time> asked_at;

  std::expected<ApiResponse, TransportError> call(const std::string& server, const ApiRequest& request,
                                                  std::chrono::milliseconds limit,
                                                  const std::stop_token& stop) override {
    if (stop.stop_requested()) return error(TransportError::Kind::kStopped);
    const std::lock_guard lock(mutex_);
    asked.push_back(request.method + " " + server);
    asked_at.push_back(clock_.now());
    const Fault fault = next_fault(server);
    switch (fault) {
      case Fault::kUnreachable:
        return error(TransportError::Kind::kUnreachable);
      case Fault::kRequestLost:
        return error(TransportError::Kind::kBroken);
      case Fault::kDown:
        clock_.sleep(limit, {});
        return error(TransportError::Kind::kTimeout);
      case Fault::k500:
        return status(500, "etcd is away");
      case Fault::k429:
        return ApiResponse{429, "", std::chrono::seconds(1)};
      case Fault::k429Long:
        return ApiResponse{429, "", std::chrono::seconds(60)};
      case Fault::k401:
        return status(401, "Unauthorized");
      case Fault::k403:
        return status(403, "pods \"web\" is forbidden");
      case Fault::k422:
        return status(422, "Pod \"web\" is invalid");
      case Fault::kNoRight:
        return status(403, "pods \"web\" is forbidden: User \"w\" cannot " +
                               (request.method == "GET" ? R"(get resource "pods")" : missing_right) +
                               " in API group \"\" in the namespace \"default\"");
      case Fault::kGarbage:
        return next_garbage();
      default:
        break;
    }
    ApiResponse answer = carry_out(request);
    if (fault == Fault::kGarbledWrite) return next_garbage();
    if (fault == Fault::kAnswerLost) return error(TransportError::Kind::kBroken);
    if (fault == Fault::kLate) {
      clock_.sleep(limit, {});
      return error(TransportError::Kind::kTimeout);
    }
    return answer;
  }

  std::expected<ApiResponse, TransportError> stream(const std::string&, const ApiRequest&,
                                                    std::chrono::milliseconds, std::chrono::milliseconds,
                                                    const OnPiece&, const std::stop_token&) override {
    return error(TransportError::Kind::kUnreachable);
  }

 protected:
  virtual ApiResponse carry_out(const ApiRequest& request) = 0;

  static ApiResponse status(int code, const std::string& message) {
    std::string body = R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":)";
    append_quoted(body, message);
    return {code, body + R"(,"code":)" + std::to_string(code) + "}", {}};
  }

 private:
  static std::unexpected<TransportError> error(TransportError::Kind kind) {
    return std::unexpected(TransportError{kind, "no luck"});
  }
  ApiResponse next_garbage() {
    ApiResponse answer{200, "", {}};
    if (garbage.empty()) return answer;
    answer.body = garbage.front();
    garbage.pop_front();
    return answer;
  }
  Fault next_fault(const std::string& server) {
    Fault fault = always_down ? Fault::kDown : Fault::kNone;
    if (server == dead) fault = Fault::kUnreachable;
    if (std::ranges::contains(refusing, server)) fault = Fault::k401;
    if (std::ranges::contains(starting, server)) fault = Fault::kNoRight;
    if (!faults.empty()) {
      fault = faults.front();
      faults.pop_front();
    }
    return fault;
  }

  FakeClock& clock_;
  std::mutex mutex_;
};

}  // namespace winnow::live::test
