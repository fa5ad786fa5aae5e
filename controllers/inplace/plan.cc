#include "controllers/inplace/plan.h"

#include <fmt/format.h>

#include "base/text_fmt.h"

namespace capstan::controllers::inplace {
namespace {

struct UpdateInWords {
  std::string operator()(const MarkMachine& action) const {
    return fmt::format("mark Machine {}: {}", action.machine->metadata.name,
                       action.to ? to_text(*action.to) : std::string("nothing"));
  }
  std::string operator()(const ChangeNode& action) const {
    return fmt::format("change Node {}: {}", action.node->metadata.name,
                       controllers::describe(action.change, *action.node));
  }
  std::string operator()(const DrainNode& action) const {
    return fmt::format("drain Node {}", action.node->metadata.name);
  }
  std::string operator()(const MoveMachine& action) const {
    return fmt::format("move Machine {} from MachineSet {} to {}", action.machine->metadata.name,
                       action.from->metadata.name, action.to->metadata.name);
  }
  std::string operator()(const MarkBootstrap& action) const {
    return fmt::format("mark the bootstrap object of Machine {} as a clone of {}",
                       action.machine->metadata.name, action.source.name);
  }
};

}  // namespace

std::string describe(const Action& action) { return std::visit(UpdateInWords(), action); }

}  // namespace capstan::controllers::inplace
