// The life of a process: what it finds around it, signals, the log, and the exit code that a supervisor can
// use. The same for every program that runs until it is stopped.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/log.h"
#include "base/randomness.h"
#include "base/threads.h"
#include "cmd/program/flags.h"
#include "kube/connection.h"

namespace capstan::program {

inline constexpr int kStopped = 0;
inline constexpr int kFailed = 1;
inline constexpr int kBadCommandLine = 2;
inline constexpr int kApiServerRefused = 3;
inline constexpr int kLeaseLost = 4;
inline constexpr int kScopeTaken = 5;  // by a manager with another Lease (runtime/lease_neighbour.h)

// All of it lives longer.
struct Seams {
  const Clock& clock;
  Threads& threads;
  Randomness& randomness;
};

std::optional<std::string> environment(const std::string& name);
// POD_NAME, or else what the machine is called.
std::string host_name();
// POD_NAMESPACE, or else `otherwise`.
std::string pod_namespace(std::string_view otherwise);
Result<kube::Connection> pod_connection();
// Of the pod where no kubeconfig is named.
Result<kube::Connection> connection(const std::string& kubeconfig);

// In main, before anything runs: a thread keeps freed pieces of up to 256 bytes for itself, where glibc lets
// it keep those of up to a kilobyte, several of each size; at rest 60 threads held 2.5 MB so. glibc reads
// that before main, so the program starts itself anew, once, with the same arguments. GLIBC_TUNABLES in the
// environment counts more; where the program can't be found it goes on as it is.
void keep_little_in_each_thread(char** argv);

// Before the first thread: two heaps for all of them, where glibc would give each of many threads its own and
// keep what one left half empty from the others (docs/decisions/0009). MALLOC_ARENA_MAX in the environment
// counts more.
void share_heaps();

// Gives pages of the heap that a load has left without use to the system. Holds the heap's locks meanwhile:
// for a program that has just come to rest.
void give_back_memory();

// Returns when the stop token asks for it, or with what went wrong.
using Body = std::function<Result<void>(const Seams&, const Log&, const std::stop_token&)>;
int run(std::string_view program, const LoggingOptions& logging, const Effective& effective,
        const Body& body);

// A port that is taken is no matter of the API server, whose troubles have an exit code of their own.
Result<void> on_own_port(Result<void> served);

}  // namespace capstan::program
