# What is in the container image, as SPDX 2.3 JSON: the programs and the Debian packages that libraries and certificates come from.
# Sourced after image_root.sh and oci_archive.sh by scripts/image, which sets $version, $revision and $digest.

write_sbom() {
  local package
  {
    printf '{\n  "spdxVersion": "SPDX-2.3",\n  "dataLicense": "CC0-1.0",\n  "SPDXID": "SPDXRef-DOCUMENT",\n'
    printf '  "name": "capstan-%s",\n  "documentNamespace": "https://capstan.dev/spdx/%s",\n' "$version" "${digest#sha256:}"
    printf '  "creationInfo": {"created": "%s", "creators": ["Tool: scripts/image"]},\n' "$(iso_time)"
    printf '  "packages": [\n'
    spdx_package capstan "$version" Apache-2.0 "pkg:generic/capstan@$version?vcs_revision=$revision"
    for package in $(packages_of_image); do
      printf ',\n'
      spdx_debian_package "$package"
    done
    printf '\n  ],\n  "relationships": [\n'
    printf '    {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-capstan"}'
    for package in $(packages_of_image); do
      printf ',\n    {"spdxElementId": "SPDXRef-capstan", "relationshipType": "DEPENDS_ON", "relatedSpdxElement": "%s"}' \
        "$(spdx_id "$package")"
    done
    printf '\n  ]\n}\n'
  } >"$1"
}

spdx_debian_package() {
  local release architecture
  IFS=' ' read -r release architecture < <(dpkg-query --show --showformat '${Version} ${Architecture}\n' "$1" | head -n 1)
  spdx_package "$1" "$release" NOASSERTION "pkg:deb/debian/$1@$release?arch=$architecture"
}

# NAME VERSION LICENCE PURL
spdx_package() {
  printf '    {"SPDXID": "%s", "name": "%s", "versionInfo": "%s", "licenseDeclared": "%s",' "$(spdx_id "$1")" "$1" "$2" "$3"
  printf ' "licenseConcluded": "NOASSERTION", "copyrightText": "NOASSERTION", "downloadLocation": "NOASSERTION",'
  printf ' "filesAnalyzed": false, "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",'
  printf ' "referenceLocator": "%s"}]}' "${4//+/%2B}"
}

spdx_id() { printf 'SPDXRef-%s' "${1//[^A-Za-z0-9.-]/-}"; }
