function(bth_use_pch target pch)
  if(BTH_PCH)
    target_precompile_headers(${target} REUSE_FROM ${pch})
  endif()
endfunction()

# bth_unity(TARGET): several sources per compile, as BTH_UNITY says. Names of unnamed namespaces are
# therefore unique within a target, not only within a file.
function(bth_unity target)
  if(BTH_UNITY GREATER 0)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${BTH_UNITY})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # GCC takes a source that is included for a header, in which unnamed namespaces are a mistake.
      target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    endif()
  endif()
endfunction()

# bth_sources(OUT PATTERN): files of the current folder and below whose names match. A folder with a
# CMakeLists.txt of its own keeps its files to itself.
function(bth_sources out pattern)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${pattern})
  file(GLOB_RECURSE apart CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt)
  foreach(list IN LISTS apart)
    get_filename_component(folder ${list} DIRECTORY)
    list(FILTER found EXCLUDE REGEX "^${folder}/")
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# bth_tame_coroutines(TARGET SOURCES DEPS ...): GCC 12 above -O1 returns locals of coroutines that were
# never made (a watch's lines, for one). Sources with coroutines stay at the level at which the tests
# run them: where that is not the preset's, they are objects of their own, which TARGET takes in.
function(bth_tame_coroutines name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  foreach(source IN LISTS ARG_SOURCES)
    file(STRINGS ${source} coroutine LIMIT_COUNT 1 REGEX "co_await|co_return")
    if(coroutine)
      list(APPEND tamed ${source})
    endif()
  endforeach()
  if(NOT tamed)
    return()
  endif()
  get_target_property(sources ${name} SOURCES)
  list(REMOVE_ITEM sources ${tamed})
  if(NOT sources)
    set_source_files_properties(${tamed} PROPERTIES COMPILE_OPTIONS "-O1")
    return()
  endif()
  add_library(${name}_coroutines OBJECT ${tamed})
  target_link_libraries(${name}_coroutines PRIVATE bth_flags ${ARG_DEPS})
  target_compile_options(${name}_coroutines PRIVATE -O1)
  bth_use_pch(${name}_coroutines bth_pch)
  bth_unity(${name}_coroutines)
  set_property(TARGET ${name} PROPERTY SOURCES ${sources} $<TARGET_OBJECTS:${name}_coroutines>)
endfunction()

# bth_library(NAME DEPS ...): one library for a folder: every .cc in it and below.
function(bth_library name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  bth_sources(sources *.cc)
  list(FILTER sources EXCLUDE REGEX "(_test|_bench|_fuzz)\\.cc$")
  if(sources)
    add_library(bth_${name} STATIC ${sources})
    target_link_libraries(bth_${name} PUBLIC bth_flags ${ARG_DEPS})
    bth_use_pch(bth_${name} bth_pch)
    bth_unity(bth_${name})
    bth_tame_coroutines(bth_${name} SOURCES ${sources} DEPS ${ARG_DEPS})
  else()
    add_library(bth_${name} INTERFACE)
    target_link_libraries(bth_${name} INTERFACE bth_flags ${ARG_DEPS})
  endif()
endfunction()

# What a user runs, without tests and benchmarks; and, with BTH_FUZZ, every fuzzer.
add_custom_target(programs)
if(BTH_FUZZ)
  add_custom_target(fuzzers)
endif()

# bth_binary(NAME SOURCE DEPS ...): a program in bin/.
function(bth_binary name source)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE bth_flags ${ARG_DEPS})
  bth_use_pch(${name} bth_pch)
  add_dependencies(programs ${name})
endfunction()

# bth_loads_plugins(TARGET): shared objects with plugins (framework/hooks/plugin_abi.h) find everything
# below the plugins in this program: all of those libraries is in it, whether it uses it or not, and
# all of it is exported. They go in as objects, which every linker takes once.
function(bth_loads_plugins name)
  set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON)
  foreach(library IN ITEMS base model algo conf framework)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:bth_${library}>)
  endforeach()
endfunction()

# bth_use_jemalloc(TARGET): a program whose time goes into making and dropping small objects on one
# thread. The sanitizers bring an allocator of their own.
function(bth_use_jemalloc name)
  if(NOT BTH_SANITIZE)
    find_library(JEMALLOC_LIBRARY jemalloc REQUIRED)
    target_link_libraries(${name} PRIVATE ${JEMALLOC_LIBRARY})
  endif()
endfunction()

# bth_fuzzers(DEPS ...): one libFuzzer program from each *_fuzz.cc of the current folder. bth_test
# calls it, so a tests folder needs no line of its own.
function(bth_fuzzers)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  bth_sources(sources *_fuzz.cc)
  foreach(source IN LISTS sources)
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE bth_flags ${ARG_DEPS})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzzers ${name})
  endforeach()
endfunction()

# bth_test(NAME DEPS ... LABELS ...): one Catch2 program from every *_test.cc of the current folder.
function(bth_test name)
  cmake_parse_arguments(ARG "" "" "DEPS;LABELS" ${ARGN})
  if(BTH_FUZZ)
    bth_fuzzers(DEPS ${ARG_DEPS})
  endif()
  bth_sources(sources *_test.cc)
  if(NOT sources)
    return()
  endif()
  add_executable(${name}_test ${sources})
  target_link_libraries(${name}_test PRIVATE bth_flags bth_catch_main ${ARG_DEPS})
  bth_use_pch(${name}_test bth_pch_tests)
  bth_unity(${name}_test)
  if((BTH_SANITIZE OR BTH_UNITY) AND BTH_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12 sees copies out of bounds in strings that are joined with +, where there are none: in
    # system headers it keeps that to itself, but not in those of a precompiled header.
    target_compile_options(${name}_test PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
  endif()
  # Sources are named relative to the build folder, so that compiler caches serve every clone;
  # tests find their data by those names.
  add_test(NAME ${name} COMMAND ${name}_test WORKING_DIRECTORY ${CMAKE_BINARY_DIR})
  # Sanitizers slow some programs down twentyfold.
  set(timeout_s 600)
  if(BTH_SANITIZE)
    set(timeout_s 1500)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${timeout_s} LABELS "${ARG_LABELS}")
endfunction()
