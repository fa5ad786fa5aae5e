# Finds promtool, which tests alerting rules: PATH's, or the one of Debian's package prometheus, which is unpacked into the
# cache folder and not installed, for it would start a server. Sourced after real_servers.sh; sets $promtool.
find_promtool() {
  promtool=$(command -v promtool) && return
  promtool=$cache_folder/promtool
  [[ -x $promtool ]] || build_once unpack_promtool
}

unpack_promtool() {
  [[ -x $promtool ]] && return
  local folder
  folder=$(mktemp --directory)
  mkdir -p "$cache_folder"
  (cd "$folder" && apt-get -q download prometheus >&2 && dpkg-deb --fsys-tarfile prometheus_*.deb | tar -x ./usr/bin/promtool)
  mv "$folder/usr/bin/promtool" "$promtool"
  rm -rf "$folder"
}
