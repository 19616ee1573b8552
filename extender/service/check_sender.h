// The check of who sends a call that changes something.
//
// A web page can make its visitor's browser send a POST to a service on the visitor's machine. The browser
// sends an Origin then. Without asking first, it can send only a few content types, and JSON is none of them.
// A page can also point its own name at the machine's address; the Host is that name then.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace winnow {

/// The header fields that tell of the sender; "": absent.
struct Sender {
  std::string_view content_type, origin, host;
  std::string_view fetch_site = {};  ///< Sec-Fetch-Site, in which a browser says where its page is from.
};

struct SenderRefused {
  int status;
  std::string line;  ///< What is wrong, and what was expected.
};

/// @param loopback  whether the listener is reached from this machine only.
/// @return why the call is refused; nothing if it may be answered.
std::optional<SenderRefused> check_sender(const Sender& sender, bool loopback);

/// The same for a call that only reads: a page of another site must not have it worked on. What a browser
/// sends without asking first is refused; for all else it asks, and is told no.
std::optional<SenderRefused> check_reader(const Sender& sender);

/// The part of check_sender() that is about the name by which the listener was reached: what a page of
/// another name must not read, though its address is this machine's.
std::optional<SenderRefused> check_host(std::string_view host, bool loopback);

}  // namespace winnow
