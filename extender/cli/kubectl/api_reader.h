// Single questions to an API server, as kubectl asks them.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/client/transport/transport.h"
#include "extender/cli/flags/object_name.h"
#include "extender/cli/named_nodes.h"

namespace winnow::live {

struct ClientFlags;

}  // namespace winnow::live

namespace winnow {

/// Why there is no answer that can be used.
struct ApiFailure {
  int status = 0;       ///< Of HTTP; 0: there was no answer.
  bool of_api = false;  ///< The answer is a Status object, as API servers write it.
  std::string message;  ///< One line.
};

/// An API server, with the user's credentials. Used by one thread.
class ApiReader {
 public:
  /// @return the reader, or one line: the file or flag, the field, and what was expected.
  static std::expected<std::unique_ptr<ApiReader>, std::string> make(const live::ClientFlags& flags);
  /// @param pod_namespace  the context's; "": "default".
  ApiReader(std::unique_ptr<live::ApiTransport> transport, std::string server,
            const std::string& pod_namespace)
      : transport_(std::move(transport)),
        server_(std::move(server)),
        namespace_(pod_namespace.empty() ? "default" : pod_namespace) {}

  /// The body of an answer 200 or 201.
  std::expected<std::string, ApiFailure> get(const std::string& path);
  std::expected<std::string, ApiFailure> post(const std::string& path, const std::string& body);
  /// The namespace of the kubeconfig's context.
  const std::string& context_namespace() const { return namespace_; }
  const std::string& server() const { return server_; }

 private:
  std::expected<std::string, ApiFailure> ask(const live::ApiRequest& request);

  std::unique_ptr<live::ApiTransport> transport_;
  const std::string server_, namespace_;
};

/// The names in a list of the API; none in a text that is none.
std::vector<ObjectName> read_names(std::string list);
/// The nodes in a list of the API, by name; or why the text is no such list.
std::expected<std::vector<LabelledNode>, std::string> read_labelled_nodes(std::string list);

/// The failure in one line, with what to do about it.
std::string advice(const ApiFailure& failure, std::string_view server);
/// The same for an answer 200 that is not what was asked for. @param wanted  "a list of pods".
std::string unreadable(std::string_view server, std::string_view wanted, std::string_view why);

}  // namespace winnow
