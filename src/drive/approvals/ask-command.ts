import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import * as z from 'zod';
import type { ApprovalAnswer, ApprovalRequest } from '../../domain/approval-event.ts';
import { parseJson } from '../../shared/json.ts';
import { cleanEnvironment } from '../workspace/clean-environment.ts';
import { howItEnded, isGood, runScript } from '../workspace/run-script.ts';
import type { ApprovalPlace } from './approver.ts';

const printedSchema = z.strictObject({
  answer: z.enum(['allow', 'deny']),
  content: z.unknown().optional(),
  reason: z.string().optional(),
});

/** The answer that a command beside the scenario prints: a word or a JSON object. Throws where it prints neither. */
export async function askCommand(
  command: string,
  timeoutMs: number,
  request: ApprovalRequest,
  { context: { directory, env }, signal }: ApprovalPlace,
): Promise<ApprovalAnswer> {
  const home = tmpdir();
  const { required: _required, ...sent } = request;
  const end = await runScript(command, {
    cwd: directory,
    env: cleanEnvironment(env, { home, tmp: home }),
    timeoutMs,
    tag: randomUUID(),
    signal,
    stdin: JSON.stringify(sent),
  });
  if (!isGood(end)) throw new Error(`the command ${howItEnded(end, timeoutMs)}${lastLine(end.stderr.text)}`);
  const text = end.stdout.text.trim();
  if (text === 'allow' || text === 'deny') return { answer: text };
  const read = printedSchema.safeParse(parseJson(text));
  if (read.success) return read.data;
  throw new Error(`the command printed neither \`allow\` nor \`deny\`, but ${JSON.stringify(text.slice(0, 100))}`);
}

function lastLine(text: string): string {
  const line = text.trim().split('\n').at(-1) ?? '';
  return line === '' ? '' : `: ${line.slice(0, 200)}`;
}
