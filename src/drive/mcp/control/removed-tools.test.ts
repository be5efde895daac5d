import { expect, it } from 'vitest';
import type { ControlAction } from '../../../domain/tool-control/control-event.ts';
import { serverDefinitionSchema } from '../server-definition.ts';
import { openWire } from '../wire/open-wire.ts';
import { mcpControl } from './mcp-control.ts';

type Message = Readonly<Record<string, unknown>>;

const definition = serverDefinitionSchema().parse({
  transport: 'mock',
  tools: { add: { answers: { result: 'five' } }, list: { answers: { result: 'none' } } },
});

/** Messages to a client that calls a tool before and after the server lost it, and lists the tools after each call. */
async function heard(announced: boolean) {
  const actions: ControlAction[] = [];
  const fault = { fault: 'tool-removed', tool: 'add', call: 2, announced } as const;
  const faults = [{ fault, border: 'mcp', place: 'c.json:1:1' }] as const;
  const onAction = (action: ControlAction) => void actions.push(action);
  const control = mcpControl({ mocks: [], faults }, { server: 'notes', seed: 'any', onAction });
  const messages: Message[] = [];
  let onAnswer: () => void = () => undefined;
  const refuse = (problem: unknown): never => {
    throw new Error(`The wire broke: ${JSON.stringify(problem)}`);
  };
  const onMessage = (message: unknown): void => {
    messages.push(message as Message);
    if ((message as Message).id !== undefined) onAnswer();
  };
  const options = { directory: '.', env: {}, timeoutMs: 30_000, control };
  const listener = { onMessage, onStray: refuse, onEnd: refuse, onUnanswered: refuse };
  await using wire = await openWire(definition, options, listener);
  let id = 0;
  const ask = (method: string, params: object) =>
    new Promise<void>((resolve) => {
      onAnswer = resolve;
      void wire.send({ jsonrpc: '2.0', id: ++id, method, params });
    });
  const greeting = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  await ask('initialize', greeting);
  for (let call = 0; call < 3; call++) {
    await ask('tools/call', { name: 'add', arguments: {} });
    await ask('tools/list', {});
  }
  return { messages, actions };
}

function namesIn({ result }: Message): unknown {
  return (result as { readonly tools?: readonly { readonly name: string }[] } | undefined)?.tools?.map(
    ({ name }) => name,
  );
}

it('a tool that is removed silently is unknown to the call that meets it, and not listed until it works again', async () => {
  const { messages, actions } = await heard(false);
  expect(messages.flatMap((message) => (namesIn(message) ? [namesIn(message)] : []))).toEqual([
    ['add', 'list'],
    ['list'],
    ['add', 'list'],
  ]);
  expect(messages.filter(({ error }) => error !== undefined)).toMatchObject([
    { id: 4, error: { message: 'Unknown tool: add' } },
  ]);
  expect(actions.filter(({ kind }) => kind === 'fault')).toMatchObject([{ tool: 'add', callNumber: 2 }]);
  expect(messages.filter(({ method }) => method !== undefined)).toEqual([]);
});

it('one that is removed with an announcement is announced once, by a server that says it can', async () => {
  const { messages } = await heard(true);
  expect(messages[0]).toMatchObject({ result: { capabilities: { tools: { listChanged: true } } } });
  expect(messages.filter(({ method }) => method !== undefined)).toEqual([
    { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
  ]);
});
