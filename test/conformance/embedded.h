// The embedded API server as the scripts meet it: the capstan-dev program as a child process, reached over
// TLS like any other server. It ends with the object.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "test/conformance/script.h"

namespace capstan::conformance {

struct EmbeddedOptions {
  std::string program = {};
  std::string kubectl = {};
  std::string defect = {};
};

class Embedded {
 public:
  // Throws with what the program printed when it does not come up.
  static std::unique_ptr<Embedded> start(const EmbeddedOptions& options);
  ~Embedded();

  const Server& server() const;
  bool runs() const;  // the process has not died

 private:
  struct State;
  explicit Embedded(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The names the program knows.
std::vector<std::string> defect_names(const std::string& program);

}  // namespace capstan::conformance
