// Questions to a Winnow that runs.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <utility>

#include "cluster/client/transport/https_transport.h"

namespace winnow {

struct ServerFlags;

/// A Winnow at --server. Over http:// no credentials are sent.
class WinnowServer {
 public:
  /// @return the server, which is not connected yet; or one line: a file of the flags cannot be used.
  static std::expected<WinnowServer, std::string> make(const ServerFlags& flags);

  /// Waits for some seconds at most.
  /// @return the answer, whatever its status is; or why there is none, in one line without secrets.
  std::expected<live::ApiResponse, std::string> get(const std::string& path);

  /// Gets a path that is to be answered with 200.
  /// @return the body; or one line that names the URL and what it is answered with.
  std::expected<std::string, std::string> get_good(const std::string& path);
  /// The same for a JSON text that is posted.
  std::expected<std::string, std::string> post_good(const std::string& path, const std::string& body);

 private:
  std::expected<std::string, std::string> good(const live::ApiRequest& request);

  WinnowServer(std::string url, std::unique_ptr<live::HttpsTransport> transport)
      : url_(std::move(url)), transport_(std::move(transport)) {}

  std::string url_;
  std::unique_ptr<live::HttpsTransport> transport_;
};

/// The error in --server, or in the flags that go with it, in one line; "": none.
std::string wrong_server(const ServerFlags& flags);

}  // namespace winnow
