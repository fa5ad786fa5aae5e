# LABELS, for .ci/run: sanitize: runs under asan and tsan too; sanitize-address: under asan only, for it has no threads;
# sanitize-thread: under tsan, and under asan in the stage `domain`; sanitize-domain: under asan in the stage `domain`, half
# an hour that no change waits for; unsanitized: too slow under asan to be shown clean.
# The house, lowest floor first. A folder links only what stands below it; test/lint checks the includes.

# floor 0
capstan_library(base DIR base LINK PUBLIC fmt::fmt Threads::Threads PRIVATE prometheus-cpp::core)
capstan_test(base_test DIR base LABELS sanitize LINK base)

# floor 1
capstan_library(api_schema DIR api/schema LINK PUBLIC base Boost::json PRIVATE yaml-cpp)
capstan_library(api DIR api api/meta api/core api/v1beta1 api/v1beta2 api/policy api/driver api/bootstrap api/contract
                    api/conditions
                LINK PUBLIC api_schema base)
capstan_test(schema_test DIR api/schema api/meta LABELS sanitize-address LINK api)
capstan_library(builders DIR test/builders LINK PUBLIC api)
capstan_test(api_test DIR api api/core api/v1beta2 api/policy api/driver api/bootstrap api/contract api/conditions test/builders
             LABELS sanitize-address LINK api builders)
capstan_test(api_v1beta1_test DIR api/v1beta1 LABELS sanitize-address LINK api builders Boost::json)
capstan_library(net DIR net LINK PUBLIC base PRIVATE OpenSSL::SSL OpenSSL::Crypto Boost::headers)
capstan_test(net_test DIR net LABELS sanitize LINK net PkgConfig::httplib OpenSSL::SSL)

# virtual time for tests of every floor
add_library(fake_time STATIC test/fakes/baton.cc test/fakes/fake_clock.cc test/fakes/stack.cc)
target_link_libraries(fake_time PUBLIC base PRIVATE capstan_flags)

# floor 2
capstan_library(kube DIR kube LINK PUBLIC api base PRIVATE net)
target_compile_definitions(kube PRIVATE CAPSTAN_VERSION="${PROJECT_VERSION}")
capstan_test(kube_test DIR kube LABELS sanitize LINK kube net fakes)

# floor 3
capstan_library(runtime DIR runtime LINK PUBLIC kube api base PRIVATE net)
capstan_test(runtime_test DIR runtime LABELS sanitize LINK runtime fakes)

# floor 4
capstan_library(kubeconfig DIR kubeconfig LINK PUBLIC runtime kube net api base PRIVATE yaml-cpp)
capstan_fixtures(kubeconfig_fixtures DIR kubeconfig LINK kubeconfig fakes)
capstan_test(kubeconfig_test DIR kubeconfig LABELS sanitize LINK kubeconfig_fixtures kubeconfig fakes builders)

# floor 5
set(infrastructure_folders infrastructure infrastructure/sim infrastructure/controller infrastructure/controller/cluster
    infrastructure/controller/machine infrastructure/controller/orphans infrastructure/controller/pool)
capstan_library(infrastructure LIGHT DIR ${infrastructure_folders} infrastructure/remote
                LINK PUBLIC runtime kube net api base PRIVATE Boost::json PkgConfig::httplib)
capstan_fixtures(infrastructure_fixtures DIR ${infrastructure_folders} LINK infrastructure builders fakes)
capstan_test(infrastructure_test DIR ${infrastructure_folders} LABELS sanitize-domain
             LINK infrastructure_fixtures infrastructure builders fakes)
capstan_fixtures(infrastructure_remote_fixtures DIR infrastructure/remote LINK infrastructure)
capstan_test(infrastructure_remote_test DIR infrastructure/remote LABELS sanitize-domain
             LINK infrastructure_remote_fixtures infrastructure fakes net Boost::json)
