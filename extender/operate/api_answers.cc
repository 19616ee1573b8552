#include "extender/operate/api_answers.h"

#include <algorithm>
#include <cstdint>
#include <format>
#include <functional>
#include <limits>
#include <sstream>

#include "cluster/text/characters.h"
#include "cluster/text/json_document.h"
#include "cluster/text/json_reader.h"

namespace winnow {
namespace {

constexpr std::size_t kMostSaid = 200;
/// In seconds; the API server takes an int32.
constexpr std::int64_t kLongestLease = std::numeric_limits<std::int32_t>::max();

/// Calls `read` with the reader of the text's root. @return whether the text is JSON, and `read` has said
/// yes.
bool read_json(const std::string& body, const std::function<bool(const Reader&)>& read) {
  if (body.empty() || body.front() != '{') return false;
  const auto document = load_document(body);
  if (!document) return false;
  std::string error;
  return read(Reader(document->root(), nullptr, error));
}

}  // namespace

std::optional<WallTime> read_time(const std::string& text) {
  int year = 0;
  unsigned month = 0, day = 0;
  int hour = 0, minute = 0, second = 0;
  char z = 0;
  std::istringstream in(text);
  char dash1 = 0, dash2 = 0, t = 0, colon1 = 0, colon2 = 0;
  in >> year >> dash1;
  // What follows are unsigned numbers, so that no dash is taken for a sign.
  in >> month >> dash2 >> day >> t >> hour >> colon1 >> minute >> colon2 >> second;
  if (in.peek() == '.') {
    std::uint64_t fraction = 0;
    in.get();
    in >> fraction;
  }
  in >> z;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  // A time beyond the year 2262 does not fit into WallTime.
  const bool is_date = date.ok() && year >= 1970 && year < 2200;
  const bool is_time = hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second <= 60;
  if (!in || z != 'Z' || t != 'T' || !is_date || !is_time) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second);
}

std::optional<WhoAmI> read_who_am_i(const std::string& body) {
  WhoAmI who;
  const bool read = read_json(body, [&](const Reader& r) {
    std::string created;
    r.within("metadata", [&](const Reader& m) { return m.read("creationTimestamp", created); });
    who.now = read_time(created);
    return r.within("status", [&](const Reader& status) {
      return status.within("userInfo", [&](const Reader& user) { return user.read("username", who.user); });
    });
  });
  return read && !who.user.empty() ? std::optional(who) : std::nullopt;
}

std::optional<bool> read_allowed(const std::string& body) {
  std::optional<bool> allowed;
  read_json(body, [&](const Reader& r) {
    return r.within("status", [&](const Reader& status) { return status.read("allowed", allowed); });
  });
  return allowed;
}

int minor_of_version(std::string_view version) {
  int minor = 0;
  if (!version.starts_with("v1.")) return 0;
  for (const char c : version.substr(3)) {
    if (c < '0' || c > '9' || minor > 999) break;
    minor = minor * 10 + (c - '0');
  }
  return minor;
}

int read_minor_version(const std::string& body) {
  std::string version;
  read_json(body, [&](const Reader& r) { return r.read("gitVersion", version); });
  return minor_of_version(version);
}

std::vector<LeaseSeen> read_leases(const std::string& body) {
  std::vector<LeaseSeen> leases;
  read_json(body, [&](const Reader& r) {
    return r.for_each_in("items", [&](const Reader& item) {
      LeaseSeen& lease = leases.emplace_back();
      std::string renewed;
      std::int64_t seconds = 0;
      item.within("metadata", [&](const Reader& m) {
        return m.read("namespace", lease.ns) && m.read("name", lease.name);
      });
      item.within("spec", [&](const Reader& s) {
        return s.read("holderIdentity", lease.holder) && s.read("leaseDurationSeconds", seconds) &&
               s.read("renewTime", renewed);
      });
      lease.duration = std::chrono::seconds(std::clamp<std::int64_t>(seconds, 0, kLongestLease));
      lease.renewed = read_time(renewed);
      return true;
    });
  });
  return leases;
}

std::string read_continue(const std::string& body) {
  std::string next;
  read_json(body, [&](const Reader& r) {
    return r.within("metadata", [&](const Reader& m) { return m.read("continue", next); });
  });
  return next;
}

std::vector<GatedPod> read_gated_pods(const std::string& body, std::string_view gate) {
  std::vector<GatedPod> pods;
  read_json(body, [&](const Reader& r) {
    return r.for_each_in("items", [&](const Reader& item) {
      bool is_gated = false;
      item.within("spec", [&](const Reader& spec) {
        return spec.for_each_in("schedulingGates", [&](const Reader& one) {
          std::string name;
          one.read("name", name);
          is_gated = is_gated || name == gate;
          return true;
        });
      });
      if (!is_gated) return true;
      std::string ns, name, created;
      item.within("metadata", [&](const Reader& m) {
        return m.read("namespace", ns) && m.read("name", name) && m.read("creationTimestamp", created);
      });
      pods.push_back({ns + "/" + name, read_time(created)});
      return true;
    });
  });
  return pods;
}

std::vector<NamedValue> read_named_values(const std::string& body, const char* field) {
  std::vector<NamedValue> values;
  read_json(body, [&](const Reader& r) {
    return r.for_each_in("items", [&](const Reader& item) {
      NamedValue& one = values.emplace_back();
      item.within("metadata",
                  [&](const Reader& m) { return m.read("namespace", one.ns) && m.read("name", one.name); });
      if (*field != '\0') item.read(field, one.value);
      return true;
    });
  });
  return values;
}

std::string read_preferred_version(const std::string& body) {
  std::string version;
  read_json(body, [&](const Reader& r) {
    return r.within("preferredVersion", [&](const Reader& p) { return p.read("groupVersion", version); });
  });
  return version;
}

std::string said_in_status(const std::string& body) {
  std::string message;
  read_json(body, [&](const Reader& r) { return r.read("message", message); });
  if (message.empty()) message = body.substr(0, kMostSaid);
  const std::string said = printable(std::string(trim(one_line(message))));
  return said.empty() ? "no reason is given" : said;
}

}  // namespace winnow
