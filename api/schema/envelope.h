// What lists and watch events have in common: an outer object whose members are handed to the
// decoders of their types. Internal to api/schema.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/schema/json_events.h"
#include "base/error.h"

namespace capstan::api::detail {

class Envelope : public JsonEvents {
 public:
  bool done() const { return done_; }
  const std::optional<Error>& error() const { return error_; }

  void on_null() final;
  void on_boolean(bool value) final;
  void on_number(const Number& number) final;
  void on_string(std::string_view text) final;
  void on_key(std::string_view name) final;
  void begin_object() final;
  void end_object() final;
  void begin_list() final;
  void end_list() final;

 protected:
  void restart();
  void refuse(std::string message);

 private:
  // The decoder of the value of this member, or of the next element of the list of this member; null: it is
  // skipped.
  virtual JsonEvents* taker(std::string_view name) = 0;
  virtual void taken(std::string_view name) = 0;
  // Is this member a list whose elements are taken one by one?
  virtual bool is_stream(std::string_view name) const = 0;

  template <typename Event>
  void scalar(Event&& event);
  template <typename Event>
  void begin(Event&& event, bool list);
  template <typename Event>
  void end(Event&& event);
  bool at_value() const { return depth_ == value_depth_; }

  int depth_ = 0;
  int value_depth_ = 1;  // depth at which taken values stand: 1, or 2 inside a stream
  std::string key_ = {};
  JsonEvents* taker_ = nullptr;
  bool done_ = false;
  std::optional<Error> error_ = {};
};

}  // namespace capstan::api::detail
