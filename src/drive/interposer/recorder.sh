#!/bin/sh
# Stands in front of a tool on machines without perl: the tool runs as it would without it, and little more than its end is
# recorded. `sh-shim.ts` fills in the first three settings.
_assay_program=''
_assay_name=''
_assay_calls=''
_assay_nested=0
_assay_has_stderr=
[ "$ASSAY_RECORDER" = tool ] && _assay_nested=1
_assay_count=0
set -C
while [ $_assay_count -lt 20 ]; do
  _assay_file=$_assay_calls/sh-$$-$_assay_count
  { printf '%s\0' 1 $_assay_nested '' "$PWD" "$_assay_name" "$@" >"$_assay_file.s"; } 2>/dev/null && break
  _assay_count=$((_assay_count + 1))
done
set +C
# Shells say on stderr what killed a command, so theirs is set aside while a subshell becomes the tool with the caller's.
if true 9>&2; then
  exec 9>&2 2>/dev/null
  _assay_has_stderr=1
fi
(
  [ "$_assay_has_stderr" ] && exec 2>&9 9>&-
  ASSAY_RECORDER=tool
  export ASSAY_RECORDER
  exec "$_assay_program" "$@"
)
_assay_status=$?
[ $_assay_count -lt 20 ] &&
  { printf '%s\0' 1 exit $_assay_status '' - '' '' - '' '' . >"$_assay_file.e"; } 2>/dev/null
exit $_assay_status
