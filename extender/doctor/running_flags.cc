// The flags of a Winnow that runs, from its /flagz.
#include <algorithm>
#include <array>
#include <charconv>
#include <ranges>
#include <string>
#include <vector>

#include "extender/doctor/doctor.h"

namespace winnow {
namespace {

/// What the page says of a flag that names a file or a gate where there is none.
constexpr std::string_view kNone = "none";

bool is_on(std::string_view value) { return value == "true"; }

AnswerMode answer_of(std::string_view word) {
  return word == "best" ? AnswerMode::kBest : word == "one" ? AnswerMode::kOne : AnswerMode::kComplete;
}

void take_port(std::string_view value, DoctorSetup& setup) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), port);
  if (error == std::errc() && end == value.data() + value.size()) setup.start.port = port;
}

void take_gate(std::string_view value, DoctorSetup& setup) {
  setup.removes_gate = !value.empty() && value != kNone;
  if (setup.removes_gate) setup.gate = value;
}

/// The page says of a flag that is not given what holds then, in words.
void take_lease_namespace(std::string_view value, DoctorSetup& setup) {
  setup.lease_namespace = value.contains(' ') ? "" : value;
}

std::vector<std::string> words_of(std::string_view value) {
  std::vector<std::string> words;
  for (const auto word : std::views::split(value, ','))
    if (!word.empty()) words.emplace_back(word.begin(), word.end());
  return words;
}

/// A flag, and how its value is taken.
struct Taken {
  std::string_view flag;
  void (*take)(std::string_view value, DoctorSetup& setup);
};
constexpr auto kTaken = std::to_array<Taken>({
    {"answer", [](std::string_view value, DoctorSetup& s) { s.start.answer = answer_of(value); }},
    {"enable-bind", [](std::string_view value, DoctorSetup& s) { s.start.enable_bind = is_on(value); }},
    {"allow-missing-rules",
     [](std::string_view value, DoctorSetup& s) { s.start.allow_missing_rules = is_on(value); }},
    {"scheduler-filters",
     [](std::string_view value, DoctorSetup& s) { s.start.scheduler_filters = words_of(value); }},
    {"bind-address",
     [](std::string_view value, DoctorSetup& s) { s.start.bind_address = std::string(value); }},
    {"port", take_port},
    {"tls-cert-file", [](std::string_view value, DoctorSetup& s) { s.start.tls_cert_file = value; }},
    {"client-ca-file", [](std::string_view value, DoctorSetup& s) { s.start.client_ca_file = value; }},
    {"nominate", [](std::string_view value, DoctorSetup& s) { s.nominate = is_on(value); }},
    {"nominate-gate", take_gate},
    {"nominate-events", [](std::string_view value, DoctorSetup& s) { s.writes_events = is_on(value); }},
    {"leader-elect", [](std::string_view value, DoctorSetup& s) { s.elects = is_on(value); }},
    {"leader-elect-resource-name", [](std::string_view value, DoctorSetup& s) { s.lease_name = value; }},
    {"leader-elect-resource-namespace", take_lease_namespace},
    {"discover-api-servers", [](std::string_view value, DoctorSetup& s) { s.discovers = is_on(value); }},
    {"authorization-webhook",
     [](std::string_view value, DoctorSetup& s) { s.reviews_tokens = value == "apiserver"; }},
});

}  // namespace

void take_flags(const std::string& page, DoctorSetup& setup) {
  std::string_view rest = page;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const auto taken = std::ranges::find(kTaken, line.substr(0, equals), &Taken::flag);
    if (taken != kTaken.end()) taken->take(line.substr(equals + 1), setup);
  }
}

}  // namespace winnow
