import type { FaultyBorder } from '../faults/fault-rule.ts';
import { failureText } from '../faults/text-faults.ts';
import { cliArgumentsOf, startsWith } from './cli-call.ts';
import { type CliReply, cliAnswer } from './cli-reply.ts';

const usualExitCode = 1;

/** How calls of programs fail. */
export const cliFaults: FaultyBorder<CliReply> = {
  hasArguments: (call, wanted) => Array.isArray(wanted) && startsWith(cliArgumentsOf(call).argv, wanted),
  failure: (fault) =>
    cliAnswer({ stderr: Buffer.from(`${failureText(fault)}\n`), exitCode: fault.exitCode ?? usualExitCode }),
  unanswered: { kind: 'unanswered' },
  // A program has no connection that it could lose.
  dropped: { kind: 'unanswered' },
  emptied: (reply) =>
    reply.kind === 'answer' && reply.stdout.length > 0 ? { ...reply, stdout: Buffer.alloc(0) } : reply,
  withTexts(reply, change) {
    if (reply.kind !== 'answer') return reply;
    const text = reply.stdout.toString('utf8');
    const changed = change(text);
    return changed === text ? reply : { ...reply, stdout: Buffer.from(changed) };
  },
};
