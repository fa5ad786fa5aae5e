// Small strong types of object metadata: Uid and ResourceVersion. Plain values, safe to copy between threads.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"

namespace capstan::api {

// A UID, or a machine's ID, in 16 bytes: UUIDs in lower case, and those of version 4 without dashes as
// /etc/machine-id has them. Anything else is legal too, costs a Text and comes back byte for byte.
class Uid {
 public:
  Uid() : low_(0) {}
  explicit Uid(std::string_view text);
  Uid(const Uid& other);
  Uid(Uid&& other) noexcept;
  Uid& operator=(const Uid& other);
  Uid& operator=(Uid&& other) noexcept;
  ~Uid();

  bool empty() const { return high_ == 0 && low_ == 0; }
  std::string str() const;
  std::uint64_t hash() const;

  friend bool operator==(const Uid& left, const Uid& right);
  friend std::strong_ordering operator<=>(const Uid& left, const Uid& right);

 private:
  bool odd() const { return high_ == kOdd; }
  void clear();

  static constexpr std::uint64_t kOdd = ~std::uint64_t{0};
  std::uint64_t high_ = 0;
  // The lower half, or, when high_ is kOdd, the Text of what is no such UUID.
  union {
    std::uint64_t low_;
    Text text_;
  };
};

// A version of one object in one API server: an integer since Kubernetes 1.35 says so; 0 means none.
class ResourceVersion {
 public:
  ResourceVersion() = default;
  explicit ResourceVersion(std::uint64_t number) : number_(number) {}
  // nullopt unless `text` is empty or a decimal number that fits.
  static std::optional<ResourceVersion> parse(std::string_view text);

  bool empty() const { return number_ == 0; }
  std::uint64_t number() const { return number_; }
  std::string str() const;  // "" when empty
  auto operator<=>(const ResourceVersion&) const = default;

 private:
  std::uint64_t number_ = 0;
};

}  // namespace capstan::api

template <>
struct std::hash<capstan::api::Uid> {
  std::size_t operator()(const capstan::api::Uid& uid) const noexcept { return uid.hash(); }
};
