# A program that runs on any Linux of its architecture, without a library of it. Of the packages it takes the archives;
# that of {fmt} is not packaged, so its sources are compiled from its headers. Units of eight sources would bring in more
# than the program needs, and sanitizers want shared libraries: there it is linked like any other.
set(CAPSTAN_STATIC_AGENT_DEFAULT ON)
if(CAPSTAN_UNITY OR CAPSTAN_SANITIZE OR CAPSTAN_FUZZ)
  set(CAPSTAN_STATIC_AGENT_DEFAULT OFF)
endif()
option(CAPSTAN_STATIC_AGENT "link capstan-agent statically" ${CAPSTAN_STATIC_AGENT_DEFAULT})

function(capstan_static_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  if(NOT CAPSTAN_STATIC_AGENT)
    capstan_program(${name} SOURCES ${ARG_SOURCES} LINK ${ARG_LINK})
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES} cmake/fmt_archive.cc)
  target_link_libraries(${name} PRIVATE capstan_flags)
  set(archives "")
  foreach(library agent_program program agent kubeconfig runtime kube net api api_schema base)
    list(APPEND archives $<TARGET_FILE:${library}>)
    add_dependencies(${name} ${library})
  endforeach()
  target_link_options(${name} PRIVATE -static)
  target_link_libraries(${name} PRIVATE -Wl,--start-group ${archives} -l:libyaml-cpp.a -l:libboost_json.a -l:libboost_container.a
                        -l:libssl.a -l:libcrypto.a -Wl,--end-group)
endfunction()
