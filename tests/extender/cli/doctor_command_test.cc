// winnow doctor, as an operator sees it: what it prints, and an exit code.
#include <doctest/doctest.h>

#include <format>
#include <iostream>
#include <sstream>

#include "extender/cli/commands.h"
#include "tests/cluster/client/transport/temp_folder.h"
#include "tests/extender/cli/serve/serve_in_thread.h"

namespace winnow::test {
namespace {

struct Doctored {
  int code = -1;
  std::string out, err;
};

Doctored doctor(const DoctorFlags& flags, const CommonFlags& common = {}) {
  std::ostringstream out, err;
  std::streambuf* const was_out = std::cout.rdbuf(out.rdbuf());
  std::streambuf* const was_err = std::cerr.rdbuf(err.rdbuf());
  const int code = examine(common, flags);
  std::cout.rdbuf(was_out);
  std::cerr.rdbuf(was_err);
  return {code, out.str(), err.str()};
}

const std::string kScores = std::string(WINNOW_ROOT) + "/manifests/kube-scheduler-scores.yaml";

TEST_SUITE("doctor command") {
  TEST_CASE("files that are well: 0; with a fault: 1") {
    DoctorFlags flags{.scheduler_config = kScores};
    flags.start.answer = AnswerMode::kOne;
    const Doctored well = doctor(flags);
    CHECK(well.code == kDone);
    CHECK(
        well.out.contains("ok       scheduler-config: " + kScores + ": it fits Winnow's rules and flags\n"));
    CHECK(well.out.contains("skipped  cluster: no --kubeconfig is given\n"));
    CHECK(well.out.ends_with("0 errors, 0 warnings\n"));
    flags.start.port = 8080;
    const Doctored ill = doctor(flags);
    CHECK(ill.code == kAnswerIsNo);
    CHECK(ill.out.contains("         mend: urlPrefix: http://127.0.0.1:8080\n"));
    flags.json = true;
    CHECK(doctor(flags).out.starts_with("{\"ok\":false,\"errors\":1,"));
    CHECK(doctor(flags).code == kAnswerIsNo);
  }

  TEST_CASE("a Winnow that runs") {
    const ServeInThread serve;
    DoctorFlags flags;
    flags.server.url = std::format("http://127.0.0.1:{}", serve.port());
    const Doctored ran = doctor(flags);
    CHECK(ran.code == kDone);
    CHECK(ran.out.contains("ok       ready: /readyz: ok\n"));
    CHECK(ran.out.contains("warning  calls: 5 pods wait, and kube-scheduler has not asked Winnow\n"));
    CommonFlags other;
    other.config = std::string(WINNOW_ROOT) + "/manifests/policy.yaml";
    const Doctored differs = doctor(flags, other);
    CHECK(differs.code == kAnswerIsNo);
    CHECK(differs.out.contains("error    rules: Winnow runs other rules than --config: "));

    const live::test::TempFolder folder;
    flags.scheduler_metrics =
        folder.write("m", "scheduler_schedule_attempts_total{profile=\"x\",result=\"error\"} 3\n");
    CHECK(doctor(flags).out.contains("kube-scheduler has tried 3 pods, and has not asked Winnow"));
    flags.scheduler_metrics = folder.write("n", "up 1\n");
    const Doctored none = doctor(flags);
    CHECK(none.code == kBadInput);
    CHECK(none.err.contains("it has no metric of kube-scheduler"));
  }

  TEST_CASE("a server that does not answer is an error, and the other parts are looked at") {
    DoctorFlags flags{.scheduler_config = kScores};
    flags.start.answer = AnswerMode::kOne;
    flags.server.url = "http://127.0.0.1:1";
    const Doctored silent = doctor(flags);
    CHECK(silent.code == kAnswerIsNo);
    CHECK(silent.err.empty());
    CHECK(
        silent.out.contains("error    ready: http://127.0.0.1:1: Connection refused\n"
                            "         mend: see whether Winnow runs, "));
    CHECK(silent.out.contains("\nok       scheduler-config: "));

    const ServeInThread serve;
    flags = {};
    flags.server.url = std::format("http://127.0.0.1:{}", serve.port());
    CommonFlags cluster;
    cluster.client.masters = {"http://127.0.0.1:1"};
    const Doctored alone = doctor(flags, cluster);
    CHECK(alone.code == kAnswerIsNo);
    CHECK(alone.out.contains("ok       ready: /readyz: ok\n"));
    CHECK(
        alone.out.contains("\nerror    api-server: the API server: http://127.0.0.1:1: Connection refused"));

    flags.server.url = "http://127.0.0.1:1";
    const Doctored nothing = doctor(flags, cluster);
    CHECK(nothing.code == kBadInput);
    CHECK(nothing.out.empty());
    CHECK(
        nothing.err.starts_with("winnow doctor: http://127.0.0.1:1: Connection refused\n"
                                "winnow doctor: the API server: http://127.0.0.1:1: "));
  }

  TEST_CASE("without --config the rules of a Winnow that runs others are said to be unknown") {
    const ServeInThread serve({}, std::string(WINNOW_ROOT) + "/manifests/policy.yaml");
    DoctorFlags flags;
    flags.server.url = std::format("http://127.0.0.1:{}", serve.port());
    const Doctored ran = doctor(flags);
    CHECK(ran.code == kDone);
    CHECK(ran.out.contains(
        "warning  rules: rights and files are checked for 1.37's default profile, and Winnow runs "
        "other rules: "));
  }

  TEST_CASE("an output that cannot be written is no good end") {
    std::ostringstream err;
    std::streambuf* const was_err = std::cerr.rdbuf(err.rdbuf());
    std::streambuf* const was_out = std::cout.rdbuf(nullptr);  // It takes nothing.
    DoctorFlags flags{.scheduler_config = kScores};
    flags.start.answer = AnswerMode::kOne;
    const int code = examine({}, flags);
    std::cout.rdbuf(was_out);
    std::cerr.rdbuf(was_err);
    CHECK(code == kBadInput);
    CHECK(err.str() == "winnow doctor: standard output cannot be written\n");
  }

  TEST_CASE("bad input: one line, and 2") {
    const live::test::TempFolder folder;
    struct Row {
      DoctorFlags flags;
      CommonFlags common;
      std::string says;
    };
    std::vector<Row> rows(7);
    rows[0].says =
        "winnow doctor: nothing to look at: name --scheduler-config FILE, --kubeconfig FILE or --server URL";
    rows[1].flags.scheduler_config = "/nowhere/s.yaml";
    rows[1].says = "winnow doctor: /nowhere/s.yaml: ";
    rows[2].flags.scheduler_config = folder.write("pod.yaml", "kind: Pod\napiVersion: v1\n");
    rows[2].says = "winnow doctor: " + rows[2].flags.scheduler_config + ": apiVersion: ";
    rows[3].flags.server.url = "http://127.0.0.1:1";
    rows[3].says = "winnow doctor: http://127.0.0.1:1: Connection refused";
    rows[4].flags.server.url = "winnow";
    rows[4].says = "winnow doctor: --server: ";
    rows[5].common.client.kubeconfig = "/nowhere/config";
    rows[5].says = "winnow doctor: /nowhere/config: ";
    rows[6].common.client.masters = {"http://127.0.0.1:1"};
    rows[6].says = "winnow doctor: the API server: http://127.0.0.1:1: Connection refused";
    for (const Row& row : rows) {
      CAPTURE(row.says);
      const Doctored ran = doctor(row.flags, row.common);
      CHECK(ran.code == kBadInput);
      CHECK(ran.out.empty());
      CHECK_MESSAGE(ran.err.starts_with(row.says), ran.err);
      CHECK(std::ranges::count(ran.err, '\n') == 1);
    }
  }
}

}  // namespace
}  // namespace winnow::test
