// How a fleet shows on the terminal: a table that is drawn over itself, plain lines when the output is none,
// JSON lines for scripts. Used by `up` and `demo`, from one thread.
#pragma once

#include <cstdio>
#include <string>

#include "base/clock.h"
#include "cmd/dev/fleet.h"

namespace capstan::dev {

enum class Show { Table, Lines, Json };

class Screen {
 public:
  Screen(const Clock& clock, Show show, std::FILE* to = stdout);

  void show(const Fleet& fleet);
  // A line of its own, that stays.
  void say(const std::string& line);
  // It can't be written to any more: the pipe is closed, the disk is full.
  bool lost() const { return lost_; }

 private:
  void out(const std::string& text);
  std::string elapsed() const;

  const Clock& clock_;
  const Show show_;
  std::FILE* const to_;
  const SteadyTime began_;
  bool lost_ = false;
  Fleet last_ = {};
  std::size_t drawn_ = 0;  // lines of the table that stands there now
};

// A table if standard output is a terminal.
Show show_for_output(bool json);

}  // namespace capstan::dev
