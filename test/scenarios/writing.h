// How golden stories are compared with their files, or told anew when scenarios_test was called with --write.
#pragma once

#include <filesystem>
#include <string>

namespace capstan::scenarios {

// Set by main.
extern bool write_stories;

// Compares, or writes; a failure shows both.
void expect_told(const std::filesystem::path& file, const std::string& text);
// The same without blanks at the ends of lines.
std::string trimmed(const std::string& text);

}  // namespace capstan::scenarios
