const traces: readonly RegExp[] = [
  /^[ \t]+at .{1,200}[:(][^\n]{0,300}:\d+:\d+\)?$/m,
  /Traceback \(most recent call last\)/,
  /^[ \t]+File "[^"\n]{1,300}", line \d+/m,
  /^goroutine \d+ \[/m,
  /^[ \t]+at [\w.$]+\([\w]+\.java:\d+\)$/m,
];

const mostCharacters = 20_000;

/** Whether a message holds a stack trace, as Node.js, Python, Go and Java write them. */
export function showsInternals(text: string): boolean {
  const beginning = text.slice(0, mostCharacters);
  return traces.some((pattern) => pattern.test(beginning));
}
