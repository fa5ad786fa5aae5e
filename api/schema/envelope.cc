#include "api/schema/envelope.h"

namespace capstan::api::detail {

void Envelope::on_null() {
  if (depth_ == 1 && at_value()) return;  // absent
  scalar([](JsonEvents& events) { events.on_null(); });
}
void Envelope::on_boolean(bool value) {
  scalar([&](JsonEvents& events) { events.on_boolean(value); });
}
void Envelope::on_number(const Number& number) {
  scalar([&](JsonEvents& events) { events.on_number(number); });
}
void Envelope::on_string(std::string_view text) {
  scalar([&](JsonEvents& events) { events.on_string(text); });
}
void Envelope::on_key(std::string_view name) {
  if (depth_ == 1) {
    key_ = name;
  } else if (taker_ != nullptr) {
    taker_->on_key(name);
  }
}
void Envelope::begin_object() {
  begin([](JsonEvents& events) { events.begin_object(); }, false);
}
void Envelope::end_object() {
  end([](JsonEvents& events) { events.end_object(); });
}
void Envelope::begin_list() {
  begin([](JsonEvents& events) { events.begin_list(); }, true);
}
void Envelope::end_list() {
  end([](JsonEvents& events) { events.end_list(); });
}

void Envelope::restart() {
  depth_ = 0;
  value_depth_ = 1;
  key_.clear();
  taker_ = nullptr;
  done_ = false;
  hopeless_ = false;
  error_.reset();
}

void Envelope::refuse(std::string message) {
  error_ = {.code = Code::Invalid, .message = std::move(message)};
  hopeless_ = true;
}

template <typename Event>
void Envelope::scalar(Event&& event) {
  if (depth_ == 0) return refuse("expected object, found something else");
  if (!at_value()) {
    if (taker_ != nullptr) event(*taker_);
    return;
  }
  if (value_depth_ == 1 && is_stream(key_)) return refuse(key_ + ": expected list, found something else");
  taker_ = taker(key_);
  if (taker_ == nullptr) return;
  event(*taker_);
  taken(key_);
}

template <typename Event>
void Envelope::begin(Event&& event, bool list) {
  if (depth_ == 0) {
    if (list) return refuse("expected object, found list");
  } else if (at_value()) {
    if (value_depth_ == 1 && is_stream(key_)) {
      if (!list) return refuse(key_ + ": expected list, found object");
      value_depth_ = 2;
      ++depth_;
      return;
    }
    taker_ = taker(key_);
    if (taker_ != nullptr) event(*taker_);
  } else if (taker_ != nullptr) {
    event(*taker_);
  }
  ++depth_;
}

template <typename Event>
void Envelope::end(Event&& event) {
  --depth_;
  if (depth_ == 0) {
    done_ = true;
  } else if (depth_ < value_depth_) {
    value_depth_ = 1;
  } else if (taker_ != nullptr) {
    event(*taker_);
    if (at_value()) taken(key_);
  }
}

}  // namespace capstan::api::detail
