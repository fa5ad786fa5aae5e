// Hashes whose values are the same in every run: seeds replay, template hashes survive an upgrade. FNV-1a is
// what Kubernetes puts into names; hash_bytes is the fast one for tables. Pure functions; an attacker who
// chooses the input can make them collide.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>

namespace capstan {

// Can be continued: fnv1a_32("b", fnv1a_32("a")) == fnv1a_32("ab").
constexpr std::uint32_t fnv1a_32(std::string_view bytes, std::uint32_t state = 2166136261U) {
  for (const char c : bytes) state = (state ^ static_cast<unsigned char>(c)) * 16777619U;
  return state;
}

// Spreads every input bit over all 64 (the finaliser of MurmurHash3).
constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 33U)) * 0xff51afd7ed558ccdULL;
  x = (x ^ (x >> 33U)) * 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33U);
}

constexpr std::uint64_t hash_combine(std::uint64_t seed, std::uint64_t next) {
  return mix64(seed * 0x9e3779b97f4a7c15ULL + next);
}

namespace detail {

// Up to eight bytes as one little-endian number, so that hashes agree between machines and with constant
// evaluation.
constexpr std::uint64_t load_bytes(const char* bytes, std::size_t count) {
  if !consteval {
    if (count == 8 && std::endian::native == std::endian::little) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes, 8);
      return word;
    }
  }
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < count; ++i) {
    word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return word;
}

}  // namespace detail

constexpr std::uint64_t hash_bytes(std::string_view bytes) {
  std::uint64_t state = bytes.size() * 0x9e3779b97f4a7c15ULL;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) {
    state = (state ^ detail::load_bytes(at, 8)) * 0x9fb21c651e98df25ULL;
    state ^= state >> 32U;
  }
  if (left > 0) state = (state ^ detail::load_bytes(at, left)) * 0x9fb21c651e98df25ULL;
  return mix64(state);
}

// The hash of a whole value: of its std::hash, or of its parts for pairs and anything that can be iterated.
template <typename T>
std::uint64_t hash_of(const T& value) {
  if constexpr (requires { std::string_view(value); }) {
    return hash_bytes(std::string_view(value));
  } else if constexpr (requires { std::hash<T>{}(value); }) {
    return std::hash<T>{}(value);
  } else if constexpr (requires { value.first, value.second; }) {
    return hash_combine(hash_of(value.first), hash_of(value.second));
  } else {
    std::uint64_t state = 0;
    for (const auto& part : value) state = hash_combine(state, hash_of(part));
    return state;
  }
}

}  // namespace capstan
