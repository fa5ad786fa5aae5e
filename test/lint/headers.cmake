# Every header compiles alone. A source that includes its own header first (lint: own-header-first) proves that by being
# built; each remaining header gets a translation unit here, so a change compiles only what it touches and ccache knows
# the rest. ctest builds the target; an ordinary build does not.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}
     ${CMAKE_SOURCE_DIR}/api/*.h ${CMAKE_SOURCE_DIR}/apiserver/*.h ${CMAKE_SOURCE_DIR}/base/*.h
     ${CMAKE_SOURCE_DIR}/bootstrap/*.h ${CMAKE_SOURCE_DIR}/cmd/*.h ${CMAKE_SOURCE_DIR}/controllers/*.h
     ${CMAKE_SOURCE_DIR}/infrastructure/*.h ${CMAKE_SOURCE_DIR}/kube/*.h ${CMAKE_SOURCE_DIR}/kubeconfig/*.h
     ${CMAKE_SOURCE_DIR}/net/*.h ${CMAKE_SOURCE_DIR}/runtime/*.h ${CMAKE_SOURCE_DIR}/test/*.h
     ${CMAKE_SOURCE_DIR}/webhooks/*.h)

set(units "")
foreach(header IN LISTS headers)
  string(REGEX REPLACE "\\.h$" "" stem ${CMAKE_SOURCE_DIR}/${header})
  if(EXISTS ${stem}.cc OR EXISTS ${stem}_test.cc)
    continue()
  endif()
  set(unit ${CMAKE_CURRENT_BINARY_DIR}/alone/${header}.cc)
  # Twice: the second time proves #pragma once.
  file(CONFIGURE OUTPUT ${unit} CONTENT "#include \"${header}\"\n#include \"${header}\"\n")
  list(APPEND units ${unit})
endforeach()

add_library(headers_check OBJECT EXCLUDE_FROM_ALL ${units})
target_compile_options(headers_check PRIVATE -O0 -g0)
target_link_libraries(headers_check PRIVATE capstan_flags fmt::fmt Boost::headers Boost::json OpenSSL::SSL
                      yaml-cpp prometheus-cpp::core PkgConfig::httplib GTest::gmock GTest::gtest)
add_test(NAME headers_self_contained
         COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target headers_check)
set_tests_properties(headers_self_contained PROPERTIES LABELS lint TIMEOUT 1200 RUN_SERIAL TRUE)
