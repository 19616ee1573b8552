// Each reading sets the time of the next one (token_due_, tls_due_). A refusal by a server moves that time to
// now, and the next use reads the file. No thread of its own is needed.
#include "cluster/client/access/credentials.h"

#include <algorithm>
#include <format>
#include <utility>

#include "cluster/text/characters.h"
#include "cluster/text/encoding.h"
#include "cluster/text/source.h"

namespace winnow::live {
namespace {

using Text = std::expected<std::string, std::string>;

constexpr std::size_t kMostFileBytes = std::size_t{1} << 20;

Text read_file(const std::string& file) {
  auto text = read_source(file, kMostFileBytes);
  if (!text) return std::unexpected(std::format("{}: {}", file, text.error()));
  if (trim(*text).empty()) return std::unexpected(std::format("{}: the file is empty", file));
  return text;
}

Text read_part(const FileOrData& part) {
  if (!part.data.empty() || part.file.empty()) return part.data;
  return read_file(part.file);
}

/// Whether a header can carry the token. Other characters could forge a header.
bool is_token(const std::string& text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c > ' ' && c != 0x7f; });
}

}  // namespace

std::expected<std::unique_ptr<Credentials>, std::string> Credentials::load(ClientConfig config,
                                                                           Clock& clock) {
  std::unique_ptr<Credentials> made(new Credentials(std::move(config), clock));
  const Clock::Time now = clock.now();
  const MutexLock lock(made->mutex_);
  made->token_ = trim(made->config_.token);
  if (!is_token(made->token_)) return std::unexpected("the token holds white space or control characters");
  const auto token = made->refresh_token(now);
  if (!token && made->token_.empty()) return std::unexpected(token.error());
  if (const auto tls = made->refresh_tls(now); !tls) return std::unexpected(tls.error());
  made->counts_ = {};
  made->count_token(token);
  return made;
}

Text Credentials::read_token() const {
  auto text = read_file(config_.token_file);
  if (!text) return text;
  std::string token(trim(*text));
  if (!is_token(token))
    return std::unexpected(
        std::format("{}: white space or control characters in the token", config_.token_file));
  return token;
}

std::expected<void, std::string> Credentials::refresh_token(Clock::Time now) {
  token_due_ = Clock::Time::max();
  if (config_.token_file.empty()) return {};
  auto token = read_token();
  token_due_ = now + (token ? Clock::Duration(kTokenAge) : Clock::Duration(kRetryAge));
  if (!token) return std::unexpected(token.error());
  if (token_ != *token) ++counts_.token_changes;
  token_ = std::move(*token);
  token_read_ = now;
  return {};
}

std::expected<TlsMaterial, std::string> Credentials::read_material() const {
  TlsMaterial material;
  material.verify = !config_.insecure_skip_tls_verify;
  const std::pair<const FileOrData&, std::string&> parts[] = {
      {config_.certificate_authority, material.authority},
      {config_.client_certificate, material.certificate},
      {config_.client_key, material.key}};
  for (const auto& [from, to] : parts) {
    auto text = read_part(from);
    if (!text) return std::unexpected(text.error());
    to = std::move(*text);
  }
  return material;
}

std::expected<void, std::string> Credentials::refresh_tls(Clock::Time now) {
  tls_due_ = now + kRetryAge;
  auto material = read_material();
  if (!material) return std::unexpected(material.error());
  if (tls_ == nullptr || *material != material_) {
    auto made = TlsContext::make(*material);
    if (!made) return std::unexpected(made.error());
    if (material->authority != material_.authority) ++counts_.authority_changes;
    if (material->certificate != material_.certificate || material->key != material_.key)
      ++counts_.client_certificate_changes;
    material_ = std::move(*material);
    tls_ = std::move(*made);
    ++counts_.certificate_changes;
  }
  tls_due_ = now + kCertificateAge;
  return {};
}

void Credentials::tell(std::string& last, const std::expected<void, std::string>& outcome) {
  const std::string now = outcome ? "" : outcome.error();
  if (std::exchange(last, now) != now && !now.empty() && told_) told_(now);
  if (outcome) return;
  ++counts_.failures;
  counts_.last_failure = now;
}

void Credentials::count_token(const std::expected<void, std::string>& outcome) {
  tell(token_failure_, outcome);
  if (!outcome) ++counts_.token_failures;
}

void Credentials::count_tls(const std::expected<void, std::string>& outcome) { tell(tls_failure_, outcome); }

void Credentials::on_failure(std::function<void(const std::string&)> told) {
  const MutexLock lock(mutex_);
  told_ = std::move(told);
  for (const std::string& failure : {token_failure_, tls_failure_})
    if (told_ && !failure.empty()) told_(failure);
}

std::string Credentials::authorization() {
  const MutexLock lock(mutex_);
  if (const Clock::Time now = clock_.now(); now >= token_due_) count_token(refresh_token(now));
  if (!token_.empty()) return "Bearer " + token_;
  if (config_.username.empty() && config_.password.empty()) return "";
  return "Basic " + to_base64(config_.username + ":" + config_.password);
}

void Credentials::token_refused(Clock::Time begun) {
  const MutexLock lock(mutex_);
  // Compare with the last successful reading, so that a burst of refusals reads the file once.
  if (!config_.token_file.empty() && token_read_ < begun) token_due_ = Clock::Time::min();
}

std::shared_ptr<const TlsContext> Credentials::tls() {
  const MutexLock lock(mutex_);
  if (const Clock::Time now = clock_.now(); now >= tls_due_) count_tls(refresh_tls(now));
  return tls_;
}

void Credentials::certificate_refused() {
  const MutexLock lock(mutex_);
  tls_due_ = Clock::Time::min();
}

Credentials::Counts Credentials::counts() const {
  const MutexLock lock(mutex_);
  return counts_;
}

}  // namespace winnow::live
