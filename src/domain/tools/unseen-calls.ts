import { reportOfKind } from '../capability.ts';
import { AssayError } from '../errors.ts';
import type { Trace } from '../trace.ts';
import { isReported, type ObservedCall, observedCalls } from './tool-calls.ts';
import { isNamed, kindInName, mayBeNamed } from './tool-names.ts';

/**
 * Refuses a verdict that rests on calls which were not made, where such calls could have been made unseen: by a
 * sub-agent whose calls the agent does not report, as an action of a kind that it does not report, or on a server that
 * it does not name.
 */
export function requireAllCallsSeen(trace: Trace, names: readonly string[]): void {
  const calls = observedCalls(trace);
  const delegated = calls.find(({ kind }) => kind === 'delegate');
  if (delegated && !isReported(trace, 'subagent-calls')) {
    const message = `The agent started a sub-agent, whose calls it does not report: ${callName(delegated)}.`;
    throw new AssayError('NOT_REPORTED', message);
  }
  for (const name of names) {
    requireServerKnown(calls, name);
    requireKindSeen(trace, calls, name);
  }
}

function requireServerKnown(calls: readonly ObservedCall[], name: string): void {
  const unknown = calls.find((call) => mayBeNamed(call, name) && !isNamed(call, name));
  if (unknown === undefined) return;
  throw new AssayError('NOT_REPORTED', `The MCP server of ${callName(unknown)} is unknown, so it may be \`${name}\`.`, {
    hint: 'Name the tool without its server, or record the calls where their server is known.',
  });
}

function requireKindSeen(trace: Trace, calls: readonly ObservedCall[], name: string): void {
  const kind = kindInName(name);
  if (kind === undefined || kind === null) return;
  if (!isReported(trace, reportOfKind[kind])) {
    throw new AssayError('NOT_REPORTED', `The target does not report calls of the kind "${kind}".`, {
      hint: 'See `Actions` in docs/reference/tool-use.md for the kinds that each agent reports.',
    });
  }
  const unknown = calls.find((call) => call.kind === undefined);
  if (unknown === undefined) return;
  throw new AssayError('NOT_REPORTED', `The kind of ${callName(unknown)} is unknown, so it may be "${kind}".`, {
    hint: 'Name the tools themselves, or record the trial again if its trace was made by an earlier version.',
  });
}

function callName({ number, tool }: ObservedCall): string {
  return `call ${number}, \`${tool}\``;
}
