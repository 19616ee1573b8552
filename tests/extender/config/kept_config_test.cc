#include "extender/config/kept_config.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "extender/config/extenders.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/config/rules_summary.h"

namespace winnow {
namespace {

namespace fs = std::filesystem;

std::string file_text(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string fingerprint(const LoadedRules& rules) {
  std::vector<const RuleSet*> sets;
  for (const RuleSet& set : rules.sets) sets.push_back(&set);
  return fingerprint_of(sets);
}

/// Checks that what is kept of a configuration gives its rules, and is kept whole.
/// @return whether Winnow takes the configuration.
bool check_kept(const std::string& text) {
  const auto loaded = load_rules("f", text, Gates{});
  const std::string kept = kept_config(text);
  if (!loaded) return false;
  CAPTURE(kept);
  const auto again = load_rules("f", kept, Gates{});
  CHECK((again ? "" : again.error()) == "");
  if (again) CHECK(fingerprint(*again) == fingerprint(*loaded));
  CHECK(kept_config(kept) == kept);
  CHECK(!kept.contains('\n'));
  return true;
}

const char* const kToday = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

}  // namespace

TEST_CASE("what is kept of a configuration gives the same rules") {
  const fs::path before = fs::current_path();
  std::size_t taken = 0;
  for (const char* const folder : {"scheduler_configs", "v1beta3_configs", "v1beta2_configs",
                                   "v1beta1_configs", "v1alpha2_configs", "v1alpha1_configs"})
    for (const char* const part : {"accepted", "refused"}) {
      const fs::path here = fs::path(WINNOW_ROOT) / "tests/extender/config" / folder;
      fs::current_path(here / "accepted");  // A file may name a Policy beside it.
      for (const auto& file : fs::directory_iterator(here / part)) {
        CAPTURE(file.path());
        taken += check_kept(file_text(file.path())) ? 1 : 0;
      }
    }
  fs::current_path(before);
  for (const auto& file : fs::directory_iterator(WINNOW_CONFIG_INPUTS)) {
    CAPTURE(file.path());
    // The first byte selects what the fuzz target does with the others.
    const std::string text = file_text(file.path());
    taken += check_kept(text) || (!text.empty() && check_kept(text.substr(1))) ? 1 : 0;
  }
  CHECK(taken > 300);
}

TEST_CASE("no secret of a configuration is kept, however it is written") {
  const std::string tls = "extenders:\n- urlPrefix: https://x:1\n  filterVerb: f\n  tlsConfig:\n";
  const std::string plugin = "profiles:\n- pluginConfig:\n  - name: LoadVariationRiskBalancing\n    args:\n";
  struct Row {
    std::string sentence, text;
  };
  const Row rows[] = {
      {"plain", tls + "    keyData: U0VDUkVU\n"},
      {"behind a comment", tls + "    keyData: # the key\n      U0VDUkVU\n"},
      {"an anchor and a block", tls + "    keyData: &k |\n      U0VDUkVU\n      U0VDUkVU\n"},
      {"a folded block that is stripped", tls + "    keyData: >-2\n      U0VDUkVU\n"},
      {"a tag", tls + "    keyData: !!str |\n      U0VDUkVU\n"},
      {"a quoted key", tls + "    \"keyData\": 'U0VDUkVU'\n"},
      {"a key with an escape", tls + "    \"key\\x44ata\": U0VDUkVU\n"},
      {"a key that is asked for", tls + "    ? keyData\n    : U0VDUkVU\n"},
      {"a list of bytes", tls + "    keyData: [83, 69, 67, 82, 69, 84]\n"},
      {"a merge",
       "extenders:\n- urlPrefix: http://x\n  filterVerb: f\n  tlsConfig: {<<: {keyData: U0VDUkVU}}\n"},
      {"flow style",
       "extenders: [{urlPrefix: 'http://x', tlsConfig: {caData: U0VDUkVU, certData: U0VDUkVU}}]\n"},
      {"files", tls + "    keyFile: /SECRET/key\n    certFile: /SECRET/cert\n"},
      {"a user and a password",
       "extenders: [{urlPrefix: 'https://SECRET:SECRET@x:1/SECRET?token=SECRET'}]\n"},
      {"a password with a slash", "extenders: [{urlPrefix: 'https://SECRET:SEC/RET@x:1/'}]\n"},
      {"a password with more", "extenders: [{urlPrefix: 'https://SECRET:SEC@R#ET@x:1/'}]\n"},
      {"a verb with a query", "extenders: [{urlPrefix: 'http://x', filterVerb: 'f?token=SECRET'}]\n"},
      {"a plugin that Winnow does not know",
       plugin + "      metricProvider: {type: Prometheus, address: 'http://x', token: SECRET}\n"},
      {"the same, as text", plugin + "      SECRET\n"},
      {"a connection", "clientConnection: {kubeconfig: /SECRET/k}\n"},
      {"a lock", "leaderElection: {leaderElect: true, resourceName: SECRET}\n"},
      {"a comment", "parallelism: 5 # SECRET\n"},
      {"another document", "parallelism: 5\n---\nSECRET: SECRET\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const std::string text = kToday + row.text;
    const std::string kept = kept_config(text);
    CAPTURE(kept);
    CHECK(check_kept(text));
    for (const char* const secret : {"SECRET", "U0VDUkVU", "SEC", "RET", "83"})
      CHECK(!kept.substr(kept.find(':')).contains(secret));
  }
}

TEST_CASE("of a file inside an object the file is kept, which is what is in force") {
  const std::string today =
      R"({"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration",)"
      R"("profiles":[{"plugins":{"score":{"disabled":[{"name":"ImageLocality"}]}}}]})";
  const std::string profile =
      "  kind: KubeSchedulerConfiguration\n  apiVersion: kubescheduler.config.k8s.io/v1\n  clientConnection: "
      "{kubeconfig: /SECRET}\n  profiles: [{plugins: {score: {disabled: [{name: ImageLocality}]}}}]\n";
  const auto indented = [](std::string text) {
    std::string out;
    for (const char c : text) out += c == '\n' ? std::string("\n  ") : std::string(1, c);
    return "  " + out.substr(0, out.size() - 2);
  };
  struct Row {
    const char* sentence;
    std::string text;
    bool is_today;
  };
  const Row rows[] = {
      {"a ConfigMap", "kind: ConfigMap\napiVersion: v1\ndata:\n  config.yaml: |\n" + indented(profile), true},
      {"of several files the one with rules",
       "kind: ConfigMap\ndata:\n  token: SECRET\n  rules: |\n" + indented(profile), true},
      {"a Policy in one",
       "kind: ConfigMap\ndata:\n  policy.cfg: "
       "'{\"kind\":\"Policy\",\"priorities\":[{\"name\":\"EqualPriority\","
       "\"weight\":1}],\"apiToken\":\"SECRET\"}'\n",
       false},
      {"AKS's object",
       "kind: SchedulerConfiguration\napiVersion: aks.azure.com/v1alpha1\nspec:\n  rawConfig: |\n" +
           indented(profile),
       true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(check_kept(row.text));
    const std::string kept = kept_config(row.text);
    CHECK_FALSE(kept.contains("SECRET"));
    CHECK_FALSE(kept.contains("ConfigMap"));
    if (row.is_today)
      CHECK(fingerprint(load_rules("f", kept, Gates{}).value()) ==
            fingerprint(load_rules("f", today, Gates{}).value()));
  }
  for (const char* const text : {"kind: ConfigMap\n", "kind: ConfigMap\ndata: {a: SECRET, b: SECRET}\n",
                                 "kind: ConfigMap\ndata: {a: '{kind: ConfigMap, data: {b: SECRET}}'}\n"}) {
    CAPTURE(text);
    CHECK(kept_config(text) == kNoConfig);
  }
}

TEST_CASE("no secret of a Policy is kept") {
  struct Row {
    std::string sentence, text, kept;
  };
  const Row rows[] = {
      {"an extender in any case",
       R"({"kind":"Policy","extenders":[{"URLPREFIX":"https://u:SECRET@h:1/p",)"
       R"("TlsConfig":{"KeyData":"SECRET"},)"
       R"("apiToken":"SECRET","managedResources":[{"Name":"a.b/c","token":"SECRET"}]}]})",
       R"({"kind":"Policy","extenders":[{"URLPREFIX":"https://h:1",)"
       R"("managedResources":[{"Name":"a.b/c"}]}]})"},
      {"fields that a Policy does not have",
       "kind: Policy\nmetadata: {annotations: {a: SECRET}}\ntoken: SECRET\n", R"({"kind":"Policy"})"},
      {"what is of another type", R"({"kind":"Policy","extenders":[{"filterVerb":{"a":"SECRET"}}]})",
       R"({"kind":"Policy","extenders":[{}]})"},
      {"rules with arguments",
       "predicates: [{name: Zone, argument: {serviceAffinity: {labels: [zone], note: SECRET}}}]\n",
       R"({"predicates":[{"name":"Zone","argument":{"serviceAffinity":{"labels":["zone"]}}}]})"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(check_kept(row.text));
    CHECK(kept_config(row.text) == row.kept);
  }
}

TEST_CASE("expressions of rules of one's own are kept with their parameters") {
  const std::string args =
      "{filter: 'node.pods < params.most[0]', params: {most: [3, 4], of: {a: x}}, onError: refuse}";
  CHECK(check_kept(kToday +
                   std::string("profiles: [{plugins: {filter: {enabled: [{name: Expression/few}]}}, "
                               "pluginConfig: [{name: Expression/few, args: ") +
                   args + "}]}]\n"));
  CHECK(check_kept("apiVersion: v1\nkind: Policy\npredicates: [{name: few, argument: {expression: " + args +
                   "}}]\n"));
}

TEST_CASE("what cannot be read is not kept, and is no configuration") {
  for (const char* const text : {"SECRET", "[SECRET]", "a: [SECRET", R"({"a":"SECRET")", "#\n",
                                 "kind: KubeSchedulerConfiguration\napiVersion: SECRET\n"}) {
    CAPTURE(text);
    CHECK(kept_config(text) == kNoConfig);
  }
  CHECK(!load_rules("f", kNoConfig, Gates{}));
  CHECK(kept_config("") == "");
}

}  // namespace winnow
