// Fills one struct from JSON events by its table: a stack of (table, address), no intermediate document.
// After a fault it only counts brackets until the struct's own end, so that one bad object never ends a
// stream. Internal to api/schema.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema/field.h"
#include "api/schema/json_events.h"
#include "api/schema/managed_fields_reader.h"
#include "api/schema/raw_writer.h"
#include "base/error.h"

namespace capstan::api::detail {

class StructBuilder final : public JsonEvents {
 public:
  // apiVersion and kind, where present, must be those of the type's resource.
  void start(const TypeInfo& type, void* target);

  bool done() const { return done_; }
  bool failed() const { return failed_; }
  const Error& error() const { return error_; }
  // Of a failed object, when its metadata came along.
  const std::string& failed_name() const { return failed_name_; }
  const std::string& failed_namespace() const { return failed_namespace_; }

  void on_null() override;
  void on_boolean(bool value) override;
  void on_number(const Number& number) override;
  void on_string(std::string_view text) override;
  void on_key(std::string_view name) override;
  void begin_object() override;
  void end_object() override;
  void begin_list() override;
  void end_list() override;

  StructBuilder() { frames_.reserve(8); }
  StructBuilder(const StructBuilder&) = delete;
  StructBuilder& operator=(const StructBuilder&) = delete;
  ~StructBuilder() override { abandon(); }

 private:
  // One open object, list or map. Frames are reused, so that their strings keep their memory.
  struct Frame {
    const TypeInfo* type = nullptr;
    void* address = nullptr;
    const TypeInfo* holder_type = nullptr;  // when the container is what another one opened
    void* holder = nullptr;
    const Member* member = nullptr;  // Object: the one being filled
    std::size_t next = 0;            // Object: where to look for the next name first; List: elements so far
    std::uint64_t seen = 0;          // Object: a bit for each member that came
    std::string key = {};            // the member's name when unknown; the key inside a map
    std::string unknown = {};        // Object: {"a":1,... without the last bracket
  };
  // Where the next value goes.
  struct Slot {
    const TypeInfo* type = nullptr;
    void* address = nullptr;
    const TypeInfo* holder_type = nullptr;
    void* holder = nullptr;
  };
  enum class Mode : std::uint8_t { Fill, Skip, Raw, Managed, Constant, Failed };

  Frame& top() { return frames_[open_ - 1]; }

  Slot next_slot();
  void filled(const Slot& slot);
  void push(const Slot& slot);
  void pop();
  std::size_t find_member(Frame& frame, std::string_view name);
  bool set_text(const Slot& slot, std::string_view text);
  bool set_number(const Slot& slot, const Number& number);
  void close_text_map(Frame& frame);

  void unknown_member(Frame& frame, std::string_view name);
  void check_constant(std::string_view text);
  void keep_unknown(Frame& frame);

  void start_mode(Mode mode);
  void end_mode();
  template <typename Event>
  void carry_raw(const Slot& slot, Event&& event);
  void carry_managed(const Slot& slot);
  template <typename Event>
  bool carried(Event&& event);
  template <typename Event>
  bool carried_begin(Event&& event);
  template <typename Event>
  bool carried_end(Event&& event);

  void mismatch(const Slot& slot, const std::string& found);
  void fail_here(std::string message);
  void opened_failed();
  void too_deep();
  void drop(const Slot& slot);
  void abandon();
  std::string path() const;
  void note_failed_key(std::string_view name);

  const TypeInfo* root_type_ = nullptr;
  void* root_ = nullptr;
  std::vector<Frame> frames_ = {};
  std::size_t open_ = 0;        // frames in use
  std::size_t depth_ = 0;       // brackets open, frames and carried subtrees alike
  std::size_t mode_depth_ = 0;  // depth at which the present mode ends
  Mode mode_ = Mode::Fill;
  bool done_ = false;
  bool failed_ = false;
  std::string constant_ = {};      // what kind or apiVersion has to be
  RawJson* raw_target_ = nullptr;  // null: an unknown member of the top frame
  Slot raw_slot_ = {};
  ManagedFields* managed_target_ = nullptr;
  RawWriter raw_ = {};
  ManagedFieldsReader managed_ = {};
  TextMap::Entries entries_ = {};
  Error error_ = {};
  std::string failed_name_ = {};
  std::string failed_namespace_ = {};
  std::string* failed_string_ = nullptr;
  bool failed_in_metadata_ = false;
};

}  // namespace capstan::api::detail
