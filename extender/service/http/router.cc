#include "extender/service/http/router.h"

#include <httplib.h>

#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "cluster/memory_budget.h"
#include "extender/service/http/framing.h"
#include "extender/service/http/message.h"
#include "extender/service/http/request_id.h"

namespace winnow::http {
namespace {

/// The bytes of one request. It never blocks. It knows whether the library has read all of them and no more.
class RequestBytes final : public httplib::Stream {
 public:
  explicit RequestBytes(Exchange& exchange)
      : exchange_(exchange), rest_(exchange.head), body_(exchange.body) {}

  ssize_t read(char* into, std::size_t size) override {
    if (rest_.empty()) rest_ = std::exchange(body_, {});
    const std::size_t bytes = std::min(size, rest_.size());
    if (bytes == 0) overrun_ = true;
    std::copy_n(rest_.data(), bytes, into);
    rest_.remove_prefix(bytes);
    return static_cast<ssize_t>(bytes);
  }
  /// The library writes once, the whole answer. It does not come that far if the two disagree.
  ssize_t write(const char* bytes, std::size_t size) override {
    if (!agrees() || later_) return -1;
    written_ = true;
    gone_ = gone_ || !exchange_.requester.send({bytes, size});
    return gone_ ? -1 : static_cast<ssize_t>(size);
  }
  bool is_readable() const override { return true; }
  bool wait_readable() const override { return true; }
  bool wait_writable() const override { return true; }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return INVALID_SOCKET; }
  time_t duration() const override { return 0; }

  /// Whether the library has come to the end that the check has found.
  bool agrees() const { return rest_.empty() && body_.empty() && !overrun_; }
  bool written() const { return written_; }
  /// Nothing is to be written: the request will be read once more.
  void set_later() { later_ = true; }
  Outcome outcome() const {
    if (later_) return Outcome::kLater;
    if (!written_) return Outcome::kDisagreed;
    if (gone_) return Outcome::kGone;
    return agrees() ? Outcome::kAnswered : Outcome::kFailed;
  }

 private:
  Exchange& exchange_;
  std::string_view rest_;  // of the head, then of the body
  std::string_view body_;
  bool overrun_ = false;
  bool later_ = false;
  bool written_ = false;
  bool gone_ = false;
};

/// What the library's handlers need of the exchange that their thread works on.
struct Current {
  Exchange& exchange;
  RequestBytes& bytes;
  MemoryBudget& memory;
  bool handled = false;
  bool failed = false;  ///< The library itself: for want of memory.
  Response response = {};
};

// The library hands nothing of ours to handlers. But one thread works on an exchange from beginning to end.
thread_local Current* current = nullptr;

/// Sets `current` for as long as it lives.
class CurrentScope {
 public:
  explicit CurrentScope(Current& now) { current = &now; }
  ~CurrentScope() { current = nullptr; }
  CurrentScope(const CurrentScope&) = delete;
  CurrentScope& operator=(const CurrentScope&) = delete;
};

/// A pattern with a parameter is compared by strncmp. Without one it becomes a std::regex, which recurses for
/// each character of a path. So each path has a first segment "_", which each pattern takes as a parameter.
constexpr std::string_view kPatternPrefix = "/:_";
constexpr std::string_view kPathPrefix = "/_";
constexpr std::string_view kNoRoute = "/*";  // No route's path is this.

bool has_body(int status) { return status >= 200 && status != 204 && status != 304; }

/// Called by the library between the head and the body.
void read_head(Exchange& exchange, const PathPrefix& prefix, httplib::Request& read) {
  Request& request = exchange.request;
  const std::string_view target = without_authority(read.target);
  const auto question = target.find('?');
  request.method = read.method == "HEAD" ? "GET" : read.method;
  request.path = target.substr(0, question);
  if (question != std::string_view::npos) request.query = target.substr(question + 1);
  request.content_type = read.get_header_value("Content-Type");
  request.host = read.get_header_value("Host");
  request.origin = read.get_header_value("Origin");
  request.sec_fetch_site = read.get_header_value("Sec-Fetch-Site");
  if (read.get_header_value_count("Authorization") == 1)
    request.authorization = read.get_header_value("Authorization");
  enter(request, prefix);
  read.path = std::string(kPathPrefix).append(request.outside ? kNoRoute : request.path);
  // The library would parse forms. Without a length it would read on until the stream ends.
  read.headers.erase("Content-Type");
  if (!read.has_header("Content-Length") && !read.has_header("Transfer-Encoding"))
    read.headers.emplace("Content-Length", "0");
}

/// Gives the head its last form, after the library has put its own fields into it.
void shape_answer(httplib::Response& answer) {
  for (const char* name : {"Keep-Alive", "Accept-Ranges", "Connection"}) answer.headers.erase(name);
  answer.set_header("Date", date_now());
  if (!current->exchange.requester.is_kept()) {
    answer.set_header("Connection", "close");
  } else if (current->exchange.http10) {
    answer.set_header("Connection", "keep-alive");
  }
  if (!has_body(answer.status)) answer.headers.erase("Content-Length");
  if (current->response.content_type.empty()) answer.headers.erase("Content-Type");
}

}  // namespace

