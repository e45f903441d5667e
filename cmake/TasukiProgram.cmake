# tasuki_add_program(name sources...): a program whose sweeps run on every device that this build has. Its sources
# are compiled as CUDA where there is CUDA, so that each sweep is a kernel as well as a loop.
function(tasuki_add_program name)
  add_executable(${name} ${ARGN})
  tasuki_use_devices(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE tasuki::tasuki)
endfunction()

# The same for sources of a target that exists.
function(tasuki_use_devices target)
  set_target_properties(${target} PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CUDA_STANDARD 20)
  if(TASUKI_HAVE_CUDA)
    set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CUDA)
  endif()
endfunction()
