// The tables name fields that exist, and every field of one version has its place in the other or is named.
#include "api/v1beta1/rows.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/v1beta1/form.h"
#include "api/v1beta1/kinds.h"

namespace capstan::api::v1beta1 {
namespace {

struct Path {
  std::string text = {};
  const Row* row = nullptr;
};

// Of one version, below the object that is looked at.
using Paths = std::vector<Path>;

const Form* form_at(const Form* form, std::string_view path) {
  while (form != nullptr && !path.empty()) {
    const auto dot = path.find('.');
    const FormField* field = form->find(path.substr(0, dot));
    form = field == nullptr ? nullptr : field->form;
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return form;
}

bool is_list_of_rows(const Row& row) { return row.change == Change::Each || row.change == Change::Collected; }

struct Sides {
  const Form* here = nullptr;
  const Form* there = nullptr;
  std::string where = {};
};

bool is_named(const Paths& paths, const std::string& path) {
  return std::ranges::any_of(
      paths, [&](const Path& row) { return row.text == path && row.row->change != Change::Within; });
}

bool is_way_to_named(const Paths& paths, const std::string& path) {
  return std::ranges::any_of(paths, [&](const Path& row) { return row.text.starts_with(path + "."); });
}

// Every field of `form`, which stands at `prefix` of sides.here, has its place on the other side.
void expect_a_place(const Sides& sides, const Paths& paths, const Form& form, const std::string& prefix) {
  for (const FormField& field : form.fields) {
    const std::string path =
        prefix.empty() ? std::string(field.name) : fmt::format("{}.{}", prefix, field.name);
    if (is_named(paths, path)) continue;
    const Form* other = form_at(sides.there, path);
    if (!is_way_to_named(paths, path)) {
      ASSERT_NE(other, nullptr) << sides.where << ": " << path << " has no place in the other version";
      EXPECT_EQ(other->shape, field.form->shape) << sides.where << ": " << path;
    }
    if (field.form->shape == Shape::Object) expect_a_place(sides, paths, *field.form, path);
  }
}

Paths paths_of(std::span<const Row> rows, bool old_side, const std::string& prefix = {}) {
  Paths paths;
  for (const Row& row : rows) {
    const std::string_view own = old_side ? row.old_path : row.new_path;
    if (own.empty()) continue;
    const std::string path = prefix.empty() ? std::string(own) : fmt::format("{}.{}", prefix, own);
    paths.push_back({.text = path, .row = &row});
    if (row.change != Change::Within) continue;
    for (Path& inner : paths_of(row.items, old_side, path)) paths.push_back(std::move(inner));
  }
  return paths;
}

void check(std::span<const Row> rows, const Form* old_form, const Form* new_form, const std::string& where) {
  const Paths old_paths = paths_of(rows, true);
  const Paths new_paths = paths_of(rows, false);
  for (const Path& path : old_paths)
    EXPECT_NE(form_at(old_form, path.text), nullptr) << where << " old " << path.text;
  for (const Path& path : new_paths)
    EXPECT_NE(form_at(new_form, path.text), nullptr) << where << " new " << path.text;
  expect_a_place({old_form, new_form, where + " old"}, old_paths, *old_form, "");
  expect_a_place({new_form, old_form, where + " new"}, new_paths, *new_form, "");
  for (const Path& path : old_paths) {
    if (!is_list_of_rows(*path.row)) continue;
    const auto at_new = std::ranges::find(new_paths, path.row, &Path::row);
    check(path.row->items, form_at(old_form, path.text)->element, form_at(new_form, at_new->text)->element,
          fmt::format("{} {}[]", where, path.text));
  }
}

TEST(Rows, NameEveryFieldThatIsNotTheSameInBothVersions) {
  int checked = 0;
  for (const Kind* kind : kinds()) {
    check(kind->rows, &form_of(*kind->old_type), &form_of(*kind->new_type),
          std::string(kind->new_type->resource->kind));
    ++checked;
  }
  for (const auto& [group, name, version] :
       {std::array{"addons.cluster.x-k8s.io", "ClusterResourceSet", "v1beta1"},
        std::array{"addons.cluster.x-k8s.io", "ClusterResourceSetBinding", "v1beta1"},
        std::array{"runtime.cluster.x-k8s.io", "ExtensionConfig", "v1alpha1"},
        std::array{"cluster.x-k8s.io", "ClusterClass", "v1beta1"}}) {
    const Kind* kind = find_kind(group, name, version);
    ASSERT_NE(kind, nullptr) << name;
    check(kind->rows, &form_of(*kind->old_type), &form_of(*kind->new_type), name);
    ++checked;
  }
  EXPECT_EQ(checked, 15);
}

}  // namespace
}  // namespace capstan::api::v1beta1
