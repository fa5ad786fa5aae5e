// Events back to compact JSON text: how a subtree that no struct names is kept. One value has one spelling,
// so that text can be compared. Internal to api/schema.
#pragma once

#include <string>
#include <string_view>

#include "api/schema/json_events.h"

namespace capstan::api::detail {

class RawWriter final : public JsonEvents {
 public:
  void on_null() override { scalar("null"); }
  void on_boolean(bool value) override { scalar(value ? "true" : "false"); }
  void on_number(const Number& number) override { scalar(plain_text(number)); }
  void on_string(std::string_view text) override {
    separate();
    append_quoted(text_, text);
    separated_ = false;
  }
  void on_key(std::string_view name) override {
    on_string(name);
    text_ += ':';
    separated_ = true;
  }
  void begin_object() override { open('{'); }
  void end_object() override { close('}'); }
  void begin_list() override { open('['); }
  void end_list() override { close(']'); }

  std::string_view text() const { return text_; }
  void clear() {
    text_.clear();
    separated_ = true;
  }

 private:
  void separate() {
    if (!separated_) text_ += ',';
  }
  void scalar(std::string_view text) {
    separate();
    text_ += text;
    separated_ = false;
  }
  void open(char bracket) {
    separate();
    text_ += bracket;
    separated_ = true;
  }
  void close(char bracket) {
    text_ += bracket;
    separated_ = false;
  }

  std::string text_ = {};
  bool separated_ = true;  // the next value needs no comma in front
};

}  // namespace capstan::api::detail
