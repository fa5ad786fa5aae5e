// Names that have to do with CustomResourceDefinitions. Pure.
#pragma once

#include <string_view>

namespace capstan::apiserver {

inline constexpr std::string_view kCrdGroup = "apiextensions.k8s.io";
inline constexpr std::string_view kCrdCollection = "customresourcedefinitions.apiextensions.k8s.io";
inline constexpr std::string_view kCrdFinalizer = "customresourcecleanup.apiextensions.k8s.io";

}  // namespace capstan::apiserver
