// The client's token and certificates, read again as their files change.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "cluster/client/access/client_config.h"
#include "cluster/client/access/tls_context.h"
#include "cluster/clock.h"
#include "cluster/mutex.h"

namespace winnow::live {

/// A reader of credential files that rotate. A file is read again on use, when it is due. If it cannot be
/// read, or the parts do not match, the failure is counted and the previous contents stay. Upstream:
/// client-go's transport/token_source.go, cert_rotation.go and ca_rotation.go v0.37.0. Thread-safe.
class Credentials {
 public:
  /// The age at which a token is read again. The kubelet renews it long before it expires. An old token
  /// should be sent for a minute at most.
  static constexpr auto kTokenAge = std::chrono::seconds(50);
  static constexpr auto kCertificateAge = std::chrono::seconds(60);
  /// The age after a failed reading.
  static constexpr auto kRetryAge = std::chrono::seconds(10);

  /// Reads everything for the first time.
  /// @param clock  must outlive this.
  /// @return the credentials, or one line with the file and the error, without secrets.
  static std::expected<std::unique_ptr<Credentials>, std::string> load(ClientConfig config, Clock& clock);

  /// The value of the Authorization header: "Bearer …", "Basic …", or "" for none.
  std::string authorization();
  /// Notes that a request sent at `begun` was answered 401. A token read before that is read again before its
  /// next use.
  void token_refused(Clock::Time begun);

  /// The context for new connections. It is another object as soon as the certificates have changed.
  std::shared_ptr<const TlsContext> tls();
  /// Notes that a server's certificate or the client's was refused. The files are read again before the next
  /// connection.
  void certificate_refused();

  struct Counts {
    std::uint64_t token_changes = 0;
    std::uint64_t certificate_changes = 0;         ///< Changes of tls(),
    std::uint64_t authority_changes = 0;           ///< of the certificate authority in it,
    std::uint64_t client_certificate_changes = 0;  ///< of the client certificate or its key.
    std::uint64_t failures = 0;                    ///< Failed readings,
    std::uint64_t token_failures = 0;              ///< those of the token among them.
    std::string last_failure;                      ///< One line without secrets; "" for none.
  };
  Counts counts() const;
  /// Sets a callback for failures. It is called at once for current failures, and later for each failure that
  /// differs from the last one of its kind. It must not call back.
  void on_failure(std::function<void(const std::string&)> told);

 private:
  Credentials(ClientConfig config, Clock& clock) : config_(std::move(config)), clock_(clock) {}
  std::expected<std::string, std::string> read_token() const;
  std::expected<TlsMaterial, std::string> read_material() const;
  std::expected<void, std::string> refresh_token(Clock::Time now) WINNOW_REQUIRES(mutex_);
  std::expected<void, std::string> refresh_tls(Clock::Time now) WINNOW_REQUIRES(mutex_);
  void tell(std::string& last, const std::expected<void, std::string>& outcome) WINNOW_REQUIRES(mutex_);
  void count_token(const std::expected<void, std::string>& outcome) WINNOW_REQUIRES(mutex_);
  void count_tls(const std::expected<void, std::string>& outcome) WINNOW_REQUIRES(mutex_);

  const ClientConfig config_;
  Clock& clock_;
  mutable Mutex mutex_;
  std::string token_ WINNOW_GUARDED_BY(mutex_);
  Clock::Time token_read_ WINNOW_GUARDED_BY(mutex_){};  ///< When the token that is sent was read.
  Clock::Time token_due_ WINNOW_GUARDED_BY(mutex_){};   ///< When to read it again.
  TlsMaterial material_ WINNOW_GUARDED_BY(mutex_);
  std::shared_ptr<const TlsContext> tls_ WINNOW_GUARDED_BY(mutex_);
  Clock::Time tls_due_ WINNOW_GUARDED_BY(mutex_){};
  Counts counts_ WINNOW_GUARDED_BY(mutex_);
  std::string token_failure_ WINNOW_GUARDED_BY(mutex_);  ///< As it is now; "" for none.
  std::string tls_failure_ WINNOW_GUARDED_BY(mutex_);    ///< As it is now; "" for none.
  std::function<void(const std::string&)> told_ WINNOW_GUARDED_BY(mutex_);
};

}  // namespace winnow::live
