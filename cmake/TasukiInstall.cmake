# What find_package(tasuki) needs: headers, library, targets and what TasukiProgram.cmake knows. Component `library`;
# the programs are another.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(place ${CMAKE_INSTALL_LIBDIR}/cmake/tasuki)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/tasuki DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh")
install(FILES ${PROJECT_SOURCE_DIR}/lang/runtime/translated.h ${PROJECT_SOURCE_DIR}/lang/runtime/xmp.h
              ${PROJECT_SOURCE_DIR}/lang/runtime/openacc.h ${PROJECT_SOURCE_DIR}/lang/runtime/kernels.cuh
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tasuki/lang COMPONENT library)
install(TARGETS tasuki tasuki_xmp EXPORT tasukiTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(FILES ${CMAKE_BINARY_DIR}/lib/tasuki_xmp.json DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(EXPORT tasukiTargets NAMESPACE tasuki:: DESTINATION ${place} COMPONENT library)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tasukiConfig.cmake.in ${PROJECT_BINARY_DIR}/tasukiConfig.cmake
                              INSTALL_DESTINATION ${place})
# Before 1.0 a minor version may change what a program says.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tasukiConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tasukiConfig.cmake ${PROJECT_BINARY_DIR}/tasukiConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/TasukiProgram.cmake
        DESTINATION ${place} COMPONENT library)
include(TasukiPkgConfig)
