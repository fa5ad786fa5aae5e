# Stages of a long run: each prints its time, a failed one does not stop the others, and the end repeats what each had to
# say. Sourced after say.sh; used by .ci/run.

stage_logs=$root/build/ci
stages=()
failed_stages=()

stage() {
  local name=$1 began=$SECONDS verdict=passed
  shift
  mkdir -p "$stage_logs"
  say "=== $name"
  if ! "$@" 2>&1 | tee "$stage_logs/$name.log"; then
    verdict=FAILED
    failed_stages+=("$name")
  fi
  stages+=("$name $verdict $((SECONDS - began))s")
  say "=== $name $verdict in $((SECONDS - began))s"
}

# Ends with ctest's own closing lines, one per stage.
close_stages() {
  local line
  say "=== summary, ${SECONDS}s in all"
  for line in "${stages[@]}"; do
    printf '%s\n' "$line"
  done
  for line in "${stages[@]}"; do
    sed -n 's/^\([0-9]*% tests passed, .*\)$/\1/p' "$stage_logs/${line%% *}.log" | tail -n 1
  done
  [[ ${#failed_stages[@]} -eq 0 ]] || die "failed: ${failed_stages[*]}"
}
