// `winnow withdraw`: clears Winnow's nominations, and removes its gate, when Winnow is removed.
#include <format>
#include <iostream>
#include <memory>
#include <utility>

#include "cluster/client/access/client_flags.h"
#include "cluster/client/servers/api_servers.h"
#include "cluster/client/servers/pod_patcher.h"
#include "cluster/client/transport/https_transport.h"
#include "cluster/client/watch/lease.h"
#include "extender/cli/commands.h"
#include "extender/cli/flags/flag_kinds.h"
#include "extender/cli/flags/flags.h"
#include "extender/operate/held_leases.h"
#include "extender/operate/withdraw.h"

namespace winnow {
namespace {

constexpr std::chrono::seconds kReadLimit{30};

class WithdrawRun {
 public:
  WithdrawRun(const WithdrawFlags& flags, std::string_view program) : flags_(flags), program_(program) {}

  int run(const live::ClientFlags& client) {
    if (const std::string wrong = wrong_withdraw_flags(flags_); !wrong.empty()) return fail(wrong);
    auto config = live::find_client_config(client);
    if (!config) return fail(config.error());
    live::ApiServers servers(config->servers, live::system_clock());
    auto transport = live::HttpsTransport::make(std::move(*config), live::system_clock());
    if (!transport) return fail(transport.error());
    const auto ask = [&](const live::ApiRequest& request) {
      return ask_one_of(servers.servers(), **transport, request);
    };
    if (!flags_.dry_run && !may_begin(ask)) return kBadInput;
    live::PodPatcher patcher(servers, **transport, live::system_clock());
    const auto report = withdraw_from_pods(ask, patcher, live::system_clock(), {flags_.gate, flags_.dry_run});
    if (!report) return fail("the pods are not shown: " + report.error());
    return print(*report);
  }

 private:
  int fail(const std::string& line) const {
    stderr_line(std::string(program_) + ": " + line);
    return kBadInput;
  }

  static std::expected<live::ApiResponse, std::string> ask_one_of(const std::vector<std::string>& servers,
                                                                  live::ApiTransport& transport,
                                                                  const live::ApiRequest& request) {
    std::string errors;
    for (const std::string& server : servers) {
      auto answer = transport.call(server, request, kReadLimit, {});
      if (answer) return std::move(*answer);
      errors += (errors.empty() ? "" : "; ") + answer.error().message;
    }
    return std::unexpected(errors);
  }

  bool may_begin(const AskServer& ask) const {
    const std::string ns =
        flags_.lease_namespace.empty() ? live::election_namespace() : flags_.lease_namespace;
    const auto held = await_no_nominator(ask, live::system_clock(), {ns, flags_.lease_name}, flags_.wait);
    if (!held) {
      fail("it is not known whether a Winnow still nominates; one would write again what is cleared: " +
           held.error());
      return true;
    }
    if (held->leases.empty()) return true;
    const std::string who =
        "a Winnow still nominates, and would write again what is cleared: " + to_text(held->leases);
    fail(flags_.force ? who : who + "; stop it first, give it time by --wait, or say --force");
    return flags_.force;
  }

  int print(const WithdrawReport& report) const {
    std::cout << (flags_.json ? report_json(report) : report_text(report)) << std::flush;
    if (!std::cout) return fail("standard output cannot be written");
    return report.is_done() ? kDone : kAnswerIsNo;
  }

  const WithdrawFlags& flags_;
  const std::string_view program_;
};

}  // namespace

int withdraw(const live::ClientFlags& client, const WithdrawFlags& flags, std::string_view program) {
  return WithdrawRun(flags, program).run(client);
}

}  // namespace winnow
