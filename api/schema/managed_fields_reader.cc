#include "api/schema/managed_fields_reader.h"

#include <algorithm>
#include <array>
#include <utility>

namespace capstan::api::detail {
namespace {

constexpr std::size_t kRemembered = 8;
constexpr int kEntryDepth = 2;
constexpr std::string_view kLabels = "metadata.labels.";
constexpr std::string_view kAnnotations = "metadata.annotations.";
constexpr std::string_view kMetadata = "metadata.";

// "f:spec" -> ".spec", "k:{...}" -> "[{...}]", "v:1" -> "[=1]", "." -> nothing: the parent itself.
void append_step(std::string& path, std::string_view step) {
  if (step == ".") return;
  const std::string_view rest = step.size() > 2 ? step.substr(2) : std::string_view();
  if (step.starts_with("f:")) {
    if (!path.empty()) path += '.';
    path += rest;
    return;
  }
  path += '[';
  if (step.starts_with("v:")) path += '=';
  path += rest;
  path += ']';
}

void sort_unique(std::vector<Text>& texts) {
  std::ranges::sort(texts);
  const auto rest = std::ranges::unique(texts);
  texts.erase(rest.begin(), rest.end());
  texts.shrink_to_fit();
}

bool is_kept(std::string_view path) {
  return !path.empty() &&
         (!path.starts_with(kMetadata) || path.starts_with(kLabels) || path.starts_with(kAnnotations));
}

void add_path(ManagedEntry& entry, std::string_view path) {
  if (path.starts_with(kLabels)) {
    entry.labels.emplace_back(path.substr(kLabels.size()));
  } else if (path.starts_with(kAnnotations)) {
    entry.annotations.emplace_back(path.substr(kAnnotations.size()));
  } else {
    entry.paths.emplace_back(path);
  }
}

class RecentDigests {
 public:
  const ManagedFields* find(std::string_view text) const {
    const auto known = std::ranges::find(digests_, text, &Digest::first);
    return known == digests_.end() ? nullptr : &known->second;
  }

  const ManagedFields& keep(const std::string& text, ManagedFields fields) {
    Digest& oldest = digests_[next_];
    next_ = (next_ + 1) % digests_.size();
    return (oldest = {text, std::move(fields)}).second;
  }

 private:
  using Digest = std::pair<std::string, ManagedFields>;
  std::array<Digest, kRemembered> digests_ = {};
  std::size_t next_ = 0;
};

}  // namespace

void ManagedFieldsReader::start() {
  depth_ = 0;
  in_fields_ = false;
  parents_.clear();
  path_.clear();
  text_.clear();
}

void ManagedFieldsReader::on_key(std::string_view name) {
  if (depth_ == kEntryDepth) key_ = name;
  if (!in_fields_ || parents_.empty()) return;
  leaf_ = false;
  path_.resize(parents_.back());
  append_step(path_, name);
}

void ManagedFieldsReader::on_string(std::string_view text) {
  if (depth_ != kEntryDepth) return;
  if (key_ == "manager") manager_ = text;
  if (key_ == "operation") operation_ = text;
  if (key_ == "subresource") subresource_ = text;
}

void ManagedFieldsReader::begin_object() {
  ++depth_;
  if (depth_ == kEntryDepth) {
    manager_.clear();
    operation_.clear();
    subresource_.clear();
    paths_.clear();
    return;
  }
  // Where the operation comes first, the paths of an entry that keeps none need not be built.
  const bool wanted = operation_.empty() || operation_ == "Apply";
  if (depth_ == kEntryDepth + 1 && wanted && key_ == "fieldsV1") {
    in_fields_ = true;
    path_.clear();
  }
  if (!in_fields_) return;
  parents_.push_back(path_.size());
  leaf_ = true;
}

void ManagedFieldsReader::end_object() {
  --depth_;
  if (depth_ == kEntryDepth - 1) return note_entry();
  if (!in_fields_) return;
  path_.resize(parents_.back());
  if (leaf_ && is_kept(path_)) note(paths_, 'p', path_);
  leaf_ = false;
  parents_.pop_back();
  if (parents_.empty()) in_fields_ = false;
}

void ManagedFieldsReader::note(std::string& out, char tag, std::string_view text) {
  out += tag;
  out += text;
  out += '\n';
}

void ManagedFieldsReader::note_entry() {
  note(text_, 'm', manager_);
  note(text_, 'o', operation_);
  note(text_, 's', subresource_);
  if (operation_ == "Apply") text_ += paths_;
}

ManagedFields ManagedFieldsReader::finish() {
  if (text_.empty()) return {};
  thread_local RecentDigests recent;
  if (const auto* known = recent.find(text_)) return *known;
  return recent.keep(text_, ManagedFields(entries()));
}

ManagedEntries ManagedFieldsReader::entries() const {
  ManagedEntries entries;
  for (std::string_view rest = text_; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    const std::string_view value = rest.substr(1, end - 1);
    switch (rest.front()) {
      case 'm': entries.emplace_back().manager = Text(value); break;
      case 'o': entries.back().operation = Text(value); break;
      case 's': entries.back().subresource = Text(value); break;
      default: add_path(entries.back(), value); break;
    }
    rest.remove_prefix(end + 1);
  }
  for (auto& entry : entries) {
    sort_unique(entry.labels);
    sort_unique(entry.annotations);
    sort_unique(entry.paths);
  }
  entries.shrink_to_fit();
  return entries;
}

}  // namespace capstan::api::detail
