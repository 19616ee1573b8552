// Drives an extender over HTTP on the loopback and prints what its clients would see.
//
//   http_driver --port 10290 --path /filter --body args.json --seconds 10
//               [--connections 1] [--requests N] [--idle 1000] [--drip 100] [--pid N] [--quiet-seconds N]
//               [--number TEXT] [--first N] [--method POST]
//
// --connections each keep one request in flight over one keep-alive connection; --idle opens connections that
// send nothing; --drip opens ones that send a byte of a header each second and are opened again when they are
// cut. With --pid the processor time of that process is printed too, and with --quiet-seconds also what it
// uses, before the requests, with only the idle (and dripping) connections open. With --number each request
// has a number of its own in place of TEXT, wherever the body has it: as wide, from --first on, the last
// digits.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  int port = 0;
  std::string method = "POST";
  std::string path = "/filter";
  std::string body;
  int connections = 1;
  long requests = 0;  // over all connections; 0: until the time is over
  int seconds = 10;
  int idle = 0;
  int drip = 0;
  int pid = 0;
  int quiet_seconds = 0;
  std::string number;  // what each request replaces by its own number
  long first = 0;
};

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "http_driver: %s\n", what.c_str());
  std::exit(2);
}

template <typename Number>
Number number(std::string_view text, Number most) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > most) {
    fail("not a number from 0 to " + std::to_string(most) + ": " + std::string(text));
  }
  return value;
}

Options read_options(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (i + 1 == words.size()) fail("no value for " + words[i]);
    const std::string& name = words[i];
    const std::string& value = words[i + 1];
    if (name == "--port")
      options.port = number(value, 65535);
    else if (name == "--method")
      options.method = value;
    else if (name == "--path")
      options.path = value;
    else if (name == "--body") {
      std::ifstream in(value, std::ios::binary);
      if (!in) fail("cannot read " + value);
      options.body.assign(std::istreambuf_iterator<char>(in), {});
    } else if (name == "--connections")
      options.connections = number(value, 256);
    else if (name == "--requests")
      options.requests = number(value, 10'000'000L);
    else if (name == "--seconds")
      options.seconds = number(value, 600);
    else if (name == "--idle")
      options.idle = number(value, 20'000);
    else if (name == "--drip")
      options.drip = number(value, 20'000);
    else if (name == "--pid")
      options.pid = number(value, 1 << 30);
    else if (name == "--quiet-seconds")
      options.quiet_seconds = number(value, 600);
    else if (name == "--number")
      options.number = value;
    else if (name == "--first")
      options.first = number(value, 1L << 40);
    else
      fail("unknown option " + name);
  }
  if (options.port == 0) fail("--port is needed");
  return options;
}

int dial(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) fail("no descriptors left");
  const int on = 1;
  const timeval deadline{30, 0};
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &deadline, sizeof deadline);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) fail("cannot connect");
  return fd;
}

bool send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

/// Reads one response into `buffer`. @return whether it came whole.
bool receive_one(int fd, std::string& buffer) {
  std::size_t filled = 0;
  std::size_t needed = 0;
  while (needed == 0 || filled < needed) {
    if (buffer.size() - filled < 65536) buffer.resize(buffer.size() * 2 + 131072);
    const auto got = ::recv(fd, buffer.data() + filled, buffer.size() - filled, 0);
    if (got <= 0) return false;
    filled += static_cast<std::size_t>(got);
    const std::string_view seen(buffer.data(), filled);
    const auto end = needed == 0 ? seen.find("\r\n\r\n") : std::string_view::npos;
    if (end == std::string_view::npos) continue;
    const auto at = seen.find("Content-Length: ");
    if (at == std::string_view::npos || at > end) return false;
    needed = end + 4 + static_cast<std::size_t>(std::strtoull(buffer.data() + at + 16, nullptr, 10));
  }
  return true;
}

/// A request with another number each time.
class Numbered {
 public:
  Numbered(std::string request, std::string_view text) : request_(std::move(request)), width_(text.size()) {
    if (text.empty()) return;
    for (auto at = request_.find(text); at != std::string::npos; at = request_.find(text, at + text.size()))
      places_.push_back(at);
  }

  const std::string& with(long number) {
    if (places_.empty()) return request_;
    std::string digits = std::to_string(number);
    digits.insert(0, width_ - std::min(width_, digits.size()), '0');
    for (const std::size_t at : places_) request_.replace(at, width_, digits, digits.size() - width_, width_);
    return request_;
  }

 private:
  std::string request_;
  std::size_t width_;
  std::vector<std::size_t> places_;
};

struct Shared {
  std::atomic<long> left{0};
  std::atomic<long> next{0};  // the next request's number
  std::atomic<bool> stop{false};
  std::atomic<long> failed{0};
  std::atomic<long> cut{0};
};

