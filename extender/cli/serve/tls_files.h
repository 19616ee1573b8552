// TLS on the port for calls: the certificates of the flags, and what clients must show.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <utility>

#include "cluster/mutex.h"
#include "extender/cli/flags/groups/tls_flags.h"
#include "extender/http/message.h"
#include "extender/http/transport/tls_context.h"

namespace winnow {

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

}  // namespace winnow
