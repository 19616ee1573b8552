// What the port for calls asks of its clients (TLS, certificates, tokens), and the listener for metrics.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <utility>

#include "cluster/mutex.h"
#include "extender/cli/flags/serve_flags.h"
#include "extender/service/http/message.h"
#include "extender/service/http/server.h"
#include "extender/service/http/transport.h"

namespace winnow {

class Extender;
class TokenAccess;

/// Refuses requests by what their clients have shown: 401 without a certificate, unless the path is
/// anonymous; 403 with a certificate of none of the allowed names.
http::Guard client_guard(const TlsFlags& flags);

/// The certificate, the key and the client authority, as their files have them.
class TlsFiles {
 public:
  /// @param flags with a certificate and a key.
  /// @return the files' context, or an error of one line that names the file or the flag.
  static std::expected<std::unique_ptr<TlsFiles>, std::string> open(const TlsFlags& flags);

  /// The context for new connections. Any thread.
  std::shared_ptr<const http::TlsContext> current() const;

  /// Reads the files again. What has changed is taken, or refused with one line in the log: then the old is
  /// kept. One thread.
  void look();

 private:
  using Context = std::expected<std::shared_ptr<const http::TlsContext>, std::string>;
  explicit TlsFiles(TlsFlags flags) : flags_(std::move(flags)) {}
  std::expected<http::TlsMaterial, std::string> read() const;
  Context make(const http::TlsMaterial& material) const;
  void refuse(const std::string& error);

  const TlsFlags flags_;
  http::TlsMaterial seen_;  ///< As of the last look, good or not.
  std::string refused_;     ///< The last error that was logged; "": all is well.
  mutable Mutex mutex_;
  std::shared_ptr<const http::TlsContext> current_ WINNOW_GUARDED_BY(mutex_);
};

// What the port for calls asks of its clients: TLS, certificates, tokens.

/// Has the server speak TLS, and ask for certificates and tokens, as the flags say.
/// @param tls, tokens  null: not so. They outlive the server.
void set_door(http::Server& server, const TlsFlags& flags, const TlsFiles* tls, TokenAccess* tokens);

// The listener of --metrics-bind-address, for health and metrics.

/// Whether only this machine reaches the listener. False where the flag turns it off or is wrong.
bool is_loopback_listener(const std::string& where);

/// Opens the listener. It has its own threads, so that no probe waits for a call and no call for a scrape.
/// The caller calls start() and stop().
/// @param where  as for parse_listen_address().
/// @param service  must outlive the listener.
/// @return the listener; null if the flag turns it off; or an error of one line, with the flag.
std::expected<std::unique_ptr<http::Server>, std::string> open_health_listener(const std::string& where,
                                                                               Extender& service);

}  // namespace winnow
