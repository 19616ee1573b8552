// URLs as Kubernetes' CEL library url reads them.
// Upstream: k8s.io/apiserver v0.37.2, pkg/cel/library/urls.go, over Go 1.26's net/url.
#pragma once

#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace winnow::cel {

/// An absolute URL, or an absolute path. Its parts are kept unescaped, as in Go's url.URL.
class UrlValue {
 public:
  /// Takes what both url.ParseRequestURI and url.Parse take. @return the URL, or one line that says what is
  /// wrong.
  static std::expected<UrlValue, std::string> parse(std::string_view text);
  /// Whether url.ParseRequestURI takes the text: isURL. It also takes a fragment that parse() refuses.
  static bool is_url(std::string_view text) { return !why_not(text); }
  /// What url.ParseRequestURI says of a text that it does not take: `parse "word": invalid URI for request`.
  static std::optional<std::string> why_not(std::string_view text);

  /// In lower case; empty for a path.
  const std::string& scheme() const { return scheme_; }
  /// The host with its port, if any.
  const std::string& host() const { return host_; }
  /// The host without port, and without the brackets of an IPv6 address.
  std::string hostname() const;
  /// The digits behind the host; empty without a valid port.
  std::string port() const;
  std::string escaped_path() const;
  /// The parameters by name. What cannot be unescaped, or has a semicolon, is left out. More than 10,000 are
  /// none.
  std::map<std::string, std::vector<std::string>> query() const;

  /// The URL put together again. Two URLs are equal if their texts are.
  std::string text() const;
  bool operator==(const UrlValue& other) const { return text() == other.text(); }

 private:
  friend class UrlParser;

  struct User {
    std::string name;
    std::optional<std::string> password;
  };

  void append_authority(std::string& text) const;

  std::string scheme_;
  std::string opaque_;
  std::optional<User> user_;
  std::string host_;
  std::string path_;
  std::string raw_path_;  ///< As written, where escaping path_ gives something else.
  std::string raw_query_;
  std::string fragment_;
  std::string raw_fragment_;  ///< As written, where escaping fragment_ gives something else.
  bool force_query_ = false;  ///< A "?" with nothing behind it.
  bool omit_host_ = false;    ///< "scheme:/path".
};

}  // namespace winnow::cel
