#include <doctest/doctest.h>

#include <algorithm>

#include "cluster/client/watch/lease.h"
#include "tests/cluster/client/transport/temp_folder.h"

namespace winnow::live {
namespace {

using std::chrono::milliseconds;

TEST_CASE("durations that let two lead, or nobody, are refused") {
  struct Row {
    const char* what;
    milliseconds lease, renew, retry;
    const char* problem;
  };
  const Row rows[] = {
      {"the defaults", milliseconds(15'000), milliseconds(10'000), milliseconds(2'000), ""},
      {"as close as can be", milliseconds(3'000), milliseconds(2'999), milliseconds(2'499), ""},
      {"a lease that is not longer than the deadline", milliseconds(10'000), milliseconds(10'000),
       milliseconds(2'000),
       "--leader-elect-lease-duration must be greater than --leader-elect-renew-deadline: 10s are not "
       "greater "
       "than 10000ms"},
      {"one that is, but for the whole seconds", milliseconds(10'900), milliseconds(10'500),
       milliseconds(2'000),
       "--leader-elect-lease-duration must be greater than --leader-elect-renew-deadline: 10s are not "
       "greater "
       "than 10500ms"},
      {"a deadline that leaves no time for a second try", milliseconds(15'000), milliseconds(2'400),
       milliseconds(2'000),
       "--leader-elect-renew-deadline must be greater than --leader-elect-retry-period times 1.2: 2400ms are "
       "not"},
      {"a lease of less than a second", milliseconds(999), milliseconds(10), milliseconds(1),
       "--leader-elect-lease-duration must be at least 1s"},
      {"no deadline", milliseconds(15'000), milliseconds(0), milliseconds(2'000),
       "--leader-elect-renew-deadline must be greater than zero"},
      {"no period", milliseconds(15'000), milliseconds(10'000), milliseconds(0),
       "--leader-elect-retry-period must be greater than zero"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    CHECK(problem_of({.lease_duration = row.lease, .renew_deadline = row.renew, .retry_period = row.retry}) ==
          row.problem);
  }
  CHECK(problem_of({.resource_name = ""}) == "--leader-elect-resource-name must not be empty");
}

TEST_CASE("an identity is a host's name and a UUID, and no two are equal") {
  const std::string one = election_identity();
  const std::string uuid = one.substr(one.rfind('_') + 1);
  REQUIRE(uuid.size() == 36);
  for (const std::size_t dash : {8, 13, 18, 23}) CHECK(uuid[dash] == '-');
  CHECK(uuid[14] == '4');
  CHECK(std::string("89ab").contains(uuid[19]));
  CHECK(std::ranges::count_if(uuid, [](char c) { return std::string("0123456789abcdef").contains(c); }) ==
        32);
  CHECK(one.substr(0, one.rfind('_')) != "");
  CHECK(election_identity() != one);
}

TEST_CASE("the namespace of an election is that of the service account, or kube-system") {
  const test::TempFolder folder;
  CHECK(election_namespace(folder.path()) == "kube-system");
  folder.write("namespace", "winnow\n");
  CHECK(election_namespace(folder.path()) == "winnow");
  folder.write("namespace", " \n");
  CHECK(election_namespace(folder.path()) == "kube-system");
}

}  // namespace
}  // namespace winnow::live
