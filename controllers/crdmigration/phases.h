// The two things that a migration does, by the names that --skip-crd-migration-phases knows them. Plain
// values.
#pragma once

#include <array>
#include <string_view>

namespace capstan::controllers::crdmigration {

inline constexpr std::string_view kStorageVersionMigration = "StorageVersionMigration";
inline constexpr std::string_view kCleanupManagedFields = "CleanupManagedFields";
inline constexpr std::array kPhaseNames = {kStorageVersionMigration, kCleanupManagedFields};

struct Phases {
  bool storage_versions = true;
  bool managed_fields = true;

  bool any() const { return storage_versions || managed_fields; }
  bool all() const { return storage_versions && managed_fields; }
};

}  // namespace capstan::controllers::crdmigration
