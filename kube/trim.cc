#include "kube/cut_managed_fields.h"

#include <optional>
#include <string_view>

#include "api/schema/json_skimmer.h"

namespace capstan::kube {
namespace {

using api::JsonSkimmer;

// Where a member stands, with the comma that goes when it goes.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Steps into an object up to the value of that member; false when it has none.
bool enter(JsonSkimmer& text, std::string_view quoted_name, Span* whole) {
  if (!text.take('{')) return false;
  for (bool first = true;; first = false) {
    const std::size_t comma = text.at();
    if (!first && !text.take(',')) return false;
    const auto name = text.take_string();
    if (!name) return false;
    const std::size_t begin = text.at() - name->size();
    if (!text.take(':')) return false;
    if (*name == quoted_name) {
      if (whole != nullptr) whole->begin = first ? begin : comma;
      return true;
    }
    if (!text.skip_value()) return false;
  }
}

std::optional<Span> find_managed_fields(std::string_view document) {
  JsonSkimmer text(document);
  Span whole;
  if (!enter(text, R"("metadata")", nullptr) || !enter(text, R"("managedFields")", &whole)) return {};
  if (!text.skip_value()) return {};
  whole.end = text.at();
  // The first member goes with the comma behind it.
  if (document[whole.begin] != ',' && text.take(',')) whole.end = text.at();
  return whole;
}

}  // namespace

void cut_managed_fields(std::string& document) {
  if (const auto whole = find_managed_fields(document))
    document.erase(whole->begin, whole->end - whole->begin);
}

}  // namespace capstan::kube
