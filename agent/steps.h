// What is to be done on the machine, one effect a step. Plain values: agent/decide makes them, agent/act
// carries them out.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "agent/disk.h"
#include "agent/state.h"

namespace capstan::agent {

struct WriteFile {
  std::string path = {};
  std::string content = {};  // may be a secret: never logged
  Mark mark = {};
  bool operator==(const WriteFile&) const = default;
};
struct FetchFile {
  std::string path = {};
  std::string url = {};
  std::string checksum = {};
  Mark mark = {};
  std::string unit = {};  // where it fails, the restart of that unit alone waits; empty: all that follows
  bool operator==(const FetchFile&) const = default;
};
struct RemoveFile {
  std::string path = {};
  bool operator==(const RemoveFile&) const = default;
};
struct ReloadUnits {
  bool operator==(const ReloadUnits&) const = default;
};
struct EnableUnit {
  std::string name = {};
  bool start = false;  // now; not when a restart follows
  bool operator==(const EnableUnit&) const = default;
};
struct DisableUnit {
  std::string name = {};
  bool operator==(const DisableUnit&) const = default;
};
struct RestartUnit {
  std::string name = {};
  bool operator==(const RestartUnit&) const = default;
};
// All of the configuration stands on the machine.
struct NoteApplied {
  std::string checksum = {};
  bool operator==(const NoteApplied&) const = default;
};

using Step = std::variant<WriteFile, FetchFile, RemoveFile, ReloadUnits, EnableUnit, DisableUnit, RestartUnit,
                          NoteApplied>;

std::string describe(const Step& step);  // "write /etc/a", "restart a.service"
// What is remembered once it is done.
State after(State state, const Step& step);
// A unit that does not start keeps no other from it, nor does a download that one unit waits for. A file that
// can't be written, or a unit that does not stop, keeps back all that follows.
bool may_fail_alone(const Step& step);

}  // namespace capstan::agent
