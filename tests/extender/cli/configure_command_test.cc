// winnow configure, as an operator sees it: what it prints, what it writes, and an exit code.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "extender/cli/commands.h"
#include "extender/cli/flags/flags.h"
#include "tests/cluster/client/transport/temp_folder.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

namespace fs = std::filesystem;

struct Ran {
  int code = -1;
  std::string out, err;
};

Ran run(const ConfigureFlags& flags, const CommonFlags& common = {}) {
  std::ostringstream out, err;
  std::streambuf* const was_out = std::cout.rdbuf(out.rdbuf());
  std::streambuf* const was_err = std::cerr.rdbuf(err.rdbuf());
  const int code = configure_scheduler(common, flags);
  std::cout.rdbuf(was_out);
  std::cerr.rdbuf(was_err);
  return {code, out.str(), err.str()};
}

constexpr const char* kFile = R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {kubeconfig: /etc/kubernetes/scheduler.conf}
profiles: [{schedulerName: default-scheduler}]
)";

TEST_SUITE("configure command") {
  TEST_CASE("it prints what changes and how Winnow is started, and writes nothing") {
    const live::test::TempFolder folder;
    const std::string file = folder.write("now.yaml", kFile);
    const Ran ran = run({.scheduler_config = file, .way = DeploymentMode::kBest});
    CHECK(ran.code == kDone);
    CHECK(ran.err.empty());
    CHECK(ran.out.starts_with("--- " + file +
                              "\n+++ kube-scheduler.yaml\n apiVersion: kubescheduler.config.k8s.io/v1\n"));
    CHECK(ran.out.contains("\n+extenders:"));
    CHECK_FALSE(ran.out.contains("percentageOfNodesToScore"));  // A sample of the nodes is enough.
    CHECK(
        ran.out.ends_with("\nrules.yaml is not written: add -o rules >rules.yaml, or --output-dir DIR\n"
                          "Start Winnow with:\n  winnow serve --kubeconfig FILE --config rules.yaml "
                          "--answer=best --scheduler-filters=NodeResourcesFit,NodePorts "
                          "--bind-address=127.0.0.1\n"));
  }

  TEST_CASE("Winnow is started where kube-scheduler calls it") {
    const live::test::TempFolder folder;
    ConfigureFlags flags{.scheduler_config = folder.write("now.yaml", kFile),
                         .way = DeploymentMode::kEverything};
    flags.url_prefix = "https://10.0.0.1:9999";
    CHECK(
        run(flags).out.ends_with(" --answer=one --scheduler-filters=NodeResourcesFit,NodePorts --port=9999 "
                                 "--tls-cert-file=FILE --tls-private-key-file=FILE\n"));
    flags.url_prefix = "http://10.0.0.1:10290";
    CHECK(run(flags).out.ends_with(
        " --config rules.yaml --answer=one --scheduler-filters=NodeResourcesFit,NodePorts\n"));
  }

  TEST_CASE("an output that cannot be written is no good end") {
    const live::test::TempFolder folder;
    const std::string file = folder.write("now.yaml", kFile);
    std::ostringstream err;
    std::streambuf* const was_err = std::cerr.rdbuf(err.rdbuf());
    std::streambuf* const was_out = std::cout.rdbuf(nullptr);  // It takes nothing.
    const int code = configure_scheduler({}, {.scheduler_config = file, .way = DeploymentMode::kScores});
    std::cout.rdbuf(was_out);
    std::cerr.rdbuf(was_err);
    CHECK(code == kBadInput);
    CHECK(err.str() == "winnow configure: standard output cannot be written\n");
  }

  TEST_CASE("it writes both files, and overwrites none") {
    const live::test::TempFolder folder;
    const std::string file = folder.write("now.yaml", kFile);
    const fs::path dir = fs::path(file).parent_path() / "new" / "files";
    ConfigureFlags flags{
        .scheduler_config = file, .way = DeploymentMode::kEverything, .output_dir = dir.string()};
    const Ran ran = run(flags);
    CHECK(ran.code == kDone);
    CHECK_FALSE(ran.out.contains("is not written"));
    flags.output_dir.clear();
    flags.shows = ConfigureShows::kScheduler;
    CHECK(read_file((dir / "kube-scheduler.yaml").string()) == run(flags).out);
    flags.shows = ConfigureShows::kRules;
    CHECK(read_file((dir / "rules.yaml").string()) == run(flags).out);

    fs::remove(dir / "kube-scheduler.yaml");
    flags.output_dir = dir.string();
    const Ran again = run(flags);
    CHECK(again.code == kBadInput);
    CHECK(again.err.contains((dir / "rules.yaml").string() + " is there already, and is not overwritten"));
    CHECK_FALSE(fs::exists(dir / "kube-scheduler.yaml"));
  }

  TEST_CASE("nominate writes rules alone") {
    const live::test::TempFolder folder;
    const std::string file = folder.write("now.yaml", kFile);
    const fs::path dir = fs::path(file).parent_path() / "new";
    const Ran ran =
        run({.scheduler_config = file, .way = DeploymentMode::kNominate, .output_dir = dir.string()});
    CHECK(ran.code == kDone);
    CHECK(ran.out.starts_with(file + ": stays as it is\n"));
    CHECK(fs::exists(dir / "rules.yaml"));
    CHECK_FALSE(fs::exists(dir / "kube-scheduler.yaml"));
  }

  TEST_CASE("bad input: a line that names the file, and 2") {
    const live::test::TempFolder folder;
    const std::string file = folder.write("now.yaml", kFile);
    const std::string pod = folder.write("pod.yaml", "kind: Pod\napiVersion: v1\n");
    Ran ran = run({.scheduler_config = file + ".not"});
    CHECK(ran.code == kBadInput);
    CHECK(ran.err.starts_with("winnow configure: " + file + ".not: "));
    ran = run({.scheduler_config = pod});
    CHECK(ran.code == kBadInput);
    CHECK(ran.err.starts_with("winnow configure: " + pod + ": apiVersion: "));
    CHECK(ran.out.empty());
    CommonFlags common;
    common.config = pod;
    ran = run({.scheduler_config = file}, common);
    CHECK(ran.code == kBadInput);
    CHECK(ran.err.starts_with("winnow configure: " + pod + ": "));
    ran = run({.scheduler_config = file, .output_dir = file});
    CHECK(ran.code == kBadInput);
    CHECK(ran.err.contains("--output-dir " + file + ": "));
  }

  TEST_CASE("Winnow's own rules are left where they are") {
    const live::test::TempFolder folder;
    const std::string file = folder.write("now.yaml", kFile);
    CommonFlags common;
    common.config = std::string(WINNOW_ROOT) + "/manifests/policy.yaml";
    const fs::path dir = fs::path(file).parent_path() / "new";
    const Ran ran = run(
        {.scheduler_config = file, .way = DeploymentMode::kEverything, .output_dir = dir.string()}, common);
    CHECK(ran.code == kDone);
    CHECK(ran.out.ends_with("--config " + common.config +
                            " --answer=one --scheduler-filters=NodeResourcesFit,NodePorts\n"));
    CHECK_FALSE(ran.out.contains("rules.yaml is not written"));
    CHECK(ran.err.contains("warning: " + file + ": profiles[0]."));
    CHECK_FALSE(ran.err.contains("warning: kube-scheduler.yaml: "));
    CHECK(ran.err.contains("VolumeZone stays on, for Winnow has no rule for zones of volumes"));
    CHECK_FALSE(fs::exists(dir / "rules.yaml"));
  }
}

}  // namespace
}  // namespace winnow::test
