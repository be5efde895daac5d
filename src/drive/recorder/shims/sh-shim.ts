import { calledByTool, callerVariable, type Shim, type ShimSettings } from './shim.ts';

/** The shim for machines without perl: the tool runs as it would without it, and little more than its end is recorded. */
export const shShim: Shim = {
  server: undefined,
  starter: undefined,
  needs: [],
  limits:
    'the tool was recorded without perl: its output was not recorded, an agent could change the records, ' +
    'a death by signal is reported as exit code 128 or higher, ' +
    'a signal sent to the tool alone ends the shim in front of it instead, and the tool does not receive the name it was called by',
  render: (settings) => `#!/bin/sh\n${prologue(settings)}${body}`,
};

function prologue(settings: ShimSettings): string {
  return [
    `_assay_program=${quoted(settings.program)}`,
    `_assay_name=${quoted(settings.name)}`,
    `_assay_calls=${quoted(settings.channel)}`,
    '',
  ].join('\n');
}

/** Shells say on stderr what killed a command, so theirs is set aside while a subshell becomes the tool with the caller's. */
const body = String.raw`
_assay_nested=0
_assay_has_stderr=
[ "$${callerVariable}" = ${calledByTool} ] && _assay_nested=1
_assay_count=0
set -C
while [ $_assay_count -lt 20 ]; do
  _assay_file=$_assay_calls/sh-$$-$_assay_count
  { printf '%s\0' 1 $_assay_nested '' "$PWD" "$_assay_name" "$@" >"$_assay_file.s"; } 2>/dev/null && break
  _assay_count=$((_assay_count + 1))
done
set +C
if true 9>&2; then
  exec 9>&2 2>/dev/null
  _assay_has_stderr=1
fi
(
  [ "$_assay_has_stderr" ] && exec 2>&9 9>&-
  ${callerVariable}=${calledByTool}
  export ${callerVariable}
  exec "$_assay_program" "$@"
)
_assay_status=$?
[ $_assay_count -lt 20 ] &&
  { printf '%s\0' 1 exit $_assay_status '' - '' '' - '' '' . >"$_assay_file.e"; } 2>/dev/null
exit $_assay_status
`;

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
