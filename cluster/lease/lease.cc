#include "cluster/lease/lease.h"

#include <charconv>
#include <format>

#include "cluster/text/go_quote.h"
#include "cluster/text/json/json_members.h"

namespace winnow::live {
namespace {

std::int64_t read_number(JsonScan& scan) {
  const std::string_view text = scan.value();
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

void read_record(JsonScan& scan, LeaseRecord& record) {
  read_object(scan, [&](std::string_view key) {
    if (key == "holderIdentity") {
      record.holder = string_text(scan);
    } else if (key == "leaseDurationSeconds") {
      record.duration_seconds = read_number(scan);
    } else if (key == "acquireTime") {
      record.acquire_time = string_text(scan);
    } else if (key == "renewTime") {
      record.renew_time = string_text(scan);
    } else if (key == "leaseTransitions") {
      record.transitions = read_number(scan);
    } else {
      scan.value();
    }
  });
}

}  // namespace

std::expected<Lease, std::string> read_lease(std::string_view json) {
  JsonScan scan(json);
  Lease lease;
  std::string kind;
  read_members(scan, [&](std::string_view key) {
    if (key == "kind") {
      kind = string_text(scan);
    } else if (key == "metadata") {
      lease.metadata = scan.value();
    } else if (key == "spec") {
      read_record(scan, lease.record);
    } else {
      scan.value();
    }
  });
  if (!scan.expect_end()) return std::unexpected("the answer is not JSON: " + scan.error());
  if (kind != "Lease" || !lease.metadata.starts_with('{'))
    return std::unexpected("the answer is not a Lease: its kind is " + go_quote(kind));
  return lease;
}

std::string lease_json(const Lease& lease) {
  const LeaseRecord& record = lease.record;
  std::string json = R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":)" + lease.metadata;
  append_quoted(json += R"(,"spec":{"holderIdentity":)", record.holder);
  json += R"(,"leaseDurationSeconds":)" + std::to_string(record.duration_seconds);
  append_quoted(json += R"(,"acquireTime":)", record.acquire_time);
  append_quoted(json += R"(,"renewTime":)", record.renew_time);
  return json + R"(,"leaseTransitions":)" + std::to_string(record.transitions) + "}}";
}

std::string lease_metadata(std::string_view ns, std::string_view name) {
  std::string json = R"({"name":)";
  append_quoted(json, name);
  append_quoted(json += R"(,"namespace":)", ns);
  return json + "}";
}

std::string micro_time(std::chrono::system_clock::time_point time) {
  return std::format("{:%FT%T}Z", std::chrono::floor<std::chrono::microseconds>(time));
}

}  // namespace winnow::live
