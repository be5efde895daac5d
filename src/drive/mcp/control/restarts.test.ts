import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ControlAction } from '../../../domain/tool-control/control-event.ts';
import type { Fault } from '../../../domain/tool-control/faults.ts';
import { type HttpFake, startHttpServer } from '../../../testing/fakes/mcp/start-http-server.ts';
import { stdioDefinition } from '../../../testing/fakes/mcp/stdio-definition.ts';
import { temporaryFolder } from '../../../testing/support/temporary-folder.ts';
import { openSession } from '../open-session.ts';
import type { ServerDefinition } from '../server-definition.ts';
import type { McpAnswer, McpSession } from '../session.ts';
import { mcpControl } from './mcp-control.ts';

const limits = { timeoutMs: 30_000 };

let http: HttpFake;
beforeAll(async () => {
  http = await startHttpServer();
});
afterAll(() => http[Symbol.asyncDispose]());

async function openWith(definition: ServerDefinition, fault: Omit<Fault, 'fault'>) {
  const actions: ControlAction[] = [];
  const faults = [{ fault: { fault: 'server-restart', ...fault }, border: 'mcp', place: 'c.json:1:1' }] as const;
  const onAction = (action: ControlAction) => void actions.push(action);
  const control = mcpControl({ mocks: [], faults }, { server: 'notes', seed: 'any', onAction });
  const options = { directory: import.meta.dirname, env: process.env, ...limits, control };
  return { session: await openSession(definition, options), actions };
}

function textOf(answer: McpAnswer): string {
  const { content } = (answer.kind === 'result' ? answer.result : {}) as { content?: { text: string }[] };
  return content?.[0]?.text ?? '';
}

/** Which of its requests the server knows to be cancelled: it keeps that in memory. */
const memoryOf = async (session: McpSession): Promise<string> =>
  textOf(await session.callTool('cancelled', {}, limits));

async function cancelOne(session: McpSession): Promise<void> {
  await expect(session.callTool('hang', {}, { timeoutMs: 100 })).rejects.toThrow('did not answer');
}

const servers: readonly [string, () => ServerDefinition][] = [
  ['a program', () => stdioDefinition('good')],
  ['a program of the newer protocol', () => stdioDefinition('good', {}, 'modern')],
  ['a server over HTTP', () => http.define('shttp', 'good')],
];

describe.each(servers)('%s that restarts on purpose', (_name, definition) => {
  it('loses the call that meets it and what it kept in memory, and answers the next call', async () => {
    const { session, actions } = await openWith(definition(), { tool: 'echo', call: 1 });
    await using _open = session;
    const empty = await memoryOf(session);
    await cancelOne(session);
    expect(await memoryOf(session)).not.toBe(empty);
    await expect(session.callTool('echo', { text: 'a' }, limits)).rejects.toThrow('restarted and lost the request');
    expect(await memoryOf(session)).toBe(empty);
    expect(textOf(await session.callTool('echo', { text: 'b' }, limits))).toBe('b');
    expect(actions).toEqual([
      {
        ...{ border: 'mcp', server: 'notes', tool: 'echo', callNumber: 1, kind: 'fault', rule: 'c.json:1:1' },
        ...{ fault: 'server-restart', what: 'was lost because the server restarted on purpose before the tool ran' },
      },
    ]);
  });

  it('restarts between two calls, of which the new one answers the second', async () => {
    const { session, actions } = await openWith(definition(), { tool: 'cancelled', call: 3, betweenCalls: true });
    await using _open = session;
    const empty = await memoryOf(session);
    await cancelOne(session);
    expect(await memoryOf(session)).not.toBe(empty);
    expect(await memoryOf(session)).toBe(empty);
    expect(actions.map(({ what }) => what)).toEqual(['came after the server had restarted on purpose']);
  });

  it('loses what was under way with it, and each lost call is reported', async () => {
    const { session, actions } = await openWith(definition(), { tool: 'echo', call: 1, toolRuns: true });
    await using _open = session;
    const hanging = session.callTool('hang', {}, limits);
    await Promise.all([
      expect(hanging).rejects.toThrow('restarted and lost the request'),
      expect(session.callTool('echo', { text: 'a' }, limits)).rejects.toThrow('restarted and lost the request'),
    ]);
    expect(actions.map(({ tool, what }) => [tool, what])).toEqual([
      ['echo', 'was lost because the server restarted on purpose after the tool ran'],
      ['hang', 'was lost because the server restarted on purpose'],
    ]);
    expect(textOf(await session.callTool('echo', { text: 'b' }, limits))).toBe('b');
  });
});

it('one that does not come back ends the session, and is named', async () => {
  const flag = join(await temporaryFolder(), 'started');
  const good = stdioDefinition('good');
  const args = 'args' in good ? good.args : [];
  const once = 'if [ -e "$0" ]; then exit 3; fi; touch "$0"; exec node "$@"';
  const { session } = await openWith(
    { ...good, command: 'sh', args: ['-c', once, flag, ...args] } as ServerDefinition,
    {
      tool: 'echo',
      call: 1,
    },
  );
  await using _open = session;
  await expect(session.callTool('echo', { text: 'a' }, limits)).rejects.toThrow('restarted and lost the request');
  await expect(session.callTool('echo', { text: 'b' }, limits)).rejects.toThrow('ended with exit code 3');
});
