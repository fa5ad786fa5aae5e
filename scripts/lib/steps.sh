# Sourced: runs what a page of docs/ tells a newcomer to type.

# The blocks of shell of that page, as they stand there. A block of commands that is no step begins with ```bash.
steps_of() { awk '/^```sh$/ {inside = 1; next} /^```$/ {inside = 0} inside' "$1"; }

# Runs them in this shell, with a folder that goes afterwards with what the steps have started. CAPSTAN_BUILT, where set,
# says that the programs are there.
take_steps() {
  export WALK
  WALK=$(mktemp -d)
  trap 'clean_up $?' EXIT
  if [ -n "${CAPSTAN_BUILT:-}" ]; then scripts/build() { :; }; fi
  local steps
  steps=$(steps_of "$1")
  set -x
  eval "$steps"
}

clean_up() {
  set +x
  [ "$1" = 0 ] || show_logs >&2
  kill $(jobs -p) 2>/dev/null || true
  end_machines
  wait
  rm -rf "$WALK"
}

# The end of everything that was written down, when a step has failed.
show_logs() {
  local log
  for log in "$WALK"/*.log "$WALK"/vms/*/console "$WALK"/vms/*/disk/var/log/*; do
    if [ -f "$log" ]; then printf -- '--- %s\n' "$log" && tail -n 20 "$log"; fi
  done
}

# The machines of examples/driver-python outlive their driver.
end_machines() {
  local pid
  for pid in $(sed -n 's/.*"pid": \([0-9]*\).*/\1/p' "$WALK"/vms/*/vm.json 2>/dev/null); do
    kill -KILL -- "-$pid" 2>/dev/null || true
  done
}
