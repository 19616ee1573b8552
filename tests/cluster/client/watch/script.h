// A reflector with scripted answers, step by step.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/client/servers/api_servers.h"
#include "cluster/client/transport/transport.h"
#include "cluster/client/watch/reflector.h"
#include "tests/cluster/client/watch/sim_clock.h"
#include "tests/cluster/client/watch/sink.h"

namespace winnow::live {

/// The answer to one request.
struct Step {
  std::expected<ApiResponse, TransportError> answer;  ///< For a stream: how it ends.
  std::vector<std::string> pieces;                    ///< The pieces of a stream.
  double lasts = 0;                                   ///< The duration in seconds.
  bool opens = false;
};

// Steps. An object is written "a@5", its name and resource version; "a@5+100" has 100 bytes more.
Step page(std::string_view version, const std::vector<std::string>& objects, std::string_view next = "");
Step stream(std::vector<std::string> pieces, double lasts = 300);
/// Changes the end of a stream.
Step breaks(Step stream, TransportError::Kind kind = TransportError::Kind::kBroken);
Step fails(TransportError::Kind kind);
Step body(int status, std::string text);
Step says(int code, std::string_view reason, std::string_view message = "", std::string_view details = "");
Step with_retry_after(Step step, int seconds);

// Lines of a watch.
std::string added(std::string_view object);
std::string modified(std::string_view object);
std::string deleted(std::string_view object);
std::string bookmark(std::string_view version);
/// The bookmark behind the objects of a streamed list.
std::string list_end(std::string_view version);
std::string error(int code, std::string_view reason, std::string_view message = "");

/// Runs a reflector of pods until the steps are used up.
class Script final : public ApiTransport {
 public:
  explicit Script(std::vector<std::string> servers = {"https://a"}, KindPresence presence = kRequired,
                  bool streams_lists = false);

  void run(std::deque<Step> steps);

  std::expected<ApiResponse, TransportError> call(const std::string& server, const ApiRequest& request,
                                                  std::chrono::milliseconds limit,
                                                  const std::stop_token& stop) override;
  std::expected<ApiResponse, TransportError> stream(const std::string& server, const ApiRequest& request,
                                                    std::chrono::milliseconds limit,
                                                    std::chrono::milliseconds idle, const OnPiece& on_piece,
                                                    const std::stop_token& stop) override;

  struct Asked {
    std::string server;
    std::string what;  ///< "list", "list from 5", "page TOKEN", "probe from 5", "watch from 5", "stream",
                       ///< "stream from 5"
    std::string path;
    Clock::Time at;
  };
  std::vector<Asked> asked;
  /// "list, watch from 5, …"
  std::string story() const;
  /// "a@5 b@6": the sink's objects.
  std::string objects() const;

  SimClock clock;
  CheckedSink sink;
  ApiServers servers;
  Reflector reflector;

 private:
  Step next(const std::string& server, const ApiRequest& request);

  std::deque<Step> steps_;
  std::stop_source stop_;
};

}  // namespace winnow::live
