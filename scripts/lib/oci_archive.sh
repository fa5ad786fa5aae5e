# Writes OCI archives: an image of one layer in a tar file, the same bytes for the same input. Sourced after say.sh by
# scripts/image, which sets $version, $revision and $epoch.

# write_oci_archive ROOT FOLDER ARCHIVE: FOLDER is where the layout is put together; sets $digest, of the manifest.
write_oci_archive() {
  local rootfs=$1 layout=$2 archive=$3
  mkdir -p "$layout/blobs/sha256"
  printf '{"imageLayoutVersion":"1.0.0"}' >"$layout/oci-layout"
  reproducible_tar "$rootfs" >"$layout/layer.tar"
  local diff_id
  diff_id=$(sum_of "$layout/layer.tar")
  gzip -n -9 "$layout/layer.tar"
  describe_layer "$layout/layer.tar.gz" application/vnd.oci.image.layer.v1.tar+gzip
  local layer=$descriptor
  image_config "$diff_id" >"$layout/config"
  describe_layer "$layout/config" application/vnd.oci.image.config.v1+json
  printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":%s,"layers":[%s]}' \
    "$descriptor" "$layer" >"$layout/manifest"
  describe_layer "$layout/manifest" application/vnd.oci.image.manifest.v1+json
  digest=sha256:$sum
  printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[%s]}' \
    "${descriptor%\}},\"annotations\":{\"org.opencontainers.image.ref.name\":\"$version\"}}" >"$layout/index.json"
  reproducible_tar "$layout" >"$archive.partial"
  mv "$archive.partial" "$archive"
}

reproducible_tar() {
  tar --directory="$1" --create --format=gnu --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner .
}

sum_of() { sha256sum "$1" | cut -d ' ' -f 1; }

# Moves the file among the blobs; sets $sum and $descriptor.
describe_layer() {
  local size
  sum=$(sum_of "$1")
  size=$(stat --format=%s "$1")
  descriptor=$(printf '{"mediaType":"%s","digest":"sha256:%s","size":%d}' "$2" "$sum" "$size")
  mv "$1" "$layout/blobs/sha256/$sum"
}

image_config() {
  printf '{"created":"%s","architecture":"%s","os":"linux",' "$(iso_time)" "$(go_architecture)"
  printf '"config":{"User":"65532:65532","Entrypoint":["/capstan"],"WorkingDir":"/",'
  printf '"Env":["PATH=/","SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"],'
  printf '"Labels":{"org.opencontainers.image.title":"capstan","org.opencontainers.image.version":"%s",' "$version"
  printf '"org.opencontainers.image.revision":"%s","org.opencontainers.image.licenses":"Apache-2.0"}},' "$revision"
  printf '"rootfs":{"type":"layers","diff_ids":["sha256:%s"]},"history":[{"created":"%s"}]}' "$1" "$(iso_time)"
}

iso_time() { date --utc --date="@$epoch" +%Y-%m-%dT%H:%M:%SZ; }

go_architecture() {
  case $(uname -m) in
    x86_64) echo amd64 ;;
    aarch64) echo arm64 ;;
    *) uname -m ;;
  esac
}
