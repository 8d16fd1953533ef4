# How the core is compiled: which files go through the compiler together, and how hard it tries.
#
# Most of what a small file costs is the headers that it shares with its neighbours, so neighbouring files are one unit.
# Names inside anonymous namespaces must therefore differ within a unit; a file where one does not stands in ALONE. Units
# are kept so small that a change to one is compiled in half a minute on a slow processor.
option(TREEWRIGHT_UNITY "Compile neighbouring files together" ON)

# GCC 12 takes the undefined vectors inside its own AVX-512 headers for a mistake of ours.
set(WIDE_VECTORS
    grow/exact/scan_counts
    grow/forest/gather_codes
    grow/lists/divide_list
    grow/lists/lane_gains
    grow/lists/list_gains
    grow/tables/oblique/block_products
)
# Loops over rows become vectors only where the compiler need not keep floating-point traps. No result changes.
set(LOOPS_OVER_ROWS
    ensemble/byte_coder
    grow/boost/gradient_words
    grow/boost/losses
    grow/forest/lists/key_lanes
    grow/forest/lists/list_scan
    grow/forest/random_cuts/lane_loops
    network/units
)
# They read what a model file holds: a number that may not fit where it goes is an error of the compiler.
set(READERS_OF_FILES
    ensemble/check_ensemble
    ensemble/joined_trees
    tree/check_tree
    tree/read_lists
    tree/tree
)
# The loops of these have no vectors: -O3 would only take longer.
set(NO_VECTORS "^(prune|tree|model_tree|grow/tables/chaid)/|^grow/exact/(block_grower|class_engines|pair_engines)$")

# Folders that share a unit; every other folder is a unit of its own.
set(TOGETHER "base|encode|table" "prune|tree" "model_tree|grow/tables/chaid" "network|descent|predict"
    "grow/tables/(c45|conditional)")
# Large files, so that all processors have work; or with a name that a neighbour has too.
set(ALONE
    grow/boost/divide_rows
    grow/boost/group_scan
    grow/boost/gradient_words
    grow/exact/block_grower
    grow/exact/class_engines
    grow/exact/pair_engines
    grow/forest/grow_forest
    grow/forest/random_cuts/grow_extra_trees
    predict/find_leaves
)

# The core without Python: part of the module, and of the tests in tests/core. Compiled as nanobind compiles a module.
add_library(core_objects INTERFACE)
target_include_directories(core_objects INTERFACE core)
target_link_libraries(core_objects INTERFACE Threads::Threads)

if(NOT MSVC)
  set(AS_A_MODULE -fno-stack-protector -ffunction-sections -fdata-sections)
  set(NO_TRAPS -fno-trapping-math)
  set(NO_LOST_NUMBERS -Wconversion -Wsign-conversion -Werror=conversion -Werror=sign-conversion)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(TRUST_HEADERS -Wno-maybe-uninitialized -Wno-uninitialized -Wno-psabi)
endif()

function(put_into_units files)
  foreach(file IN LISTS files)
    get_filename_component(folder ${file} DIRECTORY)
    foreach(folders IN LISTS TOGETHER)
      if(folder MATCHES "^(${folders})$")
        set(folder ${folders})
      endif()
    endforeach()
    string(REGEX REPLACE "[^a-z0-9]" "_" unit ${folder})
    if(NOT file IN_LIST ALONE)
      set_source_files_properties(core/${file}.cpp PROPERTIES UNITY_GROUP ${unit})
    endif()
  endforeach()
endfunction()

# A part of core_objects that is compiled with options of its own: add_part(name files options…).
function(add_part name files)
  list(TRANSFORM files REPLACE "(.+)" "core/\\1.cpp")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${files})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
    UNITY_BUILD ${TREEWRIGHT_UNITY} UNITY_BUILD_MODE GROUP)
  target_compile_options(${name} PRIVATE ${AS_A_MODULE} ${ARGN})
  target_include_directories(${name} PRIVATE core)
  target_sources(core_objects INTERFACE $<TARGET_OBJECTS:${name}>)
endfunction()

file(GLOB_RECURSE REST CONFIGURE_DEPENDS RELATIVE "${CMAKE_SOURCE_DIR}/core" core/*.cpp)
list(FILTER REST EXCLUDE REGEX "^bind/")
list(TRANSFORM REST REPLACE "\\.cpp$" "")
list(REMOVE_ITEM REST ${WIDE_VECTORS} ${LOOPS_OVER_ROWS} ${READERS_OF_FILES})
put_into_units("${REST}")
set(PLAIN ${REST})
list(FILTER PLAIN INCLUDE REGEX ${NO_VECTORS})
list(FILTER REST EXCLUDE REGEX ${NO_VECTORS})
set(TOGETHER ".+")
put_into_units("${WIDE_VECTORS}")
put_into_units("${LOOPS_OVER_ROWS}")
if(TREEWRIGHT_OPTIMIZE STREQUAL "-O3" AND NOT TREEWRIGHT_SANITIZE)
  set(LESS -O2)
endif()
add_part(core_plain "${PLAIN}" ${LESS})
add_part(core_rest "${REST}")
add_part(core_wide "${WIDE_VECTORS}" ${TRUST_HEADERS})
add_part(core_readers "${READERS_OF_FILES}" ${LESS} ${NO_LOST_NUMBERS})
add_part(core_loops "${LOOPS_OVER_ROWS}" ${NO_TRAPS})
