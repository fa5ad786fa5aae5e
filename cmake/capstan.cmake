# capstan_library(NAME [LIGHT] DIR folder [EXCLUDE regex...] LINK PUBLIC ... PRIVATE ...): every *.cc of a folder that is
#   no test and no fixture. LIGHT: instrumented as tests are (options.cmake).
# capstan_test(NAME DIR folder [LABELS ...] [SOURCES ...] LINK ...): every *_test.cc of a folder, one gtest program.
# capstan_fixtures(NAME DIR folder LINK ...): every *_fixture.cc of a folder, compiled once for all suites that use them.
# capstan_program(NAME [DIR folder] [SOURCES ...] LINK ...): an executable named NAME in bin/.
# capstan_static_program(NAME SOURCES ... LINK ...): the same, linked statically where CAPSTAN_STATIC_AGENT is on (static.cmake).
# capstan_fuzz(NAME_fuzz SOURCE file LINK ...): with CAPSTAN_FUZZ a libFuzzer program; otherwise a test, NAME_replay, that
#   feeds it the inputs of test/fuzz/corpus/NAME once.
# "DIR" may hold several folders; folders are not searched recursively.
function(_capstan_sources out pattern)
  set(found "")
  foreach(dir IN LISTS ARGN)
    file(GLOB here CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${dir}/${pattern})
    list(APPEND found ${here})
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# With CAPSTAN_UNITY a library is compiled in units of eight sources, where a file-local name must be unlike those of its
# neighbours. These sources have a name that another of their namespace has too, and are compiled alone. ("redefinition of
# {anonymous}::x": give x a name of its own, or add the file here.)
set_source_files_properties(
  api/schema/openapi.cc api/schema/struct_builder.cc api/schema/validate.cc api/v1beta2/machine_rules.cc
  api/v1beta2/version_order.cc apiserver/builtin/builtin.cc apiserver/builtin/config_rules.cc apiserver/verbs/evicting.cc
  apiserver/fields/typed_node.cc apiserver/fields/typed_value.cc apiserver/controllers/garbage.cc apiserver/http/http.cc
  apiserver/present/openapi_paths.cc apiserver/verbs/patching.cc apiserver/verbs/reading.cc apiserver/schema/declare.cc
  apiserver/schema/formats.cc apiserver/schema/validate.cc apiserver/present/table_columns.cc apiserver/verbs/updating.cc
  apiserver/admission/webhooks.cc base/time.cc base/version.cc cmd/dev/apiserver_command.cc cmd/dev/demo_command.cc
  cmd/dev/provider_command.cc cmd/dev/up_command.cc controllers/cluster/descendant_conditions.cc
  controllers/cluster/conditions_v1beta1.cc controllers/machinedeployment/conditions_v1beta1.cc
  controllers/rollout/rolling_update.cc controllers/shared/stale_deletions.cc
  controllers/machinehealthcheck/shared_cause.cc controllers/machinepool/pool_drain.cc
  controllers/machinepool/plan.cc controllers/machinepool/providers.cc controllers/machinepool/reconciler.cc
  controllers/machineset/conditions_v1beta1.cc kubeconfig/kubeconfig.cc net/server_connection.cc net/url.cc
  PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

function(capstan_library name)
  cmake_parse_arguments(ARG "LIGHT" "" "DIR;EXCLUDE;LINK" ${ARGN})
  _capstan_sources(sources "*.cc" ${ARG_DIR})
  list(FILTER sources EXCLUDE REGEX "(_test|_bench|_fuzz|_fixture)\\.cc$")
  foreach(regex IN LISTS ARG_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${regex}")
  endforeach()
  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PRIVATE capstan_flags)
    if(ARG_LIGHT)
      target_compile_options(${name} PRIVATE ${capstan_light_options})
    endif()
    if(CAPSTAN_UNITY)
      set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    endif()
    if(ARG_LINK)
      target_link_libraries(${name} ${ARG_LINK})
    endif()
  else()
    add_library(${name} INTERFACE)
  endif()
endfunction()

function(capstan_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "DIR;LABELS;LINK;SOURCES" ${ARGN})
  if(NOT CAPSTAN_TESTS)
    return()
  endif()
  set(sources ${ARG_SOURCES})
  if(NOT sources)
    _capstan_sources(sources "*_test.cc" ${ARG_DIR})
  endif()
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE capstan_flags ${ARG_LINK} GTest::gmock_main GTest::gmock GTest::gtest)
  target_compile_options(${name} PRIVATE ${capstan_test_options})
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}")
endfunction()

function(capstan_fixtures name)
  cmake_parse_arguments(ARG "" "" "DIR;LINK" ${ARGN})
  if(NOT CAPSTAN_TESTS)
    return()
  endif()
  _capstan_sources(sources "*_fixture.cc" ${ARG_DIR})
  add_library(${name} STATIC EXCLUDE_FROM_ALL ${sources})
  target_link_libraries(${name} PRIVATE capstan_flags PUBLIC ${ARG_LINK} GTest::gmock GTest::gtest)
  target_compile_options(${name} PRIVATE ${capstan_test_options})
endfunction()

function(capstan_program name)
  cmake_parse_arguments(ARG "" "" "DIR;LINK;SOURCES" ${ARGN})
  set(sources ${ARG_SOURCES})
  if(NOT sources)
    _capstan_sources(sources "*.cc" ${ARG_DIR})
    list(FILTER sources EXCLUDE REGEX "(_test|_bench|_fuzz|_fixture)\\.cc$")
  endif()
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE capstan_flags ${ARG_LINK})
endfunction()

function(capstan_fuzz name)
  cmake_parse_arguments(ARG "" "SOURCE" "LINK" ${ARGN})
  string(REGEX REPLACE "_fuzz$" "" subject ${name})
  if(CAPSTAN_FUZZ)
    add_executable(${name} ${CMAKE_SOURCE_DIR}/${ARG_SOURCE})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_libraries(${name} PRIVATE capstan_flags ${ARG_LINK})
    if(NOT TARGET fuzz_programs)
      add_custom_target(fuzz_programs)
    endif()
    add_dependencies(fuzz_programs ${name})
  elseif(CAPSTAN_TESTS)
    add_executable(${subject}_replay ${CMAKE_SOURCE_DIR}/${ARG_SOURCE} ${CMAKE_SOURCE_DIR}/test/fuzz/replay.cc)
    target_link_libraries(${subject}_replay PRIVATE capstan_flags ${ARG_LINK})
    add_test(NAME ${subject}_replay COMMAND ${subject}_replay ${CMAKE_SOURCE_DIR}/test/fuzz/corpus/${subject})
    set_tests_properties(${subject}_replay PROPERTIES TIMEOUT 60 LABELS sanitize-address)
  endif()
endfunction()
