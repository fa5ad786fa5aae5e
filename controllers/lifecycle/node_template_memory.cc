#include "controllers/lifecycle/node_template_memory.h"

#include "api/policy/names.h"
#include "api/schema/decode.h"
#include "api/schema/encode.h"

namespace capstan::controllers::lifecycle {

constexpr std::string_view kMemoryKey = api::policy::annotation::kNodeTemplate;

std::optional<NodeTemplateMemory> node_template_memory(const api::Node& node) {
  const Text* text = node.metadata.annotations.find(kMemoryKey);
  if (text == nullptr) return NodeTemplateMemory();
  auto memory = api::decode<NodeTemplateMemory>(text->view());
  if (!memory) return std::nullopt;
  return std::move(*memory);
}

void remember(const NodeTemplateMemory& memory, const api::Node& node, NodeChange& change) {
  const Text* present = node.metadata.annotations.find(kMemoryKey);
  if (api::is_empty(memory)) {
    if (present != nullptr) change.annotations.emplace_back(Text(kMemoryKey), std::nullopt);
    return;
  }
  const std::string text = api::encode(memory);
  if (present == nullptr || *present != text) change.annotations.emplace_back(Text(kMemoryKey), Text(text));
}

}  // namespace capstan::controllers::lifecycle
