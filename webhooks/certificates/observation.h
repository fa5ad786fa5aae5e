// All that a turn about the webhook certificates looks at: what the Secret holds, what the API server's
// bundles hold, and the time. Filled by observe.h, read by decide.h and act.h. Plain values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/instant.h"
#include "kube/resource.h"
#include "net/pki.h"

namespace capstan::webhooks::certificates {

// How API servers call the webhooks; the certificate is for all of it.
struct ServedNames {
  std::vector<std::string> dns = {};
  std::vector<std::string> addresses = {};
};

struct Times {
  // How long after a bundle was read back an API server may still go by the one before: each has an informer
  // of its own.
  Nanoseconds settle = std::chrono::seconds(30);
  // A replica reads the Secret more often than this; then the authority of the former certificate is dropped.
  Nanoseconds served() const { return 2 * settle; }
  Nanoseconds poll() const { return settle / 5; }

  Nanoseconds authority_life = std::chrono::days(365);
  Nanoseconds authority_renewal = std::chrono::days(120);  // with less than that left
  Nanoseconds serving_life = std::chrono::days(90);
  Nanoseconds serving_renewal = std::chrono::days(30);
};

// An authority and the certificate that it signed, both with their keys.
struct Pair {
  net::KeyAndCertificate authority = {};
  net::KeyAndCertificate serving = {};
  WallTime authority_ends = {};
  WallTime serving_ends = {};
  // Why it can't be used: missing, expired, of another key or name.
  std::optional<std::string> authority_fault = {};
  std::optional<std::string> serving_fault = {};
};

enum class Phase {
  None,
  Distributed,  // every bundle was read back with the next authority
  Served,       // the next certificate has become the one that is served
};

// What the Secret holds.
struct Stored {
  std::string resource_version = {};
  std::optional<Pair> served = {};
  std::optional<Pair> next = {};
  std::vector<std::string> retired = {};  // authorities that are trusted besides
  Phase phase = Phase::None;
  std::string phase_text = {};  // unlike that of any other rotation
  bool rotation_asked = false;
};

// One clientConfig that leads to us.
struct Bundle {
  std::string pointer = {};  // "/webhooks/0/clientConfig"
  std::string pem = {};
};

// An object with bundles.
struct Target {
  kube::Resource resource = {};
  kube::ObjectKey key = {};
  std::string resource_version = {};
  std::vector<Bundle> bundles = {};
  bool injected = false;  // it has the annotation by which cert-manager writes bundles

  std::string describe() const { return resource.kind + " " + key.name; }
};

struct Observation {
  WallTime now = {};
  Times times = {};
  std::optional<Stored> stored = {};
  Nanoseconds phase_age = {};  // since this process has seen it
  std::vector<Target> targets = {};
  std::vector<std::string> found_trusted = {};  // certificates of the bundles that have not expired
};

}  // namespace capstan::webhooks::certificates
