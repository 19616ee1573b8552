#include <doctest/doctest.h>

#include "predicates/records.h"
#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test::node_declared_features_test {
namespace {

const char* const kRefused = "unresolvable: node(s) didn't match Pod's required features";

Node declares(std::vector<std::string> features) {
  Node made = node("a");
  made.status.declared_features = std::move(features);
  return made;
}

Pod restarting(bool in_init = false) {
  Pod made = in_init ? pod("web").container().init() : pod("web").container();
  (in_init ? made.spec.init_containers : made.spec.containers)[0].restarts_all = true;
  return made;
}

Pod on_host_network(std::optional<bool> host_users) {
  Pod made = pod("web").container();
  made.spec.host_network = true;
  made.spec.host_users = host_users;
  return made;
}

Pod mounting(std::vector<Container> PodSpec::* containers) {
  Pod made = pod("web");
  (made.spec.*containers).emplace_back().mounts_with_options = true;
  return made;
}

}  // namespace

TEST_CASE("NodeDeclaredFeatures: what a pod needs") {
  const Pod in_a_user_namespace = [] {
    Pod made = pod("web");
    made.spec.host_users = false;
    return made;
  }();
  const Placement rows[] = {
      {"nothing", pod("web").container(), node("a"), {}, "fits"},
      {"restarting all containers", restarting(), node("a"), {}, kRefused},
      {"and there it is", restarting(), declares({"RestartAllContainersOnContainerExits"}), {}, "fits"},
      {"an init container's rule", restarting(true), node("a"), {}, kRefused},
      {"the host's network with users of its own", on_host_network(false), node("a"), {}, kRefused},
      {"and there it is", on_host_network(false), declares({"UserNamespacesHostNetworkSupport"}), {}, "fits"},
      {"the host's network with the host's users", on_host_network(true), node("a"), {}, "fits"},
      {"which is the default", on_host_network(std::nullopt), node("a"), {}, "fits"},
      {"users of its own alone", in_a_user_namespace, node("a"), {}, "fits"},
      {"options of bind mounts", mounting(&PodSpec::containers), node("a"), {}, kRefused},
      {"of an init container", mounting(&PodSpec::init_containers), node("a"), {}, kRefused},
      {"of an ephemeral container", mounting(&PodSpec::ephemeral_containers), node("a"), {}, kRefused},
      {"and there it is", mounting(&PodSpec::containers), declares({"VolumeBindMountOptions"}), {}, "fits"},
      {"another feature does not do", restarting(), declares({"VolumeBindMountOptions"}), {}, kRefused},
  };
  check_plugin_verdicts("NodeDeclaredFeatures", rows);
}

TEST_CASE("NodeDeclaredFeatures: all that it needs, and several nodes") {
  Pod web = restarting();
  web.spec.containers[0].mounts_with_options = true;
  const Placement rows[] = {
      {"one of two", web, declares({"VolumeBindMountOptions"}), {}, kRefused},
      {"both, among others",
       web,
       declares({"ExtendWebSocketsToKubelet", "RestartAllContainersOnContainerExits", "SomethingNew",
                 "VolumeBindMountOptions"}),
       {},
       "fits"},
  };
  check_plugin_verdicts("NodeDeclaredFeatures", rows);
}

TEST_CASE("NodeDeclaredFeatures has nothing to say where nothing is needed") {
  State state(kPlugins);
  state.set_node(node("a"));
  const View view(state);
  const std::vector<NodeId> nodes = view.all_nodes();
  const auto* const row = predicates::find_plugin("NodeDeclaredFeatures");
  CHECK_FALSE(row->bind({pod("web").container(), view, nodes}, {}));
}

}  // namespace winnow::test::node_declared_features_test
