#include "extender/cli/flags/wrong_flags.h"

#include <algorithm>
#include <cstdlib>

#include "cluster/access/server_url.h"
#include "cluster/text/go_quote.h"
#include "extender/cli/flags/listen_address.h"
#include "predicates/today/table.h"

namespace winnow {

bool names_live_cluster(const CommonFlags& flags) {
  return !flags.client.kubeconfig.empty() || !flags.client.masters.empty() ||
         std::getenv("KUBERNETES_SERVICE_HOST") != nullptr;
}

std::string no_cluster_error() {
  return "no cluster: give --cluster FILE..., or --kubeconfig FILE (or --master URL), or run in a pod, which "
         "has a "
         "service account";
}

std::string wrong_webhook(const CommonFlags& common, const ServeFlags& flags) {
  if (flags.authorization_webhook == AuthorizationWebhook::kOff) return {};
  if (!common.cluster.empty())
    return "--authorization-webhook=apiserver: there is no API server to ask: --cluster is a picture from "
           "files";
  if (flags.tls.cert_file.empty() && !live::is_loopback(flags.bind_address))
    return "--authorization-webhook=apiserver: --bind-address " + flags.bind_address +
           " is not loopback, and tokens would travel in clear: give --tls-cert-file";
  return {};
}

std::string wrong_serve_flags(const CommonFlags& common, const ServeFlags& flags) {
  const bool fixed = !common.cluster.empty();
  if (!fixed && !names_live_cluster(common)) return no_cluster_error();
  if (fixed && (!common.client.kubeconfig.empty() || !common.client.masters.empty()))
    return "--cluster is a picture that stays as it is: it does not go with --kubeconfig or --master";
  if (fixed && flags.enable_bind) return "--enable-bind needs a live cluster, and --cluster is not one";
  if (const auto where = parse_listen_address(flags.metrics_bind_address); !where)
    return "--metrics-bind-address: " + where.error();
  if (std::string wrong = wrong_tls_flags(flags.tls); !wrong.empty()) return wrong;
  if (std::string wrong = wrong_webhook(common, flags); !wrong.empty()) return wrong;
  if (std::string wrong = wrong_nominate_flags(flags.nominate, !fixed); !wrong.empty()) return wrong;
  if (std::string wrong =
          wrong_shadow_flags(flags.shadow, !fixed, flags.nominate.nominate, flags.enable_bind);
      !wrong.empty())
    return wrong;
  for (const std::string& name : flags.scheduler_filters)
    if (predicates::today::find_plugin(name) == nullptr)
      return "--scheduler-filters: " + go_quote(name) + " is no filter plugin of kube-scheduler";
  const bool open = !live::is_loopback(flags.bind_address);
  if (flags.enable_bind && open && flags.tls.client_ca_file.empty())
    return "--enable-bind: --bind-address " + flags.bind_address +
           " is not loopback, and whoever reaches the port could bind pods: listen on 127.0.0.1 or ::1, "
           "beside kube-scheduler, or give --client-ca-file";
  if (flags.enable_bind && open && std::ranges::contains(flags.tls.anonymous_paths, "/bind"))
    return "--anonymous-paths: /bind may not be among them, or whoever reaches the port could bind pods";
  if (flags.shadow.shadow && !flags.record.dir.empty())
    return "--shadow answers no call, and --record keeps answers: they do not go together";
  if (!flags.last_good_config.empty() && common.config.empty())
    return "--last-good-config keeps a copy of --config, and there is none";
  return {};
}

}  // namespace winnow
