# Finds HDF5, serial or parallel (no source calls MPI-IO), and xxHash, and sets TASUKI_HAVE_HDF5. Without them there are no snapshots or checkpoints.
set(TASUKI_HAVE_HDF5 OFF)
set(HDF5_PREFER_PARALLEL ON) # where there are both: its headers ask for the MPI that is there anyway
find_package(HDF5 QUIET COMPONENTS C HL)
find_library(TASUKI_XXHASH xxhash)
find_path(TASUKI_XXHASH_INCLUDE xxhash.h)
if(HDF5_FOUND AND TASUKI_XXHASH AND TASUKI_XXHASH_INCLUDE)
  set(TASUKI_HAVE_HDF5 ON)
  list(PREPEND HDF5_C_LIBRARIES ${HDF5_C_HL_LIBRARIES}) # dimension scales
else()
  message(STATUS "No HDF5 or no xxHash: building without snapshots and checkpoints")
endif()

# For targets whose sources call HDF5 themselves, or ask whether this build has it.
function(tasuki_use_hdf5 target)
  target_compile_definitions(${target} PRIVATE TASUKI_HAVE_HDF5)
  target_include_directories(${target} PRIVATE ${HDF5_INCLUDE_DIRS} ${TASUKI_XXHASH_INCLUDE})
  target_link_libraries(${target} PRIVATE ${HDF5_C_LIBRARIES} ${TASUKI_XXHASH})
endfunction()
