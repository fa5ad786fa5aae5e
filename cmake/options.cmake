# Compiler settings every target shares.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

option(CAPSTAN_FUZZ "build the libFuzzer targets (clang only)" OFF)
option(CAPSTAN_TESTS "build the tests" ON)
option(CAPSTAN_DEFECTS "compile in the embedded API server's seeded defects (conformance --defects)" ON)
set(CAPSTAN_SANITIZE "" CACHE STRING "address, thread or empty")
option(CAPSTAN_UNITY "compile libraries in units of eight sources: a third of the time, but coarser rebuilds" OFF)

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

add_library(capstan_flags INTERFACE)
target_compile_options(capstan_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wswitch-enum -Werror -fno-omit-frame-pointer)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # -Wmissing-field-initializers fights designated initialisers; the last three misfire inside libstdc++ 12 and Boost.
  target_compile_options(capstan_flags INTERFACE
    -Wno-missing-field-initializers -Wno-maybe-uninitialized -Wno-restrict -Wno-dangling-pointer)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # -Wconversion of g++ leaves signs alone; libstdc++ 12 itself calls what it calls deprecated, in std::stable_sort.
  target_compile_options(capstan_flags INTERFACE -Wno-missing-field-initializers -Wno-sign-conversion
                         -Wno-deprecated-declarations)
endif()
if(CAPSTAN_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # It takes what a unit includes for a header, where types must not have file-local members.
  target_compile_options(capstan_flags INTERFACE -Wno-subobject-linkage)
endif()
if(CAPSTAN_DEFECTS)
  target_compile_definitions(capstan_flags INTERFACE CAPSTAN_DEFECTS)
endif()
target_include_directories(capstan_flags INTERFACE ${CMAKE_SOURCE_DIR})

if(CAPSTAN_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined)
elseif(CAPSTAN_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -Wno-tsan)
  add_link_options(-fsanitize=thread)
endif()
# What is instrumented in full is what parses, has threads and is hot. Tests, and the domain that stands on those floors
# (capstan_library(... LIGHT)), are the larger half of the code and only pay for it in minutes of compiling: at -O0 and
# without the checks that stand at every pointer, such a source compiles in 50 to 60 % of the time.
set(capstan_test_options "")
set(capstan_light_options "")
if(CAPSTAN_SANITIZE)
  list(APPEND capstan_test_options -O0)
  set(capstan_light_options -O0)
endif()
if(CAPSTAN_SANITIZE STREQUAL "address")
  list(APPEND capstan_test_options -fno-sanitize=null,alignment,vptr,object-size)
  set(capstan_light_options ${capstan_test_options})
endif()

# Coverage for libFuzzer everywhere; the fuzz programs alone get its main() (capstan_fuzz).
if(CAPSTAN_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "CAPSTAN_FUZZ needs clang++ (scripts/fuzz)")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined)
endif()
