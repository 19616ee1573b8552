// Versions as Kubernetes' CEL library semver reads and orders them.
// Upstream: k8s.io/apiserver v0.37.2, pkg/cel/library/semverlib.go, and github.com/blang/semver/v4 v4.0.0.
#pragma once

#include <compare>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace winnow::cel {

/// A semantic version. Build metadata does not count when versions are compared.
class SemverValue {
 public:
  /// Reads "1.2.3-rc.1+build.5". @return the version, or one line that says what is wrong.
  static std::expected<SemverValue, std::string> parse(std::string_view text);
  /// As parse(), but takes a leading "v", leading zeros, and a version without its patch or minor number.
  static std::expected<SemverValue, std::string> parse_normalized(std::string_view text);

  std::uint64_t major() const { return major_; }
  std::uint64_t minor() const { return minor_; }
  std::uint64_t patch() const { return patch_; }

  /// The canonical text, with prerelease and build metadata.
  std::string text() const;

  /// By the order of semver 2.0: a prerelease comes before its release, numbers come before words.
  std::strong_ordering operator<=>(const SemverValue& other) const;
  bool operator==(const SemverValue& other) const { return (*this <=> other) == 0; }

 private:
  /// One dotted part of a prerelease: a number, or a word.
  struct Part {
    bool is_number = false;
    std::uint64_t number = 0;
    std::string word;

    std::strong_ordering operator<=>(const Part& other) const;
    bool operator==(const Part&) const = default;
  };

  std::expected<void, std::string> read_prerelease(std::string_view text);
  std::expected<void, std::string> read_build(std::string_view text);

  std::uint64_t major_ = 0;
  std::uint64_t minor_ = 0;
  std::uint64_t patch_ = 0;
  std::vector<Part> prerelease_;
  std::vector<std::string> build_;
};

}  // namespace winnow::cel
