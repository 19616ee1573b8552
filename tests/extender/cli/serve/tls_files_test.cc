// Certificates from files, renewed while calls come; and serve with them.
#include <doctest/doctest.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <thread>

#include "extender/cli/commands.h"
#include "extender/cli/serve/listener_security.h"
#include "extender/service/http/transport.h"
#include "tests/cluster/client/transport/temp_folder.h"
#include "tests/extender/cli/serve/serve_in_thread.h"
#include "tests/extender/service/http/tls_client.h"

namespace winnow::test {
namespace {

using http::test::TlsClient;
using live::test::Authority;
using live::test::Identity;
using live::test::TempFolder;

/// A folder as kubelet mounts a secret: files are links through "..data", and an update exchanges that link.
class Secret {
 public:
  explicit Secret(const Identity& identity, const std::string& authority = "") {
    update(identity, authority);
    for (const char* file : {"tls.crt", "tls.key", "ca.crt"})
      std::filesystem::create_symlink(std::string("..data/") + file, folder_.path(file));
  }
  void update(const Identity& identity, const std::string& authority = "") {
    const std::string version = "..version" + std::to_string(++versions_);
    std::filesystem::create_directory(folder_.path(version));
    folder_.write(version + "/tls.crt", identity.certificate);
    folder_.write(version + "/tls.key", identity.key);
    folder_.write(version + "/ca.crt", authority);
    std::filesystem::create_directory_symlink(version, folder_.path("..data_tmp"));
    std::filesystem::rename(folder_.path("..data_tmp"), folder_.path("..data"));
  }
  TlsFlags flags(bool with_clients = false) const {
    TlsFlags flags{.cert_file = folder_.path("tls.crt"), .key_file = folder_.path("tls.key")};
    if (with_clients) flags.client_ca_file = folder_.path("ca.crt");
    return flags;
  }
  const TempFolder& folder() const { return folder_; }

