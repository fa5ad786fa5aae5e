# Stages of a long run: each prints its time and its CPU seconds, a failed one does not stop the others, and the end
# repeats what each had to say and how those that failed ended. Sourced after say.sh; used by .ci/run.

stage_logs=$root/build/ci
declare -A stage_budgets=()  # seconds of a stage on two cores with nothing cached, where its script sets them
stages=()
failed_stages=()
late_stages=()    # were not begun, or stopped
last_second=0     # a stage that would end later is not begun, and one that does not end by then is stopped; 0: there is no end
must_end=()       # stages that begin at any time and take what they take
budgeted=0        # what the stages that ended were given

# end_by SECOND STAGE...: of the stages to come, those that are not named begin only while they would end by then, and are
# stopped when they did not.
end_by() {
  last_second=$1
  shift
  must_end=("$@")
}

stage() {
  local name=$1 began=$SECONDS cpu_before cost verdict=passed
  shift
  if is_too_late "$name"; then
    stages+=("$name NOT RUN: at $SECONDS s, $(expected_of "$name") s more would pass $last_second s")
    late_stages+=("$name")
    say "=== ${stages[-1]}"
    return
  fi
  mkdir -p "$stage_logs"
  count_cpu
  cpu_before=$cpu
  say "=== $name, $(date +%T)"
  local ended=0
  if has_end "$name"; then
    within "$((last_second - SECONDS))" "$@" 2>&1 | tee "$stage_logs/$name.log" || ended=$?
  else
    "$@" 2>&1 | tee "$stage_logs/$name.log" || ended=$?
  fi
  if [[ $ended -eq $stopped ]] && has_end "$name"; then
    verdict="NOT RUN to its end, stopped"
    late_stages+=("$name")
  elif [[ $ended -ne 0 ]]; then
    verdict=FAILED
    failed_stages+=("$name")
  fi
  count_cpu
  cost="$((SECONDS - began))s$(budget_of "$name" "$((SECONDS - began))") ($((cpu - cpu_before)) CPU seconds)"
  budgeted=$((budgeted + ${stage_budgets[$name]:-0}))
  stages+=("$name $verdict in $cost")
  say "=== $name $verdict in $cost"
}

has_end() {
  [[ $last_second -gt 0 && " ${must_end[*]} " != *" $1 "* ]]
}

is_too_late() {
  has_end "$1" && [[ $((SECONDS + $(expected_of "$1"))) -gt $last_second ]]
}

stopped=124  # how `within` ends when its command did not

# within SECONDS COMMAND...: a command in a process group of its own, which is asked to end after SECONDS and killed 20 seconds
# later.
within() {
  local seconds=$1 begun=$SECONDS group watch ended=0
  shift
  set -m
  "$@" &
  group=$!
  end_group_after "$seconds" "$group" >"$stage_logs/watch" 2>&1 &
  watch=$!
  set +m
  # Neither hears what a terminal sends to this script.
  trap 'kill -TERM -- "-$group" "-$watch" 2>/dev/null; exit 130' INT TERM HUP
  wait "$group" || ended=$?
  if [[ $((SECONDS - begun)) -lt $seconds ]]; then
    kill -TERM -- "-$watch"
  elif [[ $ended -ne 0 ]]; then
    ended=$stopped
  fi
  return "$ended"
}

end_group_after() {
  sleep "$1"
  kill -TERM -- "-$2" || return
  local tries=20
  for ((; tries > 0; --tries)); do
    sleep 1
    kill -0 -- "-$2" || return 0
  done
  kill -KILL -- "-$2"
}

# The budget of a stage, longer by as much as those before it took longer than theirs.
expected_of() {
  local budget=${stage_budgets[$1]:-0}
  if [[ $SECONDS -gt $budgeted && $budgeted -gt 0 ]]; then
    budget=$((budget * SECONDS / budgeted))
  fi
  printf '%s' "$budget"
}

# " of 300s", and whether that was too much: a slow machine fails nothing, it is told.
budget_of() {
  local budget=${stage_budgets[$1]:-}
  [[ -n $budget ]] || return 0
  printf ' of %ss' "$budget"
  [[ $2 -le $budget ]] || printf ', OVER ITS BUDGET'
}

# Sets $cpu, the seconds of all children that ended: the second line of `times`, user and system. A subshell has no
# children of its own, so this can't be a command substitution.
count_cpu() {
  local user system
  times >"$stage_logs/times"
  { read -r _ && read -r user system; } <"$stage_logs/times"
  cpu=$((60 * (${user%%m*} + ${system%%m*}) + $(whole "$user") + $(whole "$system")))
}

# 12m3.456s: 3
whole() {
  local seconds=${1#*m}
  printf '%s' "${seconds%%.*}"
}

# Ends with ctest's own closing lines, one per stage.
close_stages() {
  local line name
  for name in ${failed_stages[@]+"${failed_stages[@]}"}; do
    show_failure "$name"
  done
  say "=== summary, ${SECONDS}s in all"
  for line in "${stages[@]}"; do
    printf '%s\n' "$line"
  done
  for line in "${stages[@]}"; do
    [[ $line != *" NOT RUN"* ]] || continue
    sed -n "s/^\([0-9]*% tests passed, .*\)\$/${line%% *}: \1/p" "$stage_logs/${line%% *}.log"
  done
  [[ ${#late_stages[@]} -eq 0 ]] || printf 'NOT RUN, or not to the end, so neither passed nor failed: .ci/run %s\n' "${late_stages[*]}"
  [[ ${#failed_stages[@]} -eq 0 ]] || die "failed: ${failed_stages[*]} (whole output in build/ci)"
}

# First what looks like a cause, then the last lines: with two cores the cause rarely stands at the end.
show_failure() {
  local log=$stage_logs/$1.log
  say "=== why $1 failed ($log)"
  grep -nE '^FAILED: |: error: |: fatal error: |\[  FAILED  \]|\*\*\*(Failed|Timeout|Exception|Not Run)|runtime error: |ERROR: AddressSanitizer|WARNING: ThreadSanitizer' \
    "$log" | cut -c1-300 | head -n 40 || true
  say "=== how $1 ended"
  tail -n 25 "$log"
}
