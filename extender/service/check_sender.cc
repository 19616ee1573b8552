#include "extender/service/check_sender.h"

#include <algorithm>

#include "cluster/access/server_url.h"
#include "cluster/text/ascii.h"
#include "cluster/text/go_quote.h"

namespace winnow {
namespace {

std::string shown(std::string_view text) {
  constexpr std::size_t kShownOfField = 64;
  return go_quote(text, kShownOfField);
}

/// The media type without its parameters.
std::string_view media_type(std::string_view content_type) {
  return trim(content_type.substr(0, content_type.find(';')));
}

/// The content types that a page's form or script may have without the browser asking first.
bool is_sent_unasked(std::string_view content_type) {
  constexpr std::string_view kUnasked[] = {"", "text/plain", "application/x-www-form-urlencoded",
                                           "multipart/form-data"};
  return std::ranges::any_of(kUnasked, [type = media_type(content_type)](std::string_view unasked) {
    return equal_but_for_case(type, unasked);
  });
}

/// Whether a browser says that its page is not this listener's own.
bool is_of_another_site(const Sender& sender) {
  if (!sender.fetch_site.empty())
    return !equal_but_for_case(sender.fetch_site, "same-origin") &&
           !equal_but_for_case(sender.fetch_site, "none");
  if (sender.origin.empty()) return false;
  const std::size_t scheme = sender.origin.find("://");
  return scheme == std::string_view::npos || sender.host.empty() ||
         !equal_but_for_case(sender.origin.substr(scheme + 3), sender.host);
}

/// The host without its port.
std::string host_name(std::string_view host) {
  if (host.starts_with('[')) return std::string(host.substr(1, host.find(']') - 1));
  return std::string(host.substr(0, host.find(':')));
}

}  // namespace

std::optional<SenderRefused> check_sender(const Sender& sender, bool loopback) {
  if (!sender.origin.empty())
    return SenderRefused{403,
                         "Origin: " + shown(sender.origin) + ": web pages may not call this; expected none"};
  if (!equal_but_for_case(media_type(sender.content_type), "application/json"))
    return SenderRefused{415, "Content-Type: " + shown(sender.content_type) + "; expected application/json"};
  return check_host(sender.host, loopback);
}

std::optional<SenderRefused> check_reader(const Sender& sender) {
  if (!is_of_another_site(sender) || !is_sent_unasked(sender.content_type)) return std::nullopt;
  const std::string whose = sender.origin.empty() ? "Sec-Fetch-Site: " + shown(sender.fetch_site)
                                                  : "Origin: " + shown(sender.origin);
  return SenderRefused{403, whose + ": pages of other sites may not call this; Content-Type: " +
                                shown(sender.content_type) + ", expected application/json"};
}

std::optional<SenderRefused> check_host(std::string_view host, bool loopback) {
  if (!loopback || live::is_loopback(host_name(host))) return std::nullopt;
  return SenderRefused{403, "Host: " + shown(host) +
                                ": this is a loopback listener; expected localhost or a loopback address"};
}

}  // namespace winnow
