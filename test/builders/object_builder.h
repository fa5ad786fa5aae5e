// What all builders can say: labels, annotations, owners, age, deletion, conditions. A builder is a value;
// each word changes it and hands it on, so that a test reads `a_machine("a").in_set("s").ready()`.
#pragma once

#include <memory>
#include <utility>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "test/builders/identity.h"

namespace capstan::builders {

// `Self` is the builder of one kind, `T` the kind. (The one place where a base knows its child: otherwise
// every word below would have to be repeated per kind.)
template <typename Self, typename T>
class ObjectBuilder {
 public:
  operator T() const {
    return object_;
  }  // NOLINT(google-explicit-constructor): a builder is as good as what it builds
  T build() const { return object_; }
  std::shared_ptr<const T> shared() const { return std::make_shared<const T>(object_); }

  Self& in_namespace(std::string_view name) {
    return change([&](T& o) { o.metadata.namespace_ = Text(name); });
  }
  Self& labelled(std::string_view key, std::string_view value = {}) {
    return change([&](T& o) { o.metadata.labels.set(key, value); });
  }
  Self& annotated(std::string_view key, std::string_view value = {}) {
    return change([&](T& o) { o.metadata.annotations.set(key, value); });
  }
  Self& finalized_by(std::string_view finalizer) {
    return change([&](T& o) {
      auto finalizers = *o.metadata.finalizers;
      finalizers.emplace_back(finalizer);
      o.metadata.finalizers = api::Finalizers(std::move(finalizers));
    });
  }
  Self& owned_by(api::OwnerReference owner) {
    return change([&](T& o) {
      auto owners = *o.metadata.owner_references;
      owners.push_back(std::move(owner));
      o.metadata.owner_references = api::OwnerReferences(std::move(owners));
    });
  }
  Self& created(Time time) {
    return change([&](T& o) { o.metadata.creation_timestamp = time; });
  }
  Self& aged(Seconds age) { return created(Time::from_unix(noon().unix_seconds() - age.count())); }
  Self& deleting(Time since = noon()) {
    return change([&](T& o) { o.metadata.deletion_timestamp = since; });
  }
  Self& generation(std::int64_t number) {
    return change([&](T& o) { o.metadata.generation = number; });
  }
  Self& version_number(std::uint64_t number) {
    return change([&](T& o) { o.metadata.resource_version = api::ResourceVersion(number); });
  }
  Self& paused() { return annotated(api::annotation::kPaused); }

  // Any change that has no word of its own.
  template <typename Fn>
  Self& with(Fn&& change_object) {
    return change(std::forward<Fn>(change_object));
  }

 protected:
  explicit ObjectBuilder(T object) : object_(std::move(object)) {}

  template <typename Fn>
  Self& change(Fn&& change_object) {
    std::forward<Fn>(change_object)(object_);
    return static_cast<Self&>(*this);
  }

  T object_;
};

// For kinds with metav1 conditions.
template <typename Self, typename T>
class ConditionedBuilder : public ObjectBuilder<Self, T> {
 public:
  Self& condition(std::string_view type, std::string_view status, std::string_view reason = {},
                  std::string_view message = {}, Time since = noon()) {
    return this->change([&](T& o) {
      auto wanted = api::conditions::make(type, status, reason.empty() ? type : reason, message);
      wanted.last_transition_time = since;
      api::conditions::set(o.status.conditions, std::move(wanted), o.metadata.generation, since);
    });
  }

 protected:
  using ObjectBuilder<Self, T>::ObjectBuilder;
};

}  // namespace capstan::builders
