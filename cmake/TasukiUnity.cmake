# Sources of a room as a few units, each a source that includes up to twelve of them. What takes a compiler long in most
# sources is their headers, which a unit reads once, so the library takes half the time; after a change to one source
# more is compiled again.
#
#   tasuki_unite(units base ${sources}) # the sources themselves, where TASUKI_UNITY is off
#
# CMake's own UNITY_BUILD leaves out sources that have options of their own, as a third of these do.
#
# Two sources of a room must not give one name to two things, not even in unnamed namespaces: the test cmake.units says
# where they do. A build without units shows that each source includes what it uses.
function(tasuki_unite result room)
  list(TRANSFORM ARGN PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" REGEX "^[^/]" OUTPUT_VARIABLE united)
  list(JOIN united " " united)
  set_property(GLOBAL APPEND PROPERTY tasuki_united "${united}") # tests/cmake/units.py reads them
  if(NOT TASUKI_UNITY)
    set(${result} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(units)
  set(kinds)
  foreach(source IN LISTS ARGN)
    get_filename_component(source ${source} ABSOLUTE)
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    if(NOT options)
      set(options "none")
    endif()
    string(MAKE_C_IDENTIFIER "${options}" kind)
    list(APPEND kinds ${kind})
    set(options_of_${kind} ${options})
    list(APPEND sources_of_${kind} ${source})
  endforeach()
  list(REMOVE_DUPLICATES kinds)
  foreach(kind IN LISTS kinds)
    set(left ${sources_of_${kind}})
    list(LENGTH left count)
    math(EXPR number "(${count} + 11) / 12")
    math(EXPR each "(${count} + ${number} - 1) / ${number}") # as many in one as in another
    set(k 0)
    while(left)
      list(SUBLIST left 0 ${each} members)
      list(REMOVE_ITEM left ${members})
      set(unit ${CMAKE_CURRENT_BINARY_DIR}/units/${room}_${kind}_${k}.cpp)
      set(content)
      set(definitions)
      foreach(member IN LISTS members)
        file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${member}) # the same text wherever the project lies: ccache has the unit
        string(APPEND content "#include <${path}>\n")
        get_source_file_property(own ${member} COMPILE_DEFINITIONS)
        if(own)
          list(APPEND definitions ${own})
        endif()
      endforeach()
      list(REMOVE_DUPLICATES definitions)
      file(CONFIGURE OUTPUT ${unit} CONTENT "${content}" @ONLY)
      set(options ${options_of_${kind}})
      list(REMOVE_ITEM options none)
      if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # it takes a source that is included for a header
        list(APPEND options -Wno-subobject-linkage)
      endif()
      set_source_files_properties(${unit} PROPERTIES COMPILE_OPTIONS "${options}" COMPILE_DEFINITIONS "${definitions}")
      list(APPEND units ${unit})
      math(EXPR k "${k} + 1")
    endwhile()
  endforeach()
  set(${result} ${units} PARENT_SCOPE)
endfunction()