 private:
  TempFolder folder_;
  int versions_ = 0;
};

std::string name_of(const TlsClient& client) {
  if (!client.connected()) return "no connection";
  char name[64] = "";
  X509_NAME_get_text_by_NID(X509_get_subject_name(SSL_get0_peer_certificate(client.session())),
                            NID_commonName, name, sizeof name);
  return name;
}

TEST_CASE("who may call by which certificate") {
  const auto status = [](const TlsFlags& flags, const std::string& path, http::ClientNames names) {
    http::Request request{.method = "POST", .path = path, .client_names = std::move(names)};
    http::Response response;
    const bool goes_on = client_guard(flags)(request, response, {}) == http::Admission::kPass;
    CHECK(goes_on == (response.status == 200));
    CHECK((goes_on || response.body.ends_with("\n")));
    return response.status;
  };
  const TlsFlags any;
  CHECK(status(any, "/filter", std::nullopt) == 401);
  CHECK(status(any, "/metrics", std::nullopt) == 401);
  CHECK(status(any, "/livez", std::nullopt) == 200);
  CHECK(status(any, "/readyz", std::nullopt) == 200);
  CHECK(status(any, "/livez/", std::nullopt) == 401);
  CHECK(status(any, "/filter", std::vector<std::string>{}) == 200);
  const TlsFlags some{.anonymous_paths = {}, .allowed_client_names = {"a", "b"}};
  CHECK(status(some, "/livez", std::nullopt) == 401);
  CHECK(status(some, "/filter", std::vector<std::string>{}) == 403);
  CHECK(status(some, "/filter", std::vector<std::string>{"c", "A", "a.b"}) == 403);
  CHECK(status(some, "/filter", std::vector<std::string>{"c", "b"}) == 200);
}

TEST_CASE("files that cannot be used at the start are named") {
  const Authority authority;
  const Identity identity = authority.issue({});
  Secret secret({identity.certificate, live::test::self_signed({}).key});
  CHECK(TlsFiles::open(secret.flags()).error() ==
        "--tls-cert-file " + secret.folder().path("tls.crt") + ", --tls-private-key-file " +
            secret.folder().path("tls.key") + ": the certificate and the key do not belong together");
  CHECK(TlsFiles::open(secret.flags(true)).error() == secret.folder().path("ca.crt") + ": the file is empty");
  TlsFlags missing = secret.flags();
  missing.key_file = secret.folder().path("nowhere");
  CHECK(TlsFiles::open(missing).error().starts_with(missing.key_file + ": "));
}

TEST_CASE("certificates are renewed under load, and no call is lost; a bad pair changes nothing") {
  const Authority authority;
  const auto named = [&](int number) {
    return authority.issue({.common_name = "n" + std::to_string(number)});
  };
  Secret secret(named(0));
  const auto files = TlsFiles::open(secret.flags()).value();
  http::test::Running running(http::test::describe, {}, [&](http::Server& server) {
    server.set_transport([&](int fd) { return http::make_tls_transport(fd, files->current()); });
  });
  const std::string get = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n";
  TlsClient kept(running.port, {.authority = authority.certificate()});
  std::atomic<bool> ending = false;
  std::atomic<int> lost = 0;
  std::atomic<int> answered = 0;
  std::vector<std::jthread> callers;
  for (int i = 0; i < 2; ++i)
    callers.emplace_back([&] {
      while (!ending) {
        TlsClient client(running.port, {.authority = authority.certificate()});
        for (int call = 0; call < 3; ++call) ++(client.ask(get).status == 200 ? answered : lost);
      }
    });
  for (int i = 1; i <= 10; ++i) {
    const int before = answered;
    secret.update(i % 3 == 0 ? Identity{named(i).certificate, named(i).key}
                             : named(i));  // Each third is bad.
    files->look();
    CHECK(name_of(TlsClient(running.port)) == "n" + std::to_string(i % 3 == 0 ? i - 1 : i));
    REQUIRE(http::test::eventually([&] { return answered > before; }));
  }
  std::filesystem::remove(secret.folder().path("..data"));
  files->look();
  CHECK(name_of(TlsClient(running.port)) == "n10");
  CHECK(kept.ask(get).status == 200);
  ending = true;
  callers.clear();
  CHECK(lost == 0);
}

TEST_CASE("serve with TLS: certificates of clients, anonymous paths, and a renewal by SIGHUP") {
  const Authority authority;
  Secret secret(authority.issue({.common_name = "first"}), authority.certificate());
  ServeFlags flags;
  flags.port = free_port();
  flags.tls = secret.flags(/*with_clients=*/true);
  flags.tls.allowed_client_names = {"kube-scheduler"};
  const CommonFlags common{.cluster = {std::string(WINNOW_ROOT) + "/manifests/sample-cluster.json"}};
  int code = -1;
  std::jthread active([&] { code = serve(common, flags); });
  const auto ask = [&](std::string_view path, const std::optional<Identity>& identity = {}) {
    return TlsClient(flags.port, {.authority = authority.certificate(), .identity = identity})
        .ask(request_text("GET", path))
        .status;
  };
  REQUIRE(eventually([&] { return ask("/readyz") == 200; }));
  CHECK(ask("/livez") == 200);
  for (const char* path : {"/metrics", "/rules", "/filter", "/nowhere"}) CHECK(ask(path) == 401);
  CHECK(ask("/rules", authority.issue({.common_name = "kube-scheduler"})) == 200);
  CHECK(ask("/rules", authority.issue({.common_name = "x", .names = {"kube-scheduler"}})) == 200);
  CHECK(ask("/rules", authority.issue({.common_name = "somebody"})) == 403);
  CHECK(ask("/readyz", authority.issue({.common_name = "somebody"})) == 200);
  const std::string metrics =
      TlsClient(flags.port, {.authority = authority.certificate(),
                             .identity = authority.issue({.common_name = "kube-scheduler"})})
          .ask(request_text("GET", "/metrics"))
          .body;
  // Those with a certificate that were answered by the service: valid for a day, and the test is shorter.
  CHECK(metrics.contains("winnow_client_certificate_expiration_seconds_bucket{le=\"43200\"} 0\n"));
  CHECK(metrics.contains("winnow_client_certificate_expiration_seconds_bucket{le=\"86400\"} 3\n"));
  CHECK(metrics.contains("\nwinnow_serving_certificate_expiration_timestamp_seconds 1"));
  CHECK(ask("/rules", Authority().issue({.common_name = "kube-scheduler"})) == 0);
  CHECK(name_of(TlsClient(flags.port)) == "first");
  secret.update(authority.issue({.common_name = "second"}), authority.certificate());
  pthread_kill(active.native_handle(), SIGHUP);
  CHECK(eventually([&] { return name_of(TlsClient(flags.port)) == "second"; }));
  pthread_kill(active.native_handle(), SIGTERM);
  active.join();
  CHECK(code == kDone);
}

}  // namespace
}  // namespace winnow::test
