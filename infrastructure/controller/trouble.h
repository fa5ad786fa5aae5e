// What went wrong in a turn of the infrastructure provider: for the condition Ready, and when to try again.
// Made by act(), judged by report(). A plain value and pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/meta/object_meta.h"
#include "api/notes.h"
#include "base/result.h"
#include "infrastructure/codes.h"
#include "runtime/readiness.h"

namespace capstan::infrastructure {

struct Trouble {
  api::NoteCode code = api::NoteCode::VmNotCreated;
  std::string message = {};
  Seconds retry = {};
  bool quiet = false;  // may be over before a user has read of it
  bool operator==(const Trouble&) const = default;
};

// "can't create the VM: ResourceExhausted: quota of 10 VMs reached"
Trouble trouble_of(api::NoteCode code, std::string_view what, const DriverError& error,
                   const Reaction& reaction);
// Of a Secret that can't be read; nothing when our own API server did not answer: that says nothing of it.
std::optional<Trouble> trouble_of_secret(api::NoteCode code, const Error& error);

// Whether the object exists, or is being deleted, for so long that a quiet trouble is worth a condition.
bool lasts(const api::ObjectMeta& object, Time now);
// What Ready says of it; nothing as long as it may be over soon.
std::optional<runtime::Readiness> readiness_in(const Trouble& trouble, const api::ObjectMeta& object,
                                               Time now);

}  // namespace capstan::infrastructure