void drive(const Options& options, const std::string& request, Clock::time_point until, Shared& shared,
           std::vector<double>& micros) {
  const int fd = dial(options.port);
  std::string buffer(131072, '\0');
  Numbered numbered(request, options.number);
  while (Clock::now() < until && shared.left.fetch_sub(1) > 0) {
    const std::string& bytes = numbered.with(shared.next++);
    const auto begin = Clock::now();
    if (!send_all(fd, bytes) || !receive_one(fd, buffer)) {
      ++shared.failed;
      break;
    }
    if (!buffer.starts_with("HTTP/1.1 200")) {
      ++shared.failed;
      continue;
    }
    micros.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  ::close(fd);
}

void drip(const Options& options, Shared& shared) {
  std::vector<int> fds;
  for (int i = 0; i < options.drip; ++i) {
    fds.push_back(dial(options.port));
    send_all(fds.back(), "POST / HTTP/1.1\r\nX: ");
  }
  while (!shared.stop) {
    for (int& fd : fds) {
      char byte = 0;
      const auto got = ::recv(fd, &byte, 1, MSG_DONTWAIT);
      if (got >= 0 || !send_all(fd, "x")) {
        ++shared.cut;
        ::close(fd);
        fd = dial(options.port);
        send_all(fd, "POST / HTTP/1.1\r\nX: ");
      }
    }
    for (int i = 0; i < 20 && !shared.stop; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  for (const int fd : fds) ::close(fd);
}

/// Processor time of a process in seconds, 0 when unknown.
double processor_seconds(int pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto after_name = text.rfind(')');
  if (pid == 0 || after_name == std::string::npos) return 0;
  std::istringstream fields(text.substr(after_name + 2));
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double quantile(const std::vector<double>& sorted, double q) {
  return sorted[std::min(sorted.size() - 1,
                         static_cast<std::size_t>(q * static_cast<double>(sorted.size())))];
}

void raise_descriptor_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

void rest(const Options& options) {
  if (options.quiet_seconds == 0) return;
  const double before = processor_seconds(options.pid);
  std::this_thread::sleep_for(std::chrono::seconds(options.quiet_seconds));
  const double used = processor_seconds(options.pid) - before;
  std::printf("quiet: %d idle, %d dripping connections, %.2f %% of a core over %d s\n", options.idle,
              options.drip, 100 * used / options.quiet_seconds, options.quiet_seconds);
}

int run(const Options& options) {
  Shared shared;
  std::vector<int> idle;
  for (int i = 0; i < options.idle; ++i) idle.push_back(dial(options.port));
  std::jthread dripper;
  if (options.drip > 0) dripper = std::jthread([&] { drip(options, shared); });
  rest(options);

  const std::string request =
      options.method + ' ' + options.path +
      " HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: Go-http-client/1.1\r\nContent-Length: " +
      std::to_string(options.body.size()) +
      "\r\nContent-Type: application/json\r\nAccept-Encoding: gzip\r\n\r\n" + options.body;
  shared.left = options.requests > 0 ? options.requests : 1L << 40;
  shared.next = options.first;
  const auto begin = Clock::now();
  const auto until = begin + std::chrono::seconds(options.seconds);
  const double processor_before = processor_seconds(options.pid);
  std::vector<std::vector<double>> each(static_cast<std::size_t>(options.connections));
  {
    std::vector<std::jthread> drivers;
    for (auto& micros : each) drivers.emplace_back([&] { drive(options, request, until, shared, micros); });
  }
  const double elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
  const double processor = processor_seconds(options.pid) - processor_before;
  shared.stop = true;
  for (const int fd : idle) ::close(fd);

  std::vector<double> all;
  for (const auto& micros : each) all.insert(all.end(), micros.begin(), micros.end());
  std::ranges::sort(all);
  if (all.empty()) fail("no request was answered with 200");
  std::printf("%zu requests of %zu bytes, %d connections, %d idle, %d dripping (%ld cut), %ld failed\n",
              all.size(), options.body.size(), options.connections, options.idle, options.drip,
              shared.cut.load(), shared.failed.load());
  std::printf("p50 %.1f us, p99 %.1f us, p99.9 %.1f us, max %.1f us, %.0f requests/s\n", quantile(all, 0.5),
              quantile(all, 0.99), quantile(all, 0.999), all.back(),
              static_cast<double>(all.size()) / elapsed);
  if (options.pid > 0) std::printf("processor: %.2f s in %.2f s\n", processor, elapsed);
  return shared.failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  raise_descriptor_limit();
  return run(read_options({argv + 1, argv + argc}));
}