/// Its own listener is unused, and with it process_and_close_socket().
class Router::Library final : public httplib::Server {
 public:
  Library(http::Handler otherwise, const Limits& limits, Tally& tally)
      : otherwise_(std::move(otherwise)),
        all_(limits.handler_bytes),
        half_(limits.handler_bytes / 2, &all_),
        tally_(tally) {
    set_payload_max_length(limits.body_bytes);
    set_error_handler([this](const httplib::Request& read, httplib::Response& answer) {
      // Called for each status from 400 up, whether the library has found a route or not.
      if (current->handled || !current->bytes.agrees()) return HandlerResponse::Unhandled;
      current->exchange.request.body = read.body;
      run(otherwise_, answer);
      return HandlerResponse::Handled;
    });
    set_exception_handler(
        [](const httplib::Request&, httplib::Response&, std::exception_ptr) { current->failed = true; });
    set_post_routing_handler(
        [](const httplib::Request&, httplib::Response& answer) { shape_answer(answer); });
  }

  void add(std::string_view method, std::string_view path, http::Handler handler, Share share) {
    const std::string pattern = std::string(kPatternPrefix).append(path);
    if (method == "GET") {
      Get(pattern, [this, handler, share](const httplib::Request& read, httplib::Response& answer) {
        take_share(share);
        current->exchange.request.body = read.body;
        run(handler, answer);
      });
      return;
    }
    Post(pattern,
         [this, share, handler = std::move(handler)](const httplib::Request&, httplib::Response& answer,
                                                     const httplib::ContentReader& read_body) {
           take_share(share);
           std::string& body = current->exchange.request.body;
           const bool fits = reserve(body, current->exchange.body.size());
           const bool whole = read_body([&](const char* data, std::size_t size) {
             if (fits) body.append(data, size);
             return true;
           });
           if (whole) run(fits ? handler : no_memory_, answer);
         });
  }

  void set_prefix(PathPrefix prefix) { prefix_ = std::move(prefix); }
  void set_guard(Guard guard) { guard_ = std::move(guard); }

  Outcome answer(Exchange& exchange) {
    // Outlives all that is charged to it.
    MemoryBudget memory(all_.most(), &half_);
    const MemoryScope charged(&memory);
    RequestBytes bytes(exchange);
    Current now{exchange, bytes, memory};
    const CurrentScope scope(now);
    bool ignored = false;
    try {
      process_request(bytes, exchange.request.remote, 0, "", 0, false, ignored,
                      [&](httplib::Request& read) { read_head(exchange, prefix_, read); });
    } catch (...) {  // out of memory
      now.failed = true;
    }
    if (now.failed) {
      return bytes.written() ? Outcome::kFailed : Outcome::kNoMemory;
    }
    do_afterwards(now.response);
    return bytes.outcome();
  }

 private:
  static void no_memory(Request&, http::Response& response) {
    response = line_response(503, "too little memory is left for the body");
  }
  static bool reserve(std::string& body, std::size_t bytes) {
    try {
      body.reserve(bytes);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
  void take_share(Share share) {
    if (share == Share::kAll) current->memory.move_to(all_);
  }

  /// Runs the handler of a request that has been read to its end.
  void run(const http::Handler& handler, httplib::Response& answer) {
    if (!current->bytes.agrees()) return;
    current->handled = true;
    http::Response& response = current->response;
    try {
      const Admission admission = admit(response);
      if (admission == Admission::kLater) return current->bytes.set_later();
      current->exchange.requester.on_read();
      if (admission == Admission::kPass) handler(current->exchange.request, response);
    } catch (const MemoryExceeded& exceeded) {
      response = line_response(503, exceeded.text());
    } catch (...) {
      // The exception's text stays inside: the answer has no body.
      Tally::add(tally_.handler_threw);
      response = Response{.status = 500, .content_type = "", .body = "", .headers = {}};
    }
    answer.status = response.status;
    if (has_body(response.status)) answer.body = std::move(response.body);
    answer.set_header("Content-Type", response.content_type);
    // The library leaves out names and values that headers must not have: none can forge a header.
    for (const auto& [name, value] : response.headers) answer.set_header(name, value);
    if (const std::string& id = current->exchange.request.id; !id.empty())
      answer.set_header(kRequestIdHeader, id);
  }

  void do_afterwards(const http::Response& response) {
    try {
      if (response.afterwards) response.afterwards();
    } catch (...) {
      Tally::add(tally_.handler_threw);
    }
  }

  Admission admit(http::Response& response) {
    Exchange& exchange = current->exchange;
    Admission admission = Admission::kPass;
    if (exchange.decision) {
      if (exchange.decision->refusal) {
        admission = Admission::kRefused;
        response = *std::move(exchange.decision->refusal);
      }
    } else if (guard_) {
      admission = guard_(exchange.request, response, exchange.later);
    }
    if (admission == Admission::kPass) Tally::add(tally_.requests);
    if (admission == Admission::kRefused) tally_.refuse(Cause::kDenied);
    return admission;
  }

  const http::Handler otherwise_;
  const http::Handler no_memory_ = no_memory;
  MemoryBudget all_;   ///< What handlers have taken.
  MemoryBudget half_;  ///< Those of Share::kHalf among them.
  PathPrefix prefix_;
  Guard guard_;
  Tally& tally_;
};

Router::Router(Handler otherwise, const Limits& limits, Tally& tally)
    : library_(std::make_unique<Library>(std::move(otherwise), limits, tally)) {}
Router::~Router() = default;

void Router::add(std::string_view method, std::string_view path, Handler handler, Share share) {
  library_->add(method, path, std::move(handler), share);
}

void Router::set_prefix(PathPrefix prefix) { library_->set_prefix(std::move(prefix)); }
void Router::set_guard(Guard guard) { library_->set_guard(std::move(guard)); }

Outcome Router::answer(Exchange& exchange) const { return library_->answer(exchange); }

}  // namespace winnow::http
