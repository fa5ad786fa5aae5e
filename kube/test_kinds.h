// Two small kinds for kube's own tests: a Widget that can be written, and the sight of one that can only be
// read.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "api/meta/object_meta.h"
#include "api/schema/resource.h"

namespace capstan::kube {

struct WidgetPart {
  Text name = {};
  std::int64_t size = 0;
  api::UnknownFields unknown = {};
  bool operator==(const WidgetPart&) const = default;
};

struct WidgetOrigin {
  Text shop = {};
  Text country = {};
  api::UnknownFields unknown = {};
  bool operator==(const WidgetOrigin&) const = default;
};

struct WidgetSpec {
  std::int64_t size = 0;
  std::vector<WidgetPart> parts = {};  // a map by name
  std::vector<Text> colours = {};      // a set
  std::vector<Text> notes = {};        // an atom
  std::optional<WidgetOrigin> origin = {};
  api::TextMap settings = {};
  api::UnknownFields unknown = {};
  bool operator==(const WidgetSpec&) const = default;
};

struct WidgetStatus {
  Text phase = {};
  std::vector<Text> marks = {};
  api::UnknownFields unknown = {};
  bool operator==(const WidgetStatus&) const = default;
};

struct Widget {
  api::ObjectMeta metadata = {};
  WidgetSpec spec = {};
  WidgetStatus status = {};
  api::UnknownFields unknown = {};
  bool operator==(const Widget&) const = default;
};

struct WidgetSight {
  api::ObjectMeta metadata = {};
};

}  // namespace capstan::kube

namespace capstan::api {

template <>
inline constexpr auto members<kube::WidgetPart> = std::array{
    member<&kube::WidgetPart::name>("name", {.required = true}),
    member<&kube::WidgetPart::size>("size"),
};
template <>
inline constexpr ObjectRules object_rules<kube::WidgetOrigin> = {.map_atomic = true};
template <>
inline constexpr auto members<kube::WidgetOrigin> = std::array{
    member<&kube::WidgetOrigin::shop>("shop"),
    member<&kube::WidgetOrigin::country>("country"),
};
template <>
inline constexpr auto members<kube::WidgetSpec> = std::array{
    member<&kube::WidgetSpec::size>("size"),
    member<&kube::WidgetSpec::parts>("parts", {.list_keys = "name"}),
    member<&kube::WidgetSpec::colours>("colours", {.list = ListType::Set}),
    member<&kube::WidgetSpec::notes>("notes"),
    member<&kube::WidgetSpec::origin>("origin"),
    member<&kube::WidgetSpec::settings>("settings"),
};
template <>
inline constexpr auto members<kube::WidgetStatus> = std::array{
    member<&kube::WidgetStatus::phase>("phase"),
    member<&kube::WidgetStatus::marks>("marks"),
};
template <>
inline constexpr ResourceInfo resource<kube::Widget> = {
    .group = "example.com", .version = "v1", .kind = "Widget", .plural = "widgets"};
template <>
inline constexpr auto members<kube::Widget> = std::array{
    member<&kube::Widget::metadata>("metadata"),
    member<&kube::Widget::spec>("spec"),
    member<&kube::Widget::status>("status"),
};
template <>
inline constexpr auto members<kube::WidgetSight> = std::array{
    member<&kube::WidgetSight::metadata>("metadata"),
};

}  // namespace capstan::api