if(TARGET infrastructure_test)
  # The same promises of the provider, with every call of the simulated cloud as a message of the driver protocol.
  add_test(NAME infrastructure_behind_protocol COMMAND infrastructure_test --gtest_filter=Provider*
           WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(infrastructure_behind_protocol PROPERTIES TIMEOUT 300 ENVIRONMENT CAPSTAN_TEST_DRIVER=remote
                       LABELS sanitize-domain)
endif()
capstan_library(bootstrap LIGHT DIR bootstrap bootstrap/access bootstrap/approval bootstrap/controller bootstrap/nodeconfig LINK PUBLIC kubeconfig runtime kube api base PRIVATE Boost::json)
capstan_test(bootstrap_test DIR bootstrap bootstrap/access bootstrap/approval bootstrap/controller bootstrap/nodeconfig LABELS sanitize-domain LINK bootstrap builders fakes)
capstan_library(agent LIGHT DIR agent LINK PUBLIC kubeconfig kube net api base PRIVATE Boost::json)
# It stands on each Node and is downloaded by it: small counts, and it has nothing to do that takes time.
target_compile_options(agent PRIVATE $<$<CONFIG:Release>:-Os>)
capstan_test(agent_test DIR agent LABELS sanitize-domain LINK agent fakes net Boost::json OpenSSL::Crypto)

# floor 6
set(controller_folders controllers controllers/shared controllers/claims controllers/cluster controllers/machine controllers/drain
    controllers/machineset controllers/machinedeployment controllers/rollout controllers/safety controllers/machinepool
    controllers/machinehealthcheck controllers/lifecycle controllers/lifecyclepolicy controllers/fleetpolicy
    controllers/crdmigration controllers/topology controllers/unclaimed controllers/inplace)
capstan_library(controllers LIGHT DIR ${controller_folders} LINK PUBLIC kubeconfig runtime kube api base PRIVATE Boost::json net)
capstan_fixtures(controller_fixtures DIR ${controller_folders} LINK controllers builders fakes)
foreach(folder shared claims cluster machine drain machineset machinedeployment rollout machinepool
        machinehealthcheck lifecycle lifecyclepolicy fleetpolicy safety crdmigration topology unclaimed inplace)
  string(REPLACE "/" "_" suite controllers_${folder}_test)
  capstan_test(${suite} DIR controllers/${folder} LABELS sanitize-domain LINK controller_fixtures controllers builders fakes)
endforeach()
capstan_library(webhooks DIR webhooks webhooks/certificates LINK PUBLIC runtime kube net api base PRIVATE Boost::json)
capstan_test(webhooks_test DIR webhooks LABELS sanitize LINK webhooks kube net builders Boost::json)
capstan_test(webhooks_certificates_test DIR webhooks/certificates LABELS sanitize LINK webhooks builders fakes Boost::json)
set(apiserver_rooms apiserver apiserver/document apiserver/schema apiserver/fields apiserver/store apiserver/builtin
    apiserver/admission apiserver/verbs apiserver/controllers apiserver/present apiserver/http)
capstan_library(apiserver DIR ${apiserver_rooms} LINK PUBLIC api base PRIVATE net kube Boost::json yaml-cpp)
capstan_test(apiserver_test DIR ${apiserver_rooms} LABELS sanitize LINK apiserver net kube fake_time PkgConfig::httplib)

# what tests stand on
capstan_library(mutants DIR test/mutants LINK PUBLIC base fmt::fmt)
capstan_test(mutants_test DIR test/mutants LABELS sanitize-address LINK mutants)
capstan_library(fakes DIR test/fakes EXCLUDE "/(baton|fake_clock|stack).cc$" LINK PUBLIC fake_time kubeconfig apiserver runtime kube api base)
capstan_test(fakes_test DIR test/fakes LABELS sanitize LINK fakes builders)

# floor 7
capstan_library(crd_kinds LIGHT DIR cmd/crdgen EXCLUDE "/main.cc$" LINK PUBLIC api PRIVATE Boost::json)
capstan_program(crdgen SOURCES cmd/crdgen/main.cc LINK crd_kinds Boost::json)
capstan_test(crdgen_test DIR cmd/crdgen LINK crd_kinds Boost::json)
if(TARGET crdgen AND CAPSTAN_TESTS)
  add_test(NAME crds_are_current COMMAND crdgen --check ${CMAKE_SOURCE_DIR}/config/crd/bases)
endif()
capstan_library(program LIGHT DIR cmd/program LINK PUBLIC kubeconfig runtime kube net api base PRIVATE Boost::json)
capstan_test(program_test DIR cmd/program LABELS sanitize LINK program fakes Boost::json)
capstan_library(manager LIGHT DIR cmd/manager EXCLUDE "/main.cc$" LINK PUBLIC program controllers webhooks kubeconfig runtime kube net api base)
capstan_program(capstan SOURCES cmd/manager/main.cc LINK manager)
capstan_test(manager_test DIR cmd/manager LABELS sanitize LINK manager builders fakes Boost::json)
capstan_library(provider LIGHT DIR cmd/provider EXCLUDE "/main.cc$"
                LINK PUBLIC program infrastructure bootstrap kubeconfig runtime kube net api base PRIVATE Boost::json)
capstan_program(capstan-provider SOURCES cmd/provider/main.cc LINK provider)
capstan_test(provider_test DIR cmd/provider LABELS sanitize LINK provider apiserver crd_kinds fakes Boost::json)
capstan_library(agent_program LIGHT DIR cmd/agent EXCLUDE "/main.cc$" LINK PUBLIC program agent kubeconfig kube net api base)
capstan_test(agent_program_test DIR cmd/agent LABELS sanitize LINK agent_program)
capstan_static_program(capstan-agent SOURCES cmd/agent/main.cc LINK agent_program)
capstan_library(dev LIGHT DIR cmd/dev EXCLUDE "/main.cc$"
                LINK PUBLIC manager infrastructure bootstrap apiserver kubeconfig runtime kube net api base
                PRIVATE crd_kinds Boost::json)
capstan_program(capstan-dev SOURCES cmd/dev/main.cc LINK dev)
capstan_test(dev_test DIR cmd/dev LABELS sanitize LINK dev builders fakes)

# suites that span folders
foreach(suite lint envtest interop kind scenarios component simulation joining conformance fuzz bench)
  if(EXISTS ${CMAKE_SOURCE_DIR}/test/${suite}/CMakeLists.txt)
    add_subdirectory(test/${suite})
  endif()
endforeach()
