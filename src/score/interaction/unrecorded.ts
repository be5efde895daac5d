import type { ToldInvocation } from './agent-commands.ts';

/**
 * Command lines that the agent told of and the recorder did not see. What may not have run at all is left out, and
 * what the shell expands is compared as far as it is known.
 */
export function unrecordedLines(told: readonly ToldInvocation[], recordedLines: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const line of recordedLines) left.set(line, (left.get(line) ?? 0) + 1);
  const unmatched = new Set(inOrderOfTrust(told).filter((invocation) => !takeMatch(left, invocation)));
  return told
    .filter((invocation) => invocation.isCertain && unmatched.has(invocation))
    .map(({ writtenLine }) => writtenLine);
}

/** What surely ran by its name takes the recorded lines first, so that a call by path is the one that is missing. */
function inOrderOfTrust(told: readonly ToldInvocation[]): ToldInvocation[] {
  const rank = ({ isExact, isCertain, isByPath }: ToldInvocation): number =>
    (isByPath ? 4 : 0) + (isExact ? 0 : 2) + (isCertain ? 0 : 1);
  return [...told].sort((a, b) => rank(a) - rank(b));
}

function takeMatch(left: Map<string, number>, { isExact, line, exactPrefix }: ToldInvocation): boolean {
  const found = isExact ? line : [...left.keys()].find((recorded) => continues(recorded, exactPrefix));
  const count = found === undefined ? 0 : (left.get(found) ?? 0);
  if (found === undefined || count === 0) return false;
  if (count === 1) left.delete(found);
  else left.set(found, count - 1);
  return true;
}

function continues(line: string, prefix: string): boolean {
  return line === prefix || line.startsWith(`${prefix} `);
}
