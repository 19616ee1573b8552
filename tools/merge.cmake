# Compiles files of a folder together, at most fourteen: most of a file's time goes into headers that its neighbours parse,
# too. For builds from nothing; the preset debug compiles each file by itself, quicker after an edit. Folders count to their
# second level, as cluster/state. A file that is added changes the units of its own folder alone.
function(merge_by_folder target)
  foreach(file IN LISTS ARGN)
    string(REGEX MATCH "^[^/]+(/[^/]+)?/" folder "${file}")
    string(MAKE_C_IDENTIFIER "${target}_${folder}" unit)
    math(EXPR part "0${${unit}_files} / 14")
    math(EXPR ${unit}_files "0${${unit}_files} + 1")
    set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${unit}${part})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A class may have members of its own file's private types: no other file sees them.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

foreach(library winnow_cluster winnow_predicates winnow_priorities winnow_extender)
  get_target_property(sources ${library} SOURCES)
  merge_by_folder(${library} ${sources})
endforeach()

# By themselves, since a private name of theirs is another file's too. A new clash is an error of the compiler: give one
# of the two a name of its own, or put it here.
set_source_files_properties(
  cluster/access/kubeconfig.cc
  cluster/access/service_account.cc
  cluster/api/object_name.cc
  cluster/api/selector_errors.cc
  cluster/transport/https_transport.cc
  extender/cli/explain_command.cc
  extender/cli/serve/serve.cc
  extender/config/policy/policy_priorities.cc
  extender/config/scheduler_config/releases/plugin_table.cc
  extender/config/scheduler_config/profile_rules.cc
  extender/engine/prioritize.cc
  extender/explain/matrix.cc
  extender/http/framing.cc
  predicates/today/pod_topology_spread.cc
  priorities/service_anti_affinity.cc
  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
