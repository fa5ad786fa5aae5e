// Which collection the objects of a struct are in, and the key of one of them. Pure; requests with structs
// are kube/typed.h.
#pragma once

#include <string>

#include "api/schema/encode.h"
#include "api/schema/resource.h"
#include "kube/resource.h"

namespace capstan::kube {

template <typename T>
concept Kind = api::detail::HasResource<T>;
// A kind of which nothing is lost when it is written back.
template <typename T>
concept WritableKind = Kind<T> && api::Encodable<T>;

Resource resource_of(const api::ResourceInfo& info);
template <Kind T>
Resource resource_of() {
  return resource_of(api::resource<T>);
}

template <typename T>
ObjectKey key_of(const T& object) {
  return {std::string(object.metadata.namespace_.view()), std::string(object.metadata.name.view())};
}

}  // namespace capstan::kube
