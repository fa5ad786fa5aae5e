#include "kube/trim.h"

#include <optional>

#include "api/schema/json_skimmer.h"

namespace capstan::kube {
namespace {

using api::enter;
using api::JsonMembers;
using api::JsonSkimmer;

constexpr std::string_view kMetadata = R"("metadata")";
constexpr std::string_view kManagedFields = R"("managedFields")";

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::optional<Span> find_managed_fields(std::string_view document) {
  JsonSkimmer text(document);
  if (!enter(text, kMetadata)) return {};
  JsonMembers metadata(text);
  if (!metadata.find(kManagedFields) || !text.skip_value()) return {};
  Span whole{.begin = metadata.begin(), .end = text.at()};
  // The first member goes with the comma behind it.
  if (document[whole.begin] != ',' && text.take(',')) whole.end = text.at();
  return whole;
}

// One entry of managedFields: what stands between the braces of its fields, when it is one of an update.
// False where the text is broken.
bool take_entry(JsonSkimmer& text, std::optional<Span>& updated) {
  bool update = false;
  std::optional<Span> fields;
  JsonMembers entry(text);
  while (entry.next()) {
    if (entry.name() == R"("operation")") {
      update = text.take_string() == R"("Update")";
      continue;
    }
    JsonSkimmer value = text;
    const bool braces = entry.name() == R"("fieldsV1")" && value.take('{');
    if (!text.skip_value()) return false;
    if (braces) fields = Span{.begin = value.at(), .end = text.at() - 1};
  }
  if (update) updated = fields;
  return text.take('}');
}

}  // namespace

void cut_managed_fields(std::string& document) {
  if (const auto whole = find_managed_fields(document))
    document.erase(whole->begin, whole->end - whole->begin);
}

void cut_behind_metadata(std::string& document) {
  JsonSkimmer text(document);
  if (!enter(text, kMetadata) || !text.skip_value()) return;
  const std::size_t behind = text.at();
  const std::size_t last = document.find_last_not_of(" \n\r\t");
  if (!text.take(',') || document[last] != '}') return;
  document.resize(behind);
  document += '}';
}

std::string_view without_updated_fields(std::string_view line, std::string& scratch) {
  JsonSkimmer text(line);
  if (!enter(text, R"("object")") || !enter(text, kMetadata) || !enter(text, kManagedFields)) return line;
  if (!text.take('[')) return line;
  scratch.clear();
  std::size_t kept = 0;
  do {
    std::optional<Span> updated;
    if (!take_entry(text, updated)) return line;
    if (!updated) continue;
    scratch.append(line, kept, updated->begin - kept);
    kept = updated->end;
  } while (text.take(','));
  if (kept == 0 || !text.take(']')) return line;
  scratch.append(line, kept);
  return scratch;
}

}  // namespace capstan::kube
