# The Debian package of the manager: cpack --config build/release/CPackConfig.cmake -B build/deb, once capstan is built there.
include(GNUInstallDirs)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY TRUE)  # it holds one program, and need not wait for the others

install(TARGETS capstan RUNTIME DESTINATION bin)
install(FILES config/systemd/capstan.service DESTINATION lib/systemd/system)
install(FILES config/systemd/capstan.default DESTINATION /etc/default RENAME capstan)
install(FILES docs/install.md DESTINATION share/doc/capstan)
install(FILES LICENSE DESTINATION share/doc/capstan RENAME copyright)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME capstan)
set(CPACK_PACKAGE_CONTACT "The Capstan project")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Cluster API core provider: Machines, their sets, pools and health checks")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "ca-certificates, tzdata")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
file(WRITE ${CMAKE_BINARY_DIR}/deb/conffiles "/etc/default/capstan\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/deb/conffiles)
include(CPack)

# What the package brings besides programs, read by those who will read it; the stage `image` has systemd-analyze and
# promtool, and a test fails where its program is missing.
if(CAPSTAN_TESTS)
  configure_file(config/systemd/capstan.service ${CMAKE_BINARY_DIR}/deb/unit.in COPYONLY)
  add_test(NAME systemd_unit
           COMMAND sh -ec "sed \"s|^ExecStart=/usr/bin/capstan |ExecStart=$0 |\" unit.in >capstan.service
                           said=$(systemd-analyze verify --man=no ./capstan.service 2>&1) || echo failed
                           echo \"$said\" && test -z \"$said\"" $<TARGET_FILE:capstan>
           WORKING_DIRECTORY ${CMAKE_BINARY_DIR}/deb)
  # Every alert fires in a made-up history, and is silent before.
  add_test(NAME prometheus_alerts
           COMMAND sh -c "\"\${CAPSTAN_PROMTOOL:-promtool}\" test rules \"$0\"" ${CMAKE_SOURCE_DIR}/config/prometheus/alerts_test.yaml)
  set_tests_properties(systemd_unit prometheus_alerts PROPERTIES LABELS image)
endif()
