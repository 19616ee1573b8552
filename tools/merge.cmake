# Compiles the libraries' files eight at a time: most of a file's time goes into headers that its neighbours parse, too.
# For builds from nothing; the preset debug compiles each file by itself, quicker after an edit, and so shows that it
# includes what it needs.
foreach(library winnow_cluster winnow_predicates winnow_priorities winnow_extender)
  set_target_properties(${library} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  # A class may have members of its own file's private types: no other file sees them.
  target_compile_options(${library} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endforeach()

# By themselves, since a private name of theirs is another file's too. A new clash is an error of the compiler: give one
# of the two a name of its own, or put it here.
set_source_files_properties(
  cluster/decode/pod.cc
  cluster/decode/prefer_avoid_pods.cc
  cluster/decode/reader.cc
  cluster/files/cluster_file.cc
  cluster/api/label_syntax.cc
  cluster/clock.cc
  cluster/transport/connection.cc
  cluster/transport/http_client.cc
  cluster/transport/wire.cc
  cluster/access/credentials.cc
  cluster/transport/https_transport.cc
  cluster/access/kubeconfig.cc
  cluster/api/quantity.cc
  cluster/rule/volumes/volume_candidates.cc
  cluster/api/selector.cc
  cluster/state/assumed_pods.cc
  predicates/today/inter_pod_affinity.cc
  predicates/today/node_volume_limits.cc
  priorities/selector_spread.cc
  extender/cli/cluster_source.cc
  extender/cli/explain_command.cc
  extender/config/scheduler_config/config_schema.cc
  extender/config/common/gates.cc
  extender/config/scheduler_config/args/plugin_args_affinity.cc
  extender/config/scheduler_config/args/plugin_args_resources.cc
  extender/config/scheduler_config/args/plugin_args_spread.cc
  extender/config/scheduler_config/args/plugin_args_upstream_only.cc
  extender/config/scheduler_config/args/plugin_args_volumes.cc
  extender/config/scheduler_config/plugin_sets.cc
  extender/config/policy/policy_predicates.cc
  extender/config/scheduler_config/profile.cc
  extender/config/policy/rule_names.cc
  extender/config/rules.cc
  extender/config/scheduler_config/scheduler_config_versions.cc
  extender/engine/filter.cc
  extender/explain/columns.cc
  extender/explain/json.cc
  extender/http/chunk_framing.cc
  extender/http/router.cc
  extender/metrics/figure_series.cc
  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
