// metadata.managedFields, from events to the digest of managed_fields.h. Digests a thread has met most
// recently are recognised by their text and cost no lookup per path. Internal to api/schema.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/schema/json_events.h"
#include "api/schema/managed_fields.h"

namespace capstan::api::detail {

class ManagedFieldsReader final : public JsonEvents {
 public:
  void start();
  // What came since start(); never fails: a shape that is not managedFields gives fewer entries.
  ManagedFields finish();

  void on_null() override {}
  void on_boolean(bool) override {}
  void on_number(const Number&) override {}
  void on_string(std::string_view text) override;
  void on_key(std::string_view name) override;
  void begin_object() override;
  void end_object() override;
  void begin_list() override { ++depth_; }
  void end_list() override { --depth_; }

 private:
  static void note(std::string& out, char tag, std::string_view text);
  void note_entry();
  ManagedEntries entries() const;

  int depth_ = 0;
  std::string key_ = {};  // of the entry's member being read
  std::string manager_ = {};
  std::string operation_ = {};
  std::string subresource_ = {};
  bool in_fields_ = false;
  std::vector<std::size_t> parents_ = {};  // length of path_ at each open object of fieldsV1
  std::string path_ = {};
  bool leaf_ = false;       // the object just opened has no member yet
  std::string paths_ = {};  // of this entry, one line each
  std::string text_ = {};   // all entries, one tagged line per fact: equal text, equal digest
};

}  // namespace capstan::api::detail
