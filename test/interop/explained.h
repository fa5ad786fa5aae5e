// What went wrong in a run of the interop suites: Warning Events, errors in the logs of our programs and of
// upstream's, requests that a server refused. Each line has to be one that a suite explains, and each
// explanation has to be needed. For gtest; one thread.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "test/envtest/audit.h"
#include "test/envtest/real_servers.h"

namespace capstan::envtest {

using Lines = std::vector<std::string>;

// What may go wrong in a suite, and why that is right.
struct Explained {
  std::string_view pattern = {};  // a regular expression that finds the line
  std::string_view why = {};
  std::string_view sometimes = {};  // why not every run has it; empty: every run has
};

// "Event of COMPONENT: REASON of KIND/NAME: MESSAGE", of every component.
Lines warnings_on(const RealServers& servers);
// Lines of ours as they stand. Of klog's "LOG: FILE:LINE] MESSAGE", without time and process; a value that
// goes over several lines belongs to it.
Lines errors_logged_in(const std::filesystem::path& log);
// "VERB RESOURCE URI CODE" of capstan and capstan-provider, under whatever account.
Lines refusals_of_ours(const std::vector<AuditEntry>& entries);
// "AGENT: VERB RESOURCE URI CODE" of all others: what webhooks, schemas or roles would not have them write to
// Cluster API's kinds. What was gone or changed meanwhile is none.
Lines refusals_of_others(const std::vector<AuditEntry>& entries);
// What a server has noted since its start.
std::vector<AuditEntry> requests_to(const RealServers& servers);
// Warnings, refusals of ours, and errors in these logs; logs that do not exist have no lines.
Lines troubles_of(const RealServers& servers, const std::vector<std::filesystem::path>& logs);

Lines unexplained(Lines lines, std::span<const Explained> list);
// Patterns that explain none of these lines and are not among those that come only sometimes.
Lines needless(std::span<const Explained> list, const Lines& lines);
// Fails the suite for both; what only some of its tests do is not missed where a filter left tests out.
void expect_explained(const Lines& troubles, std::span<const Explained> list);

// --- what more than one suite explains ---

inline constexpr Explained kForeignCertificate = {
    .pattern = "webhook certificate why=\"it is not for capi-webhook-service",
    .why = "the test serves that of the API server"};
inline constexpr Explained kWatchCacheIsBuilt = {
    .pattern = "^watch .* 429$",
    .why = "a busy API server that builds its watch cache asks to come again",
    .sometimes = "it depends on how soon the first watch comes"};
inline constexpr Explained kFirstLease = {.pattern = "^get leases .*/controller-leader-election-capi 404$",
                                          .why = "the first manager makes the Lease"};
inline constexpr Explained kNoKubeconfigYet = {.pattern = "^get secrets .*-kubeconfig 404$",
                                               .why = "the control plane provider has not made it yet",
                                               .sometimes = "it depends on which of the two is first"};
inline constexpr Explained kControlPlaneIsGone = {
    .pattern = "^get (kubeadmcontrolplanes|devclusters) .* 404$",
    .why = "a Cluster goes when these are gone, by a live read"};
inline constexpr Explained kNodeIsGone = {
    .pattern =
        "(deletion is held up|FailedDeleteNode of Machine/).*(get|delete) Node .*: http 404 without a Status",
    .why = "so upstream's in-memory API server says that a Node is gone; nodeDeletionTimeoutSeconds ends it"};
inline constexpr Explained kControlPlaneComesFirst = {
    .pattern = "FailedCreate of MachineSet/.* is blocked because: .* is provisioning ",
    .why = "workers wait for their control plane",
    .sometimes = "its Machine may be there first"};
inline constexpr Explained kUpstreamsControlPlaneWaits = {
    .pattern = "^Event of kubeadm-?control-?plane-controller: ControlPlaneUnhealthy ",
    .why = "upstream's control plane provider says so while a Machine of its own comes or goes",
    .sometimes = "it looks from time to time"};
inline constexpr Explained kGoneBeforeItsStatus = {
    .pattern = "^patch [a-z]+(/status)? .*/status.* 404$",
    .why = "the object went while what was found out about it was written",
    .sometimes = "a race"};
inline constexpr Explained kGoneBeforeItsDeletion = {
    .pattern = "^delete [a-z]+ .* 404$",
    .why = "the object went while its deletion was asked for",
    .sometimes = "a race"};
inline constexpr Explained kFinalizersAtOnce = {
    .pattern = "^patch (machinesets|machinedeployments) .*fieldManager=manager.* 422$",
    .why = "two controllers add a finalizer each, and a JSON patch tests what it has read; it comes again",
    .sometimes = "a race"};
inline constexpr Explained kWorkloadServerIsGone = {
    .pattern = "informer: watch failed, will be tried again .*kind=Node .*Unavailable: ",
    .why = "upstream's in-memory API server goes before its Cluster's last Machine",
    .sometimes = "the watch may be stopped first"};
inline constexpr Explained kServiceIsSeenLate = {.pattern = "^Event of : ClusterIPNotAllocated of Service/",
                                                 .why = "kube-apiserver looks before it has seen the Service",
                                                 .sometimes = "a race"};

inline constexpr Explained kWebhooksAreAway = {
    .pattern = "^[a-z0-9-]+: .*( 500$|failed calling webhook|failed to call webhook)",
    .why = "a core serves them, and the one is stopped while the other starts",
    .sometimes = "only where a write comes just then"};
inline constexpr Explained kUpstreamLosesARace = {
    .pattern =
        "^[a-z0-9-]+: .*(the object has been modified; please apply your changes to the latest version|"
        "the server reported a conflict )",
    .why = "upstream's controllers write what they have read, and try again",
    .sometimes = "a race"};
inline constexpr Explained kUpstreamWatchesWhatIsGone = {
    .pattern = "^[a-z0-9-]+: reflector\\.go:\\d+\\] .*ailed to watch",
    .why = "upstream's in-memory API server goes before its Cluster's last Machine",
    .sometimes = "the watch may be stopped first"};
inline constexpr Explained kUpstreamWaitsForItsCluster = {
    .pattern =
        "^[a-z0-9-]+: .*(connection to the workload cluster is down|kubeconfig secret: Secret .* not found|"
        "cluster is not reachable: .*connection refused)",
    .why = "upstream's controllers look again until the control plane answers, and call that an error",
    .sometimes = "it depends on who is first"};
inline constexpr Explained kUpstreamAsksForItsEtcd = {
    .pattern = "^control-plane-kubeadm: .*Failed to get current etcd members",
    .why =
        "upstream's control plane provider asks etcd through an API server that comes or goes, and looks "
        "again",
    .sometimes = "it depends on when it looks"};
inline constexpr Explained kUpstreamSeesItsObjectGo = {
    .pattern =
        "^(infrastructure-docker|bootstrap-kubeadm|control-plane-kubeadm): .*(Reconciler error|Failed to "
        "reconcile conditions).*( not found|timed out waiting for the condition)",
    .why = "the object went, or did not come into the cache, while upstream's provider had a turn over it",
    .sometimes = "a race"};
inline constexpr Explained kUpstreamReadsNoRevision = {
    .pattern = "^(core|cluster-api): .*Reconciler error.*invalid syntax",
    .why = "upstream gives Machines of a paused MachineDeployment an empty revision, and can't read it",
    .sometimes = "it depends on which of its turns come"};
inline constexpr Explained kNoContainers = {
    .pattern = "^infrastructure-docker: .*failed to get system info using container runtime client",
    .why = "upstream's provider asks Docker how big a Machine of a template is, and there is none here",
    .sometimes = "it looks from time to time"};
inline constexpr Explained kUpstreamClosesItsServer = {
    .pattern = "^infrastructure-docker: .*WorkloadClusterListener.* use of closed network connection",
    .why = "upstream's in-memory API server goes with its Cluster, and calls that an error",
    .sometimes = "the suite may end first"};

// What every fleet of upstream's providers may show.
inline constexpr Explained kBesideNeighbours[] = {
    kWatchCacheIsBuilt,   kNoKubeconfigYet,         kControlPlaneComesFirst,    kUpstreamsControlPlaneWaits,
    kGoneBeforeItsStatus, kGoneBeforeItsDeletion,   kFinalizersAtOnce,          kWorkloadServerIsGone,
    kServiceIsSeenLate,   kUpstreamLosesARace,      kUpstreamWatchesWhatIsGone, kUpstreamWaitsForItsCluster,
    kNoContainers,        kUpstreamClosesItsServer, kUpstreamAsksForItsEtcd,    kUpstreamSeesItsObjectGo};

}  // namespace capstan::envtest
