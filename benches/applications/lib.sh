# For the `up` and `down` of each application, which source it. State is kept in $STATE, nothing in the checkout.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[1]}")" && pwd)
COMMON=$(dirname "$HERE")
NAME=$(basename "$HERE")
DATA=${APPLICATIONS:-$(cd "$HERE/../../.." && pwd)/target/applications}
STATE=$DATA/state/$NAME
PORT=${PORT:-${DEFAULT_PORT:-8130}}
mkdir -p "$STATE"
export LC_ALL=C.UTF-8 TZ=UTC PYTHONDONTWRITEBYTECODE=1

# debian PACKAGE...: installs what is missing. Services of theirs are not started.
debian() {
  local missing=() package policy=/usr/sbin/policy-rc.d made=
  for package; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  (
    # One at a time: the file is everybody's.
    flock 9
    trap 'rm -f ${made:+"$policy"}' EXIT
    trap 'exit 130' INT TERM HUP
    [[ -e $policy ]] || { made=1; printf '#!/bin/sh\nexit 101\n' >"$policy"; chmod +x "$policy"; }
    install=(apt-get install -y -q --no-install-recommends "${missing[@]}")
    export DEBIAN_FRONTEND=noninteractive
    # A list of packages that is out of date names some that are not there any more.
    "${install[@]}" >"$STATE/apt.log" 2>&1 9>&- || { apt-get update -q && "${install[@]}"; } >"$STATE/apt.log" 2>&1 9>&-
  ) 9>"$DATA/state/apt.lock" || { tail -5 "$STATE/apt.log" >&2; return 1; }
}

# pypi REQUIREMENT...: an environment of its own in $STATE/venv, of Debian's python3 with the packages it has, or of $PYTHON.
pypi() {
  [[ -e $STATE/venv/done ]] && return 0
  debian python3-venv python3-pip
  "${PYTHON:-/usr/bin/python3}" -m venv ${SYSTEM_PACKAGES:+--system-site-packages} --clear "$STATE/venv"
  "$STATE/venv/bin/pip" install -q --disable-pip-version-check "$@" >"$STATE/pip.log" 2>&1 ||
    { tail -5 "$STATE/pip.log" >&2; return 1; }
  touch "$STATE/venv/done"
}

# began PID: when it did, in ticks since the machine's start; numbers of processes are used again.
began() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20; }

# is_running FILE: whether the process whose number and beginning stand there does.
is_running() {
  local pid begun
  [[ -s $1 ]] && read -r pid begun <"$1" && [[ -n $begun && $(began "$pid") == "$begun" ]]
}

# start COMMAND...: in a session of its own, whose number stands in $STATE/pid. What runs already is left alone.
start() {
  local file=$STATE/pid
  ! is_running "$file" || return 0
  setsid "$@" >"$file.log" 2>&1 </dev/null &
  echo "$! $(began $!)" >"$file"
}

# stop: ends what `start` began, with all that it began, and nothing else that has its number by now.
stop() {
  local file=$STATE/pid pid _
  if is_running "$file"; then
    read -r pid _ <"$file"
    kill -TERM -- "-$pid" 2>/dev/null || true
    for _ in {1..50}; do kill -0 -- "-$pid" 2>/dev/null || break; sleep 0.1; done
    kill -KILL -- "-$pid" 2>/dev/null || true
  fi
  rm -f "$file"
}

# postgres_at FOLDER: makes a cluster of PostgreSQL there if there is none; `postgres_server FOLDER` prints what serves it at a
# socket in that folder alone, to whoever may enter it.
postgres_at() {
  debian postgresql-15
  [[ -e $1/made ]] && return 0
  rm -rf "$1"
  install -d -o postgres -g postgres -m 711 "$1"
  (cd "$1" && setpriv --reuid postgres --regid postgres --clear-groups \
    /usr/lib/postgresql/15/bin/initdb -D "$1/data" -A trust -E UTF8 --locale C.UTF-8 --no-sync) >"$STATE/initdb.log" 2>&1 ||
    { tail -5 "$STATE/initdb.log" >&2; return 1; }
  touch "$1/made"
}

postgres_server() {
  echo "setpriv --reuid postgres --regid postgres --clear-groups /usr/lib/postgresql/15/bin/postgres -D '$1/data' -k '$1'" \
    "-c listen_addresses= -c fsync=off -c logging_collector=off &"
}

