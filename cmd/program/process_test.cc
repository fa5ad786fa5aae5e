#include "cmd/program/process.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace capstan::program {
namespace {

constexpr const char* kStartedAnew = "CAPSTAN_TEST_STARTED_ANEW";

// Each in a process of its own: a heap that is there stays.
class ShareHeapsDeathTest : public testing::Test {
 protected:
  ShareHeapsDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// A sanitizer brings an allocator of its own, which has no such heaps.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

constexpr int kThreads = 8;

// Every thread holds memory at the same time, so that none can take over the heap of one that has ended.
void allocate_in_threads() {
  std::barrier all(kThreads);
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&all] {
      const auto held = std::make_unique<std::string>(1000, 'x');
      all.arrive_and_wait();
    });
}

int heaps() {
  char* text = nullptr;
  std::size_t size = 0;
  FILE* into = open_memstream(&text, &size);
  malloc_info(0, into);
  fclose(into);
  int count = 0;
  const std::string_view report(text, size);
  for (auto at = report.find("<heap nr"); at != std::string_view::npos; at = report.find("<heap nr", at + 1))
    ++count;
  std::free(text);
  return count;
}

TEST_F(ShareHeapsDeathTest, EightThreadsHaveTwoHeaps) {
  const auto run = [] {
    unsetenv("MALLOC_ARENA_MAX");
    share_heaps();
    allocate_in_threads();
    std::exit(heaps());
  };

  EXPECT_EXIT(run(), testing::ExitedWithCode(2), "");
}

TEST_F(ShareHeapsDeathTest, WhatTheEnvironmentSaysCountsMore) {
  const auto run = [] {
    setenv("MALLOC_ARENA_MAX", "5", 1);
    share_heaps();
    allocate_in_threads();
    std::exit(heaps() > 2 ? 0 : 1);
  };

  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "");
}

#endif

std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline");
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

// Comes back here as the program that it has started.
TEST_F(ShareHeapsDeathTest, ThreadsKeepLittleOnceTheProgramHasStartedAnew) {
  const auto run = [] {
    auto words = own_arguments();
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    setenv(kStartedAnew, "1", 1);
    keep_little_in_each_thread(argv.data());
    const char* said = std::getenv("GLIBC_TUNABLES");
    std::exit(said != nullptr && std::string_view(said) == "glibc.malloc.tcache_max=256" ? 3 : 1);
  };

  if (std::getenv(kStartedAnew) == nullptr) unsetenv("GLIBC_TUNABLES");
  EXPECT_EXIT(run(), testing::ExitedWithCode(3), "");
}

}  // namespace
}  // namespace capstan::program
