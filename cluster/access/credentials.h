// The client's token and certificates, as fresh as their files.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "cluster/access/client_config.h"
#include "cluster/access/tls_context.h"
#include "cluster/clock.h"
#include "cluster/mutex.h"

namespace winnow::live {

/// Reads files again as they rotate, when somebody asks and it is time. What cannot be read, or does not fit
/// together, is counted, and what was there before stays. Upstream: client-go's transport/token_source.go,
/// cert_rotation.go and ca_rotation.go v0.37.0. Thread-safe.
class Credentials {
 public:
  /// A token is read again after 50 s: kubelet renews it long before it expires, and a minute is to be the
  /// most that an old one is sent for.
  static constexpr auto kTokenAge = std::chrono::seconds(50);
  static constexpr auto kCertificateAge = std::chrono::seconds(60);
  /// And sooner while the last reading failed.
  static constexpr auto kRetryAge = std::chrono::seconds(10);

  /// Reads everything for the first time. The clock outlives this.
  /// @return or one line: the file and what is wrong, nothing secret.
  static std::expected<std::unique_ptr<Credentials>, std::string> load(ClientConfig config, Clock& clock);

  /// The Authorization header's value: "Bearer …", "Basic …" or "" for none.
  std::string authorization();
  /// A request begun at that time was answered 401: an older token is read again before it is sent again.
  void token_refused(Clock::Time begun);

  /// For new connections; another one (by its address) as soon as the certificates changed.
  std::shared_ptr<const TlsContext> tls();
  /// A server's certificate, or ours, was refused: the files are read again before the next connection.
  void certificate_refused();

  struct Counts {
    std::uint64_t token_changes = 0;
    std::uint64_t certificate_changes = 0;         ///< Of what tls() returns,
    std::uint64_t authority_changes = 0;           ///< because of the certificate authority,
    std::uint64_t client_certificate_changes = 0;  ///< the client certificate or its key.
    std::uint64_t failures = 0;                    ///< Of reading again;
    std::uint64_t token_failures = 0;              ///< of those, the token's.
    std::string last_failure;                      ///< One line, nothing secret; "" for none.
  };
  Counts counts() const;
  /// Is told each failure that is another one than the last of its file, from now on and the last one at
  /// once. Must not call back.
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
