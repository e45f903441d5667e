# How a program is compiled for every device that this build of Tasuki has, here and in a user's project. Read by
# CMakeLists.txt and, where Tasuki is installed, by its tasukiConfig.cmake.

# The GPU generations to compile for: what the user asked for, else `otherwise`. nvcc has a default, which CMake writes
# into the cache as if somebody had asked for it; it is older than what Tasuki's kernels are for.
function(tasuki_architectures result otherwise)
  get_property(note CACHE CMAKE_CUDA_ARCHITECTURES PROPERTY HELPSTRING)
  get_property(cached CACHE CMAKE_CUDA_ARCHITECTURES PROPERTY VALUE)
  set(${result} ${otherwise} PARENT_SCOPE)
  if(NOT "${CMAKE_CUDA_ARCHITECTURES}" STREQUAL ""
     AND NOT (note STREQUAL "CUDA architectures" AND CMAKE_CUDA_ARCHITECTURES STREQUAL "${cached}"))
    set(${result} ${CMAKE_CUDA_ARCHITECTURES} PARENT_SCOPE)
  elseif(NOT "$ENV{CUDAARCHS}" STREQUAL "")
    set(${result} $ENV{CUDAARCHS} PARENT_SCOPE)
  endif()
endfunction()

# CUDA as a language of the folder that calls this. CMake knows a language in the folder where it was enabled and in those
# below only. A macro, since that has to be done at the folder's own scope.
macro(tasuki_enable_cuda)
  if(NOT CMAKE_CUDA_COMPILER_LOADED)
    if("${CMAKE_CUDA_ARCHITECTURES}" STREQUAL "")
      set(CMAKE_CUDA_ARCHITECTURES ${TASUKI_CUDA_ARCHITECTURES})
    endif()
    enable_language(CUDA)
  endif()
  if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION) # CMake before 3.26 does not know that nvcc has C++20
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20" CACHE INTERNAL "")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20" CACHE INTERNAL "")
  endif()
endmacro()

# Sources of a target that hold sweeps: they are compiled as CUDA where there is CUDA, so that each sweep is a kernel as
# well as a loop. CUDA has to be a language of the calling folder.
function(tasuki_use_devices target)
  set_target_properties(${target} PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
  if(TASUKI_HAVE_CUDA)
    tasuki_architectures(architectures "${TASUKI_CUDA_ARCHITECTURES}")
    set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CUDA)
    set_target_properties(${target} PROPERTIES CUDA_STANDARD 20 CUDA_ARCHITECTURES "${architectures}"
                                               CUDA_RUNTIME_LIBRARY ${TASUKI_CUDART})
  endif()
endfunction()

# Cells of programs loop over directions and components. g++ unrolls such a loop only if its body is short, and each cell then
# fills the tables that the loop indexes: nine directions took eight times as long. Sources of the library have no such loops.
function(tasuki_cell_flags result)
  set(${result} "" PARENT_SCOPE)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(${result} --param=max-completely-peeled-insns=1000 PARENT_SCOPE)
  endif()
endfunction()

function(tasuki_make_program name)
  add_executable(${name} ${ARGN})
  tasuki_use_devices(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE tasuki::tasuki)
  tasuki_cell_flags(flags)
  target_compile_options(${name} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${flags}>")
  if(flags)
    target_compile_options(${name} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${flags}>")
  endif()
  if(TASUKI_CHECKED)
    target_compile_definitions(${name} PRIVATE TASUKI_CHECKED)
  endif()
  if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    message(STATUS "tasuki: ${name} is built as Debug, which may take a hundred times as long; for runs take -DCMAKE_BUILD_TYPE=Release")
  endif()
endfunction()

# tasuki_add_program(name sources...): a program whose sweeps run on every device that this build has. Without a
# CMAKE_BUILD_TYPE it is optimised as Release is. With -DTASUKI_CHECKED=ON it reports sweeps that read what they did not
# declare.
macro(tasuki_add_program name)
  if(TASUKI_HAVE_CUDA)
    tasuki_enable_cuda()
  endif()
  tasuki_make_program(${name} ${ARGN})
endmacro()
