import { reportOfKind } from '../capability.ts';
import { AssayError } from '../errors.ts';
import type { Trace } from '../trace.ts';
import { isReported, type ObservedCall, observedCalls } from './tool-calls.ts';
import { isNamed, kindInName, mayBeNamed } from './tool-names.ts';

/**
 * Why a verdict that rests on calls which were not made is refused: such calls could have been made unseen by a
 * sub-agent whose calls the agent does not report, as an action of a kind that it does not report, or on a server that
 * it does not name.
 */
export function unseenCalls(trace: Trace, names: readonly string[]): AssayError | undefined {
  const calls = observedCalls(trace);
  const delegated = calls.find(({ kind }) => kind === 'delegate');
  if (delegated && !isReported(trace, 'subagent-calls')) {
    const message = `The agent started a sub-agent, whose calls it does not report: ${callName(delegated)}.`;
    return new AssayError('NOT_OBSERVED', message);
  }
  for (const name of names) {
    const unseen = serverUnknown(calls, name) ?? kindUnseen(trace, calls, name);
    if (unseen) return unseen;
  }
  return undefined;
}

function serverUnknown(calls: readonly ObservedCall[], name: string): AssayError | undefined {
  const unknown = calls.find((call) => mayBeNamed(call, name) && !isNamed(call, name));
  if (unknown === undefined) return undefined;
  return new AssayError(
    'NOT_OBSERVED',
    `The MCP server of ${callName(unknown)} is unknown, so it may be \`${name}\`.`,
    {
      hint: 'Name the tool without its server, or record the calls where their server is known.',
    },
  );
}

function kindUnseen(trace: Trace, calls: readonly ObservedCall[], name: string): AssayError | undefined {
  const kind = kindInName(name);
  if (kind === undefined || kind === null) return undefined;
  if (!isReported(trace, reportOfKind[kind])) {
    return new AssayError('NOT_OBSERVED', `The target does not report calls of the kind "${kind}".`, {
      hint: 'See `Actions` in docs/reference/tool-use.md for the kinds that each agent reports.',
    });
  }
  const unknown = calls.find((call) => call.kind === undefined);
  if (unknown === undefined) return undefined;
  return new AssayError('NOT_OBSERVED', `The kind of ${callName(unknown)} is unknown, so it may be "${kind}".`, {
    hint: 'Name the tools themselves.',
  });
}

function callName({ number, tool }: ObservedCall): string {
  return `call ${number}, \`${tool}\``;
}
