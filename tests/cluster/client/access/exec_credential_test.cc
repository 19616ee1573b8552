#include "cluster/client/access/exec_credential.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/cluster/client/access/environment.h"
#include "tests/cluster/client/access/scripts.h"
#include "tests/cluster/client/transport/certificates.h"

namespace winnow::live::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kVersion = "client.authentication.k8s.io/v1";

const ExecPlugins::Options kNoTerminal{.has_input = false};

/// A plugin whose command is a script.
struct Script {
  explicit Script(std::string_view body) : file(write_script(folder, "login", body)) {}
  ExecPlugin plugin() const {
    return {.where = "f: users[0].user.exec", .api_version = kVersion, .command = file};
  }
  /// What the script has written into a file beside it.
  std::string written(const std::string& name) const {
    std::ifstream text(folder.path(name));
    return {std::istreambuf_iterator<char>(text), {}};
  }
  /// How the lines begin that say what the command did.
  std::string begins() const { return "f: users[0].user.exec: the command \"" + file + "\" "; }

  TempFolder folder;
  std::string file;
};

const ClientConfig kCluster{.servers = {"https://k:1"}};

std::expected<ExecCredential, std::string> run(const Script& script) {
  return ExecPlugins(kNoTerminal).credential(script.plugin(), kCluster);
}

/// A terminal that is standard input until it is destroyed, and at which somebody has typed this.
class Terminal {
 public:
  explicit Terminal(std::string_view typed) : before_(::dup(STDIN_FILENO)) {
    REQUIRE((side_ >= 0 && ::grantpt(side_) == 0 && ::unlockpt(side_) == 0));
    const int terminal = ::open(::ptsname(side_), O_RDWR | O_NOCTTY | O_CLOEXEC);
    REQUIRE(terminal > STDIN_FILENO);
    ::dup2(terminal, STDIN_FILENO);
    ::close(terminal);
    REQUIRE(::write(side_, typed.data(), typed.size()) == static_cast<ssize_t>(typed.size()));
  }
  ~Terminal() {
    ::dup2(before_, STDIN_FILENO);
    ::close(before_);
    ::close(side_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

 private:
  int before_;
  int side_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
};

/// The text with \n and " as JSON has them.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? "\\n" : std::string(1, c);
  return out;
}

}  // namespace

