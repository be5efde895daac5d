/** Arguments as one line that a person can paste into a shell. */
export function commandLine(argv: readonly string[]): string {
  return argv.map(quoted).join(' ');
}

function quoted(argument: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(argument)) return argument;
  return `'${argument.replaceAll("'", "'\\''")}'`;
}
