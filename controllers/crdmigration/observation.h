// All that a turn about one CustomResourceDefinition looks at: what it says, how far the pass over the
// objects of its kind has come, and the next page of them. Filled by observe.h, read by decide.h. Plain
// values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/instant.h"
#include "controllers/crdmigration/definition.h"
#include "controllers/crdmigration/phases.h"
#include "kube/resource.h"

namespace capstan::controllers::crdmigration {

// An entry of metadata.managedFields.
struct ManagerEntry {
  std::string api_version = {};
  std::string manager = {};
  std::string operation = {};
  std::string text = {};  // the whole entry, as JSON
};

struct ObjectSeen {
  kube::ObjectKey key = {};
  std::string resource_version = {};
  std::vector<ManagerEntry> managers = {};
};

// A pass over all objects, page by page. Losing it costs requests: what is stored as it should be is not
// written again.
struct Pass {
  std::int64_t generation = 0;
  std::string continue_token = {};  // of the next page; empty: the first one
  bool ended = false;               // there is no further page
  std::size_t written = 0;
  std::size_t changed_meanwhile = 0;  // whose managers could not be taken off
  std::size_t failed = 0;
  std::vector<std::string> failures = {};  // the first ones, with the names of their objects
};
// So many failures are kept in a pass: a log line that a human reads has an end.
inline constexpr std::size_t kNamedFailures = 5;

struct Settings {
  Phases phases = {};
  // Each API server has an informer of its own, and stores the former version until that has seen the change.
  Nanoseconds settle = std::chrono::seconds(5);
};

struct Observation {
  Definition definition = {};
  Settings settings = {};
  Nanoseconds age = {};  // since this process has seen this generation
  Pass pass = {};
  int given_up = 0;                      // passes before this one in which objects were refused
  std::vector<std::string> passed = {};  // the served versions of the last pass that came to its end
  std::vector<ObjectSeen> page = {};     // empty where the pass has ended or none is needed
  std::string continue_token = {};       // of the page behind it
};

}  // namespace capstan::controllers::crdmigration
