# The file system of the container image: programs, the libraries they are linked with, CA certificates, time zones, a user. Sourced after
# say.sh by scripts/image. `fill_image_root FOLDER PROGRAM...` sets $libraries, the files that were taken from this machine.

fill_image_root() {
  local folder=$1 program
  shift
  mkdir -p "$folder"/{etc/ssl/certs,tmp,usr/lib/ssl,usr/share/doc}
  for program in "$@"; do
    refuse_defects "$program"
    install -m 755 "$program" "$folder/"
  done
  copy_libraries "$folder" "$@"
  install -m 644 /etc/ssl/certs/ca-certificates.crt "$folder/etc/ssl/certs/"
  ln -s /etc/ssl/certs/ca-certificates.crt "$folder/usr/lib/ssl/cert.pem"
  copy_time_zones "$folder"
  printf 'root:x:0:0::/:/none\ncapstan:x:65532:65532::/:/none\n' >"$folder/etc/passwd"
  printf 'root:x:0:\ncapstan:x:65532:\n' >"$folder/etc/group"
  printf 'hosts: files dns\n' >"$folder/etc/nsswitch.conf"
  copy_licences "$folder"
  chmod -R u=rwX,go=rX "$folder"
  chmod 1777 "$folder/tmp"
}

# A build for tests can be told to leave a safeguard out (base/safeguards.h), and knows their names; one that ships does not.
refuse_defects() {
  ! grep --text --quiet --fixed-strings consistency-gate "$1" ||
    die "$1 was compiled with switches for its safeguards (CAPSTAN_DEFECTS): take one of the release preset"
}

# Under the names the loader looks for, links followed.
copy_libraries() {
  local folder=$1 library
  shift
  mapfile -t libraries < <(ldd "$@" | sed -n 's/^.* => \(\/[^ ]*\) (.*$/\1/p; s/^\t\(\/[^ ]*\) (.*$/\1/p' | sort -u)
  for library in "${libraries[@]}"; do
    install -D -m 755 "$library" "$folder$library"
  done
}

# Without the two other editions of them that tzdata brings.
copy_time_zones() {
  mkdir -p "$1/usr/share/zoneinfo"
  cp -R /usr/share/zoneinfo/. "$1/usr/share/zoneinfo/"
  rm -rf "$1/usr/share/zoneinfo/posix" "$1/usr/share/zoneinfo/right"
}

copy_licences() {
  local folder=$1 package
  for package in $(packages_of_image); do
    install -D -m 644 "/usr/share/doc/$package/copyright" "$folder/usr/share/doc/$package/copyright"
  done
  install -D -m 644 "$root/LICENSE" "$folder/usr/share/doc/capstan/LICENSE"
}

# Debian packages that the libraries, certificates and time zones come from.
packages_of_image() {
  local library
  {
    printf '%s\n' ca-certificates tzdata
    for library in "${libraries[@]}"; do
      package_of "$(realpath "$library")"
    done
  } | sort -u
}

# dpkg knows a file by the name its package gave it, which may lack the /usr that is there today.
package_of() {
  { dpkg-query --search "$1" || dpkg-query --search "${1#/usr}"; } 2>/dev/null | sed 's/:.*//'
}
