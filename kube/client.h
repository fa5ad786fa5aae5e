// The seam to one API server: untyped verbs, and streams of bytes for LIST pages and watches. RemoteClient
// speaks HTTP, MemoryClient (test/fakes) speaks to the embedded storage core, FaultyClient decorates either.
// Typed sugar is kube/typed.h. Every implementation is safe from any thread; the verbs block until the
// deadline at most.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/schema/field.h"
#include "base/deadline.h"
#include "base/result.h"
#include "kube/quoting.h"
#include "kube/request_options.h"
#include "kube/resource.h"

namespace capstan::kube {

namespace json = boost::json;

// Receives one response body as it arrives. Calls come from one thread at a time, never after on_end and
// never after the Stream has been destroyed. Bytes are cut anywhere.
class StreamSink {
 public:
  virtual ~StreamSink() = default;
  virtual void on_bytes(std::string_view bytes) = 0;
  // The body ended (value) or the request failed before or in the middle (error). Exactly once.
  virtual void on_end(Result<void> outcome) = 0;
};

// A response being received. Destruction cancels it and returns when no call to the sink is running any more
// (except when it happens inside such a call).
class Stream {
 public:
  virtual ~Stream() = default;
};

// Where an answer goes that is decoded at once: a fresh struct and its table.
struct Into {
  const api::TypeInfo* type = nullptr;
  void* object = nullptr;
  bool metadata_only = false;  // the struct has nothing else: of the rest not even the syntax is looked at
};

class Client {
 public:
  virtual ~Client() = default;

  // Of its server's words.
  virtual Quoting quoting() const { return Quoting::Everything; }

  virtual Result<json::value> get(const Resource&, const ObjectKey&, const Deadline&) = 0;
  virtual Result<json::value> list(const Resource&, const ListOptions&, const Deadline&) = 0;
  // What a write made of the object comes back without its managedFields.
  virtual Result<json::value> create(const Resource&, const ObjectKey&, const json::value& object,
                                     const WriteOptions&, const Deadline&) = 0;
  // PUT. Ours never use it on objects; Leases, tools and tests do.
  virtual Result<json::value> replace(const Resource&, const ObjectKey&, const json::value& object,
                                      std::string_view subresource, const WriteOptions&, const Deadline&) = 0;
  virtual Result<json::value> patch(const Resource&, const ObjectKey&, const json::value& body,
                                    const PatchOptions&, const Deadline&) = 0;
  // The same two for a caller that wants a struct: RemoteClient reads it without a document in between.
  virtual Result<void> create_into(const Into&, const Resource&, const ObjectKey&, const json::value& object,
                                   const WriteOptions&, const Deadline&);
  virtual Result<void> patch_into(const Into&, const Resource&, const ObjectKey&, const json::value& body,
                                  const PatchOptions&, const Deadline&);
  virtual Result<void> remove(const Resource&, const ObjectKey&, const DeleteOptions&, const Deadline&) = 0;
  virtual Result<void> evict(const ObjectKey& pod, const DeleteOptions&, const Deadline&) = 0;
  // GET of a subresource (scale, status) or, with an empty Resource plural, of a raw path such as "/version".
  virtual Result<json::value> get_path(std::string_view path, const Deadline&) = 0;
  // POST of a body to a raw path (TokenReview, SubjectAccessReview, eviction-like subresources).
  virtual Result<json::value> post_path(std::string_view path, const json::value& body, const Deadline&) = 0;

  // One LIST page or one watch, delivered as raw bytes: what big readers and informers use. Never blocks.
  virtual std::unique_ptr<Stream> list_stream(const Resource&, const ListOptions&, StreamSink&) = 0;
  virtual std::unique_ptr<Stream> watch(const Resource&, const WatchOptions&, StreamSink&) = 0;
};

}  // namespace capstan::kube
