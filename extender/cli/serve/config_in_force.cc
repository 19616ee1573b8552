#include "extender/cli/serve/config_in_force.h"

#include <fcntl.h>
#include <openssl/sha.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <format>

#include "cluster/text/source.h"
#include "extender/log/log.h"

namespace winnow {
namespace {

std::string fingerprint_of(std::string_view text) {
  constexpr std::size_t kShown = 6;
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  std::string hex;
  for (std::size_t i = 0; i < kShown; ++i) hex += std::format("{:02x}", digest[i]);
  return hex;
}

std::string in_words(std::chrono::system_clock::time_point time) {
  return std::format("{:%FT%TZ}", std::chrono::floor<std::chrono::seconds>(time));
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(file) == 0;
}

/// Replaces the file in one step, so that a reader finds the old text or the new one, whole. Only the owner
/// may read it, because a configuration may hold the key of an extender's certificate.
/// @return the error; "": none.
std::string replace_file(const std::string& path, std::string_view text) {
  const std::string fresh = path + ".new";
  const int file = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return std::strerror(errno);
  const bool written = write_all(file, text);
  const int error = errno;
  ::close(file);
  if (written && std::rename(fresh.c_str(), path.c_str()) == 0) return {};
  const std::string why = std::strerror(written ? errno : error);
  ::unlink(fresh.c_str());
  return why;
}

}  // namespace

void ConfigInForce::taken(const LoadedRules& rules) {
  since_ = now_();
  fingerprint_ = rules.text.empty() ? "default provider" : fingerprint_of(rules.text);
  if (copy_.empty() || rules.text.empty()) return;
  if (const std::string why = replace_file(copy_, rules.text); !why.empty())
    log_warn("no copy of the configuration was kept", {{"file", copy_}, {"error", why}});
}

std::string ConfigInForce::since() const { return in_words(since_); }

std::string last_good_line(const std::string& copy) {
  struct stat about{};
  if (copy.empty() || ::stat(copy.c_str(), &about) != 0 || about.st_size == 0) return {};
  const auto text = read_source(copy, kMaxConfigBytes);
  if (!text) return {};
  return std::format("the last good configuration is {} (taken {}, sha256 {}): --config={} serves by it",
                     copy, in_words(std::chrono::system_clock::from_time_t(about.st_mtime)),
                     fingerprint_of(*text), copy);
}

}  // namespace winnow
