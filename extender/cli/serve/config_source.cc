#include "extender/cli/serve/config_source.h"

#include <fcntl.h>
#include <openssl/sha.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <format>

#include "cluster/files/cluster_file.h"
#include "cluster/text/source.h"
#include "extender/cli/flags/flags.h"
#include "extender/config/rules.h"
#include "extender/service/config_switch.h"
#include "extender/service/log/log.h"
#include "extender/service/metrics/live_metrics.h"

namespace winnow {
namespace {

constexpr const char* kWayOut =
    "--answer=best: kube-scheduler-best.yaml leaves these checks to Winnow; give --config a "
    "KubeSchedulerConfiguration, or keep those plugins on in kube-scheduler and say --allow-missing-rules";

constexpr const char* kNoUsage =
    "rules read node.usage, and nobody measures it, so that has(node.usage) is false: give "
    "--node-metrics=metrics-server";
constexpr const char* kNoMetrics =
    "rules read node.metrics, and nobody measures them, so that they are empty: give "
    "--node-metrics=prometheus=URL";

}  // namespace

std::string ConfigSource::text() const {
  if (names_rules(common_.config) || common_.config == "-") return {};
  return read().value_or("");
}

std::expected<LoadedRules, ConfigSource::Errors> ConfigSource::load(const ReadText& text) const {
  auto rules = rules_of(common_, text);
  if (!rules) return std::unexpected(Errors{std::move(rules).error()});
  if (common_.cluster.empty()) {
    const Measurements read = measurements_read(rules->sets);
    if (read.usage && !flags_.node_metrics.asks_metrics_server()) rules->warnings.emplace_back(kNoUsage);
    if (read.metrics && flags_.node_metrics.prometheus().empty()) rules->warnings.emplace_back(kNoMetrics);
  }
  if (flags_.answer != AnswerMode::kBest) return std::move(*rules);
  const std::string& from = rules->sets.front().source;
  Errors missing;
  for (const MissingRule& one : missing_for_best(*rules)) missing.push_back(from + ": " + one.text());
  if (missing.empty()) return std::move(*rules);
  if (!flags_.allow_missing_rules) {
    missing.emplace_back(kWayOut);
    return std::unexpected(std::move(missing));
  }
  for (std::string& line : missing) rules->warnings.push_back(std::move(line));
  return std::move(*rules);
}

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
  fingerprint_ = rules.named ? rules.sets.front().source : fingerprint_of(rules.text);
  if (copy_.empty() || rules.named) return;
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

void TakenConfig::serve_by(Extender& service) {
  service_ = &service;
  if (recorder_) recorder_->on_serving(service.active());
}

void TakenConfig::on_rules(const LoadedRules& rules) {
  in_force_.taken(rules);
  if (recorder_) recorder_->on_rules(rules);
}

void TakenConfig::on_active(ActiveConfig active) {
  if (!service_) return;
  if (recorder_) recorder_->on_serving(active);
  service_->replace(std::move(active));
}

Reloader::Reloader(const ConfigSource& source, ConfigSwitch& config_switch, const ConfigInForce& in_force,
                   LiveMetrics& metrics, std::string text)
    : source_(source),
      config_switch_(config_switch),
      in_force_(in_force),
      metrics_(metrics),
      text_(std::move(text)) {}

void Reloader::look() {
  std::string text = source_.text();
  if (text.empty() || text == text_) return;
  text_ = std::move(text);
  load(text_);
}

void Reloader::reload() {
  const ReadText text = source_.read();
  text_ = text.value_or("");
  load(text);
}

void Reloader::load(const ReadText& text) {
  auto rules = source_.load(text);
  if (rules)
    take(std::move(*rules));
  else
    refuse(rules.error());
}

void Reloader::take(LoadedRules rules) {
  log_notes(rules);
  log_rules(rules);
  const auto loaded = config_switch_.load(std::move(rules));
  if (!loaded) return refuse({loaded.error()});
  if (*loaded == ConfigSwitch::Loaded::kTaken) {
    metrics_.on_reload(true);
    log_info("configuration taken; pods that wait are tried again when something changes in the cluster",
             {{"file", source_.file()}, {"sha256", in_force_.fingerprint()}});
  } else {
    log_info("configuration read; the old one stays in force until the objects it needs are listed",
             {{"file", source_.file()}});
  }
}

void Reloader::refuse(const ConfigSource::Errors& errors) {
  metrics_.on_reload(false);
  for (std::size_t i = 0; i + 1 < errors.size(); ++i) log_error("configuration", {{"error", errors[i]}});
  log_error("configuration refused: the old one stays in force",
            {{"error", errors.back()}, {"since", in_force_.since()}, {"sha256", in_force_.fingerprint()}});
}

}  // namespace winnow
