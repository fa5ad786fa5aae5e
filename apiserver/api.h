// The API server's verbs over one store, without HTTP: request in, response out. The HTTP layer (http.h) and
// MemoryClient (test/fakes) share everything from here down. One Api per simulated cluster. Safe from any
// thread; calls block only on webhooks.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/admission/admission.h"
#include "apiserver/defects.h"
#include "apiserver/request.h"
#include "apiserver/store/watch.h"
#include "base/clock.h"

namespace capstan::apiserver {

struct ApiOptions {
  const Clock& clock;
  std::uint64_t seed = 1;       // of uids and generated names: the same seed gives the same names
  std::size_t history = 16384;  // changes per collection a watch may lag behind before 410
  Nanoseconds bookmark_every = std::chrono::seconds(60);
  // Outer calls; null: no webhooks, and conversion changes apiVersion only.
  Admission* admission = nullptr;
  Converter* converter = nullptr;
  DefectSet defects = {};
};

class Api {
 public:
  explicit Api(ApiOptions options);
  ~Api();
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;

  // Every verb but Watch.
  Response call(const Request& request);
  // A watch, or the error response.
  std::expected<std::unique_ptr<Watch>, Response> watch(const Request& request);

  // Served types in discovery order: built-in, then custom by group and plural. Changes when CRDs come and
  // go.
  std::vector<TypePtr> types() const;
  TypePtr type(std::string_view group, std::string_view plural) const;  // null when unknown
  // Moves whenever types() may answer something else (for caches of discovery and OpenAPI documents).

  // Plain reads for admission (configurations, namespaces) and controllers: the stored object or null.
  ObjectPtr stored(std::string_view group, std::string_view plural, std::string_view ns,
                   std::string_view name) const;
  std::vector<ObjectPtr> stored_all(std::string_view group, std::string_view plural) const;

  // What kube-controller-manager does elsewhere: garbage collection, namespace termination, CRD finalizing,
  // disruption budgets. One round over what has changed; true when it wrote something. In production a thread
  // calls it when on_work() fires; a simulation calls it whenever it likes.
  bool run_controllers();
  // `wake` is called, from any thread and without locks, when there may be work for run_controllers(); an
  // empty one takes the last one back.
  void on_work(std::function<void()> wake);

  // Fault injection: forget the history, so that every watch and every continue token ends with 410.
  void expire_watches();

  const Clock& clock() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace capstan::apiserver