TEST_SUITE("live: credentials of a plugin") {
  TEST_CASE("a token, with the time that it lasts") {
    const auto token = run(Script(prints_token("abc")));
    REQUIRE_MESSAGE(token, token.error());
    CHECK(token->token == "abc");
    CHECK(token->certificate.empty());
    CHECK_FALSE(token->expires);
    const Script lasting(prints(R"({"token":"abc","expirationTimestamp":"2001-09-09T01:46:40Z"})"));
    CHECK(run(lasting)->expires == 1'000'000'000);
    const Script yaml("printf 'kind: ExecCredential\\napiVersion: " + std::string(kVersion) +
                      "\\nstatus: {token: abc}\\n'");
    CHECK(run(yaml)->token == "abc");
  }

  TEST_CASE("a client certificate with its key") {
    const Identity pair = self_signed({});
    const auto got = run(Script(prints("{\"clientCertificateData\":\"" + escaped(pair.certificate) +
                                       "\",\"clientKeyData\":\"" + escaped(pair.key) + "\"}")));
    REQUIRE_MESSAGE(got, got.error());
    CHECK(got->certificate == pair.certificate);
    CHECK(got->key == pair.key);
    CHECK(got->token.empty());
  }

  TEST_CASE("what the command prints is checked, and errors have nothing of it") {
    struct Row {
      const char* sentence;
      std::string body;
      const char* error;
    };
    const std::string not_one = "has not printed an ExecCredential: ";
    const Row rows[] = {
        {"nothing", ":", "is not an object"},
        {"a token alone", "echo secret", "is not an object"},
        {"rubbish", "echo '{\"secret'", "line 1, column 9: is neither JSON nor YAML"},
        {"another kind", "echo '{\"kind\":\"Pod\",\"secret\":1}'", "kind is not ExecCredential"},
        {"another version",
         "echo '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1beta1\"}'",
         "apiVersion is not client.authentication.k8s.io/v1"},
        {"no status", prints("null"), "status is missing"},
        {"a status that is a text", prints("\"secret\""), "status: is not an object"},
        {"an empty status", prints("{}"),
         "status: has no token, and no clientCertificateData with clientKeyData"},
        {"a token that is a number", prints("{\"token\":12345}"), "status.token: is not a string"},
        {"a certificate without its key",
         prints("{\"token\":\"secret\",\"clientCertificateData\":\"secret\"}"),
         "status: clientCertificateData and clientKeyData need each other"},
        {"a time that is none", prints("{\"token\":\"secret\",\"expirationTimestamp\":\"secret\"}"),
         "status.expirationTimestamp: is not a time in RFC 3339 form"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      const Script script(row.body);
      CHECK(run(script).error() == script.begins() + not_one + row.error);
    }
    const Script pair(prints(R"({"clientCertificateData":"secret","clientKeyData":"secret"})"));
    CHECK(run(pair).error() ==
          pair.begins() +
              "has printed what cannot be used: the client certificate is not a certificate in PEM");
  }

  TEST_CASE("a command that fails, prints without end, or does not end") {
    const Script failing("echo secret; exit 1"), endless("while :; do echo secret; done"),
        waiting("exec sleep 1000");
    CHECK(run(failing).error() == failing.begins() + "ended with exit code 1");
    CHECK(run(endless).error() == endless.begins() + "has printed more than 1048576 bytes");
    ExecPlugins impatient({.has_input = false, .limit = 20ms});
    CHECK(impatient.credential(waiting.plugin(), kCluster).error() ==
          waiting.begins() + "has not ended after 0.02 s");
  }

  TEST_CASE("a command that is not found says how to get it") {
    const TempFolder folder;
    const Variable path("PATH", folder.path().c_str());
    ExecPlugin plugin{.where = "f: users[0].user.exec",
                      .api_version = kVersion,
                      .command = "aws",
                      .install_hint = "\n Install it:\n\x1b[1mapt"};
    const std::string line = "f: users[0].user.exec: the command \"aws\" is not found";
    CHECK(ExecPlugins(kNoTerminal).credential(plugin, kCluster).error() ==
          line + "; Install it: \xef\xbf\xbd[1mapt");
    ExecPlugins without_programs({.has_input = false, .shell = folder.path("sh")});
    CHECK(without_programs.credential(plugin, kCluster).error() ==
          line + ": this is an image without programs; run winnow on a machine that has the command");
    plugin.install_hint.clear();
    CHECK(ExecPlugins(kNoTerminal).credential(plugin, kCluster).error() == line);
    plugin.command = folder.write("text", "");
    CHECK(ExecPlugins(kNoTerminal).credential(plugin, kCluster).error() ==
          "f: users[0].user.exec: the command \"" + plugin.command + "\" is not a file that can be run");
    write_script(folder, "aws", prints_token("abc"));
    plugin.command = "aws";
    CHECK(ExecPlugins(kNoTerminal).credential(plugin, kCluster)->token == "abc");
  }

  TEST_CASE("the command gets its arguments, its variables and ours, and what is asked of it") {
    const Script script(
        "printf '%s,' \"$@\" >\"$0.args\"; printf %s \"$OURS,$ITS,$BOTH\" >\"$0.env\"; cat >\"$0.in\"\n"
        "printf %s \"$KUBERNETES_EXEC_INFO\" >\"$0.info\"\n" +
        prints_token("abc"));
    const Variable ours("OURS", "a"), both("BOTH", "b"), info("KUBERNETES_EXEC_INFO", "{}");
    ExecPlugin plugin = script.plugin();
    plugin.arguments = {"get-token", "--name", "my cluster", ""};
    plugin.environment = {{"ITS", "c"}, {"BOTH", "x"}, {"BOTH", "d=e"}, {"KUBERNETES_EXEC_INFO", "{}"}};
    REQUIRE(ExecPlugins(kNoTerminal).credential(plugin, kCluster));
    CHECK(script.written("login.args") == "get-token,--name,my cluster,,");
    CHECK(script.written("login.env") == "a,c,d=e");
    CHECK(script.written("login.in").empty());
    CHECK(
        script.written("login.info") ==
        R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false}})");
  }

  TEST_CASE("a command that wants it is told of the cluster") {
    const TempFolder folder;
    ExecPlugin plugin{.api_version = kVersion, .provide_cluster_info = true};
    ClientConfig config{.servers = {"https://k:1", "https://l:1"}};
    const std::string begins =
        R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"cluster":{)";
    CHECK(exec_info(plugin, config, true).value() ==
          begins + R"("server":"https://k:1","config":null},"interactive":true}})");
    config.certificate_authority = {.file = folder.write("ca", "from file"), .data = "baz"};
    config.tls_server_name = "bar";
    plugin.disable_compression = true;
    plugin.cluster_config = R"({"audience":"a"})";
    CHECK(exec_info(plugin, config, false).value() ==
          begins + R"("server":"https://k:1","tls-server-name":"bar","certificate-authority-data":"YmF6",)"
                   R"("disable-compression":true,"config":{"audience":"a"}},"interactive":false}})");
    config = {.servers = {"https://k:1"}, .insecure_skip_tls_verify = true};
    CHECK(exec_info(plugin, config, false)->contains(R"("insecure-skip-tls-verify":true,)"));
    config = {.servers = {"https://k:1"}, .certificate_authority = {.file = folder.path("ca")}};
    CHECK(exec_info(plugin, config, false)->contains(R"("certificate-authority-data":"ZnJvbSBmaWxl")"));
    config.certificate_authority.file = folder.path("none");
    CHECK(exec_info(plugin, config, false).error() == folder.path("none") + ": No such file or directory");
  }

  TEST_CASE("a command that must ask is not run where nobody can answer") {
    const Script script("touch \"$0.ran\"\n" + prints_token("abc"));
    ExecPlugin plugin = script.plugin();
    plugin.interactive = InteractiveMode::kAlways;
    CHECK(ExecPlugins(kNoTerminal).credential(plugin, kCluster).error() ==
          "f: users[0].user.exec.interactiveMode: Always, and standard input is no terminal");
    CHECK_FALSE(std::filesystem::exists(script.folder.path("login.ran")));
    plugin.interactive = InteractiveMode::kNever;
    CHECK(ExecPlugins().credential(plugin, kCluster)->token == "abc");
  }

  TEST_CASE("a command may ask at a terminal, unless its interactiveMode is Never") {
    const Script script(
        "read -r word; printf %s \"$KUBERNETES_EXEC_INFO\" >\"$0.info\"\n"
        "printf '{\"kind\":\"ExecCredential\",\"apiVersion\":\"" +
        std::string(kVersion) + "\",\"status\":{\"token\":\"typed-%s\"}}' \"$word\"");
    ExecPlugin plugin = script.plugin();
    for (const auto mode : {InteractiveMode::kIfAvailable, InteractiveMode::kAlways}) {
      const Terminal terminal("abc\n");
      plugin.interactive = mode;
      const auto got = ExecPlugins().credential(plugin, kCluster);
      REQUIRE_MESSAGE(got, got.error());
      CHECK(got->token == "typed-abc");
      CHECK(script.written("login.info").contains("\"interactive\":true"));
    }
    const Terminal terminal("abc\n");
    plugin.interactive = InteractiveMode::kNever;
    CHECK(ExecPlugins().credential(plugin, kCluster)->token == "typed-");
    CHECK(script.written("login.info").contains("\"interactive\":false"));
    plugin.interactive = InteractiveMode::kIfAvailable;
    CHECK(ExecPlugins(kNoTerminal).credential(plugin, kCluster)->token == "typed-");
  }

  TEST_CASE("people log in once, until the credential has expired") {
    const auto counts = [](const std::string& status) {
      return Script("printf x >>\"$0.runs\"\n" + prints(status));
    };
    const Script lasting = counts(R"({"token":"abc","expirationTimestamp":"9999-01-01T00:00:00Z"})");
    ExecPlugins plugins(kNoTerminal);
    ExecPlugin plugin = lasting.plugin();
    for (int i = 0; i < 2; ++i) CHECK(plugins.credential(plugin, kCluster)->token == "abc");
    CHECK(lasting.written("login.runs") == "x");
    plugin.arguments = {"other"};
    CHECK(plugins.credential(plugin, kCluster)->token == "abc");
    CHECK(lasting.written("login.runs") == "xx");
    const Script expired = counts(R"({"token":"abc","expirationTimestamp":"2001-01-01T00:00:00Z"})");
    for (int i = 0; i < 2; ++i) CHECK(plugins.credential(expired.plugin(), kCluster)->token == "abc");
    CHECK(expired.written("login.runs") == "xx");
    const Script failing("printf x >>\"$0.runs\"; exit 1");
    for (int i = 0; i < 2; ++i) CHECK_FALSE(plugins.credential(failing.plugin(), kCluster));
    CHECK(failing.written("login.runs") == "xx");
  }
}

}  // namespace winnow::live::test