# start_after SERVERS TEST COMMAND...: a script that leaves servers in the background, and COMMAND as soon as TEST is well;
# all end together. Returns when TEST is well.
start_after() {
  local _ servers=$1 test=$2
  shift 2
  printf '%s\nfor _ in {1..100}; do %s >/dev/null 2>&1 && break; sleep 0.2; done\n"$@"\nkill 0\n' "$servers" "$test" >"$STATE/serve"
  start bash "$STATE/serve" "$@"
  for _ in {1..100}; do bash -c "$test" >/dev/null 2>&1 && return 0; sleep 0.2; done
  return 1
}

# answers URL: waits until it does, and prints it.
answers() {
  local _
  for _ in {1..300}; do
    is_running "$STATE/pid" || break
    if /usr/bin/python3 - "$1" 2>/dev/null <<'PYTHON'
import sys, urllib.request
urllib.request.urlopen(sys.argv[1], timeout=20)
PYTHON
    then echo "$1"; return 0; fi
    sleep 0.3
  done
  echo "$NAME: no answer at $1" >&2
  tail -5 "$STATE/pid.log" >&2
  return 1
}

# once COMMAND...: seeds, if that was not done.
once() {
  [[ -e $STATE/seeded ]] && return 0
  # Not in a condition, in which no failure within would end it.
  set +e
  (set -e; "$@") >"$STATE/seed.log" 2>&1
  local status=$?
  set -e
  ((status == 0)) || { tail -5 "$STATE/seed.log" >&2; exit 1; }
  touch "$STATE/seeded"
}

# repositories FOLDER: two of git, of 55 and 35 commits.
repositories() {
  mkdir -p "$1"
  rm -rf "$1"/{manual,faq}.git
  "$COMMON/repository" "$1/manual.git" 55 0
  "$COMMON/repository" "$1/faq.git" 35 60
}

# start_files FOLDER [LINE]...: a web server that shows the files below it as they are, with further lines of its configuration.
start_files() {
  debian lighttpd
  local folder=$1
  shift
  {
    printf 'server.bind = "127.0.0.1"\nserver.port = %s\nserver.document-root = "%s"\n' "$PORT" "$folder"
    printf 'index-file.names = ("index.html")\nserver.max-keep-alive-requests = 100000\n'
    printf 'mimetype.assign = (".html" => "text/html; charset=utf-8", ".txt" => "text/plain; charset=utf-8", ".md" => "text/plain; charset=utf-8",\n'
    printf '  ".css" => "text/css", ".js" => "text/javascript", ".xml" => "application/xml", ".xsl" => "application/xml",\n'
    printf '  ".png" => "image/png", ".jpg" => "image/jpeg", ".svg" => "image/svg+xml", "" => "application/octet-stream")\n'
    (($# == 0)) || printf '%s\n' "$@"
  } >"$STATE/lighttpd.conf"
  start lighttpd -D -f "$STATE/lighttpd.conf"
}

# start_cgi PATH PROGRAM [NAME=VALUE]...: a web server that runs it below PATH, and shows $STATE/static as it is.
start_cgi() {
  debian lighttpd
  local path=$1 program=$2 pair
  shift 2
  mkdir -p "$STATE/static"
  {
    printf 'server.modules = ("mod_alias", "mod_setenv", "mod_cgi")\nserver.bind = "127.0.0.1"\nserver.port = %s\n' "$PORT"
    printf 'server.document-root = "%s"\nserver.upload-dirs = ("%s")\nserver.max-keep-alive-requests = 100000\n' "$STATE/static" "$STATE"
    printf 'mimetype.assign = (".css" => "text/css", ".png" => "image/png", "" => "application/octet-stream")\n'
    printf 'alias.url = ("%s" => "%s")\n$HTTP["url"] =~ "^%s" { cgi.assign = ("" => "") }\n' "$path" "$program" "$path"
    for pair; do printf 'setenv.add-environment += ("%s" => "%s")\n' "${pair%%=*}" "${pair#*=}"; done
  } >"$STATE/lighttpd.conf"
  start lighttpd -D -f "$STATE/lighttpd.conf"
}
