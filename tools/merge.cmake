# merge_by_folder(TARGET DEPTH MOST FILE…) compiles the files of a folder together, at most MOST of them in a unit, in units of
# equal size. Folders below DEPTH count to the one above: with 2 extender/service/page is of extender/service. Most of a file's
# time goes into headers and templates that its neighbours use, too. It is for builds from nothing. The preset debug compiles
# each file by itself, which is quicker after an edit.
function(merge_by_folder target depth most)
  foreach(file IN LISTS ARGN)
    get_filename_component(file "${file}" ABSOLUTE)
    file(RELATIVE_PATH path "${PROJECT_SOURCE_DIR}" "${file}")
    get_filename_component(folder "${path}" DIRECTORY)
    string(REPLACE "/" ";" parts "${folder}")
    list(SUBLIST parts 0 ${depth} parts)
    string(MAKE_C_IDENTIFIER "${target}_${parts}" unit)
    list(APPEND units ${unit})
    list(APPEND files_${unit} "${file}")
  endforeach()
  list(REMOVE_DUPLICATES units)
  foreach(unit IN LISTS units)
    list(LENGTH files_${unit} count)
    math(EXPR parts "(${count} + ${most} - 1) / ${most}")
    foreach(file IN LISTS files_${unit})
      list(FIND files_${unit} "${file}" place)
      math(EXPR part "${place} * ${parts} / ${count}")
      set_source_files_properties(${file} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${unit}${part})
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A class may have members of its own file's private types: no other file sees them.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# compile_alone(TARGET FILE…) is for what every call runs. In a merged unit, what is inlined would hang on its neighbours.
function(compile_alone target)
  list(TRANSFORM ARGN PREPEND "${PROJECT_SOURCE_DIR}/")
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>")
endfunction()

# precompile(TARGET HEADER…) compiles what most units of a target parse once. A file does not see what it must include itself:
# `make check` parses each alone.
function(precompile target)
  list(TRANSFORM ARGN PREPEND "${PROJECT_SOURCE_DIR}/")
  target_precompile_headers(${target} PRIVATE ${ARGN})
  # With these ccache finds a unit again: what it stands on is told by content, not by time.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${target} PRIVATE -Xclang -fno-pch-timestamp)
  else()
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
endfunction()

# What decisions run is inlined into its own unit: units stay small there, so that a neighbour changes little.
foreach(library winnow_cluster winnow_predicates winnow_priorities winnow_extender)
  get_target_property(sources ${library} SOURCES)
  set(decides ${sources})
  list(FILTER decides INCLUDE REGEX "/(cluster/state|cluster/rule|extender/engine|extender/reuse|predicates|priorities)/")
  list(REMOVE_ITEM sources ${decides})
  merge_by_folder(${library} 2 6 ${decides})
  merge_by_folder(${library} 2 20 ${sources})
endforeach()
precompile(winnow_cluster cluster/api/decoders.h cluster/clock.h cluster/state/state.h cluster/text/json.h)
precompile(winnow_extender cluster/state/view.h cluster/text/json.h extender/engine/engine.h)
compile_alone(winnow_cluster cluster/text/json.cc cluster/text/json_reader.cc cluster/text/json_scan.cc)
compile_alone(winnow_extender
  extender/engine/engine.cc extender/engine/select.cc
  extender/service/protocol/answer.cc
  extender/service/verbs/filter.cc extender/service/verbs/filter_answer.cc extender/service/verbs/prioritize.cc)
foreach(library winnow_predicates winnow_priorities)
  target_compile_options(${library} PRIVATE $<$<CONFIG:Release>:-O3>)
endforeach()
