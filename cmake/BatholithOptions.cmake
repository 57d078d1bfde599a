# Compiler settings shared by every target.
option(BTH_TESTS "Build the tests" ON)
option(BTH_BENCH "Build the benchmarks" OFF)
option(BTH_PCH "Parse the headers that most files read once (cmake/pch.h)" ON)
option(BTH_COVERAGE "Count which lines and branches are executed" OFF)
option(BTH_FUZZ "Build libFuzzer targets (clang only)" OFF)
# Of every second of a compile, most is the same headers and templates again. Presets tidy and fuzz go
# without, and `make lint-alone` sees to it that every source includes what it names.
set(BTH_UNITY 0 CACHE STRING "Sources of a library or of a test program per compile; 0: one each")
set(BTH_SANITIZE "" CACHE STRING "Sanitizers, as given to -fsanitize=")
set(BTH_DIMS 16 CACHE STRING "Resource dimensions one cluster may use (kDims)")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  # Objects are shared between build folders and between clones.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_NOHASHDIR=1
    CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
endif()

# Most of a small rebuild is linking; lld does it in a fraction of the time of the default linker.
find_program(LLD_PROGRAM ld.lld)
if(LLD_PROGRAM AND NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  add_link_options(-fuse-ld=lld)
endif()

find_package(Threads REQUIRED)
find_package(absl REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(prometheus-cpp REQUIRED CONFIG COMPONENTS core)
find_package(ZLIB REQUIRED)

add_library(bth_flags INTERFACE)
target_include_directories(bth_flags INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_definitions(bth_flags INTERFACE BTH_DIMS=${BTH_DIMS})
target_compile_options(bth_flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
  -Wno-missing-field-initializers -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports uninitialized members inside std::optional and overlapping copies inside
  # std::string where there are none.
  target_compile_options(bth_flags INTERFACE -Wno-maybe-uninitialized -Wno-restrict -Wno-psabi
    -fcoroutines)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # A listener of several stores has an overload of each event for each kind: none hides another.
  target_compile_options(bth_flags INTERFACE -Wno-overloaded-virtual)
endif()
if(BTH_SANITIZE)
  target_compile_options(bth_flags INTERFACE -fsanitize=${BTH_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(bth_flags INTERFACE -fsanitize=${BTH_SANITIZE})
  if(BTH_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Asio has fences around its handlers, which ThreadSanitizer does not see and GCC says so. They
    # only add to the event loop's mutex and atomics, which it does see, so no report is lost.
    target_compile_options(bth_flags INTERFACE -Wno-tsan)
  endif()
endif()

if(BTH_COVERAGE)
  target_compile_options(bth_flags INTERFACE --coverage)
  target_compile_definitions(bth_flags INTERFACE BTH_COVERAGE)
  target_link_options(bth_flags INTERFACE --coverage)
endif()

# bth_pch for libraries and programs, bth_pch_tests for what uses Catch2. Release goes without: GCC 12
# then warns of code inlined from the standard library as if it were ours.
if(BTH_PCH)
  foreach(pch IN ITEMS pch pch_tests)
    add_library(bth_${pch} OBJECT EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/cmake/pch.cc)
    target_link_libraries(bth_${pch} PRIVATE bth_flags)
    target_precompile_headers(bth_${pch} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/${pch}.h)
  endforeach()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(bth_flags INTERFACE -fpch-preprocess)  # For compiler caches.
  endif()
endif()
