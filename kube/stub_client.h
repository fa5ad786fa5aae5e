// A Client that refuses everything: tests derive from it and override what they need.
#pragma once

#include <boost/json.hpp>
#include <memory>

#include "kube/client.h"

namespace capstan::kube {

class StubClient : public Client {
 public:
  Result<json::value> get(const Resource&, const ObjectKey&, const Deadline&) override { return none(); }
  Result<json::value> list(const Resource&, const ListOptions&, const Deadline&) override { return none(); }
  Result<json::value> create(const Resource&, const ObjectKey&, const json::value&, const WriteOptions&,
                             const Deadline&) override {
    return none();
  }
  Result<json::value> replace(const Resource&, const ObjectKey&, const json::value&, std::string_view,
                              const WriteOptions&, const Deadline&) override {
    return none();
  }
  Result<json::value> patch(const Resource&, const ObjectKey&, const json::value&, const PatchOptions&,
                            const Deadline&) override {
    return none();
  }
  Result<void> remove(const Resource&, const ObjectKey&, const DeleteOptions&, const Deadline&) override {
    return fail(none().error());
  }
  Result<void> evict(const ObjectKey&, const DeleteOptions&, const Deadline&) override {
    return fail(Code::Internal, "not scripted");
  }
  Result<json::value> get_path(std::string_view, const Deadline&) override { return none(); }
  Result<json::value> post_path(std::string_view, const json::value&, const Deadline&) override {
    return none();
  }
  std::unique_ptr<Stream> list_stream(const Resource&, const ListOptions&, StreamSink&) override {
    return nullptr;
  }
  std::unique_ptr<Stream> watch(const Resource&, const WatchOptions&, StreamSink&) override {
    return nullptr;
  }

 private:
  static Result<json::value> none() { return fail(Code::Internal, "not scripted"); }
};

}  // namespace capstan::kube
