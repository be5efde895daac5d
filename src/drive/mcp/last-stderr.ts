import { printable } from '../../shared/text.ts';

/** A message has so much of what a server printed before it ended. */
const lastLines = 8;
const mostChars = 1_500;

/** ` Last lines of its stderr: …`, the continuation of a message; empty where it printed nothing. */
export function lastStderr(stderr = ''): string {
  const lines = withoutFrame(stderr.split('\n')).slice(-lastLines);
  const text = lines.map((line) => printable(line).trim()).join(' | ');
  return text === '' ? '' : ` Last lines of its stderr: ${text.slice(-mostChars)}`;
}

/** Without what Node.js prints around an error that nothing caught: source, stack, properties and version push it out. */
function withoutFrame(lines: readonly string[]): string[] {
  const carets = lines.flatMap((line, index) => (/^\s*\^+\s*$/.test(line) && isPlace(lines[index - 2]) ? [index] : []));
  const framed = new Set(carets.flatMap((index) => [index - 2, index - 1, index]));
  const text = lines.filter((line, index) => !framed.has(index) && line.trim() !== '');
  return carets.length === 0
    ? text.filter((line) => !isStackFrame(line))
    : text.filter((line) => !isStackFrame(line) && !isProperty(line) && !/^Node\.js v\d/.test(line));
}

/** `node:internal/modules/cjs/loader:1210`, `file:///project/server.mjs:1`. */
function isPlace(line = ''): boolean {
  return /^\S.*:\d+$/.test(line);
}

function isStackFrame(line: string): boolean {
  return /^\s+at /.test(line);
}

/** A line of the properties that follow the stack of an error: `code: 'MODULE_NOT_FOUND',`. A cause is worth reading. */
function isProperty(line: string): boolean {
  return /^\s+\w+: |^\s+'[^']*',?$|^\s*[\]}],?$/.test(line);
}
