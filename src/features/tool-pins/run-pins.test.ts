import { afterAll, describe, expect, it } from 'vitest';
import type { TraceEvent, TraceEventOf, UnstampedEvent } from '../../domain/trace.ts';
import type { Trial } from '../../domain/trial.ts';
import type { Execution } from '../../engine/execution.ts';
import { openStore } from '../../keep/store/open-store.ts';
import { RunPins } from './run-pins.ts';

const store = await openStore('sqlite::memory:', '.');
afterAll(() => store[Symbol.asyncDispose]());
let runs = 0;

/** Two processes that work on the same run. */
function twoProcesses(): [RunPins, RunPins] {
  const runId = `r-${++runs}`;
  return [new RunPins(runId, store), new RunPins(runId, store)];
}

const stamp = { at: 1, seenBy: 'engine' } as const;
const called: UnstampedEvent = { type: 'tool-call', callId: 'c', tool: 'add', input: {} };
const agent: UnstampedEvent = { type: 'agent-started', agent: 'codex' } as never;

function server(
  tools: Readonly<Record<string, string>>,
  more: Partial<Pick<TraceEventOf<'mcp-server'>, 'isAnnounced' | 'isUnlisted' | 'label' | 'offeredTo'>> = {},
): UnstampedEvent {
  const facts = { name: 's', version: '1', protocolVersion: '1', transport: 'stdio' } as const;
  const listed = Object.entries(tools).map(([name, sha256]) => ({ name, sha256 }));
  return { type: 'mcp-server', label: 'server', ...facts, tools: listed, ...more };
}

async function codeOf(pins: RunPins, events: readonly UnstampedEvent[], trial: object = {}) {
  const scenario = { file: 's.yaml', name: 'S' };
  const trace = events.map((event) => ({ ...stamp, ...event }) as TraceEvent);
  const execution = { trace, fault: undefined } as unknown as Execution;
  const { fault } = await pins.check({ scenario, variant: {}, ...trial } as unknown as Trial, execution);
  return fault?.code;
}

describe('tools that processes of one run meet', () => {
  it('are those of the first trial, whichever process ran it', async () => {
    const [one, other] = twoProcesses();
    expect(await codeOf(one, [server({ add: 'a', sub: 'b' }), agent])).toBeUndefined();
    expect(await codeOf(other, [server({ add: 'a', sub: 'b' }), agent])).toBeUndefined();
    expect(await codeOf(other, [server({ add: 'x', sub: 'b' }), agent])).toBe('MCP_TOOLS_CHANGED');
    expect(await codeOf(one, [server({ add: 'x', sub: 'b' }), agent])).toBe('MCP_TOOLS_CHANGED');
    expect(await codeOf(one, [server({ sub: 'b' }), agent])).toBe('MCP_TOOLS_CHANGED');
    expect(await codeOf(one, [server({ add: 'a', sub: 'b', more: 'c' }), agent])).toBeUndefined();
  });

  it('matter where they are called, if no model reads their definitions', async () => {
    const [one, other] = twoProcesses();
    await codeOf(one, [server({ add: 'a', sub: 'b' }), called]);
    expect(await codeOf(other, [server({ add: 'a', sub: 'x' }), called])).toBeUndefined();
    expect(await codeOf(other, [server({ add: 'x', sub: 'b' }), called])).toBe('MCP_TOOLS_CHANGED');
  });

  it('may be others that the server announced, for every process', async () => {
    const [one, other] = twoProcesses();
    await codeOf(one, [server({ add: 'a' }), server({ add: 'b' }, { isAnnounced: true }), agent]);
    for (const pins of [one, other]) {
      expect(await codeOf(pins, [server({ add: 'b' }), agent])).toBeUndefined();
      expect(await codeOf(pins, [server({ add: 'a' }), agent])).toBeUndefined();
      expect(await codeOf(pins, [server({ add: 'c' }), agent])).toBe('MCP_TOOLS_CHANGED');
    }
  });

  it('are kept without the address of their server, which may hold a secret', async () => {
    const kept: unknown[] = [];
    const pins = new RunPins('r-0', {
      pinTools: async (_runId, met) => {
        kept.push(met);
        return [met.pins];
      },
    });
    const label = 'http://x/?key=hush-hush';
    expect(await codeOf(pins, [server({ add: 'a' }, { label }), agent])).toBeUndefined();
    expect(kept).toHaveLength(1);
    expect(JSON.stringify(kept)).not.toContain('hush-hush');
  });

  it('are not compared where a trial has not listed them', async () => {
    const [one, other] = twoProcesses();
    const unlisted = server({}, { isUnlisted: true });
    expect(await codeOf(one, [unlisted, agent])).toBeUndefined();
    await codeOf(one, [server({ add: 'a' }), agent]);
    expect(await codeOf(other, [unlisted, agent])).toBeUndefined();
    expect(await codeOf(other, [server({ add: 'b' }), agent])).toBe('MCP_TOOLS_CHANGED');
  });

  it('are others where a server has lost all of them, and not where it got its first', async () => {
    const [one, other] = twoProcesses();
    await codeOf(one, [server({ add: 'a' }), agent]);
    expect(await codeOf(other, [server({}), agent])).toBe('MCP_TOOLS_CHANGED');
    expect(await codeOf(other, [server({}), called])).toBe('MCP_TOOLS_CHANGED');
    const [empty, later] = twoProcesses();
    expect(await codeOf(empty, [server({}), agent])).toBeUndefined();
    expect(await codeOf(later, [server({ add: 'a' }), agent])).toBeUndefined();
  });

  it('may differ between the connectors of a conversation, and between its agent and its user', async () => {
    const [one] = twoProcesses();
    const turn: UnstampedEvent = { type: 'turn', number: 1, messages: [] } as never;
    const variant = { connector: 'a', persona: 'p' };
    const met = (sha256: string, offeredTo: 'agent' | 'user') => [server({ add: sha256 }, { offeredTo }), turn];
    expect(await codeOf(one, met('a', 'agent'), { variant })).toBeUndefined();
    expect(await codeOf(one, met('b', 'user'), { variant })).toBeUndefined();
    expect(await codeOf(one, met('c', 'agent'), { variant: { connector: 'b' } })).toBeUndefined();
    expect(await codeOf(one, met('b', 'agent'), { variant })).toBe('MCP_TOOLS_CHANGED');
    expect(await codeOf(one, met('a', 'user'), { variant })).toBe('MCP_TOOLS_CHANGED');
    expect(await codeOf(one, [...met('a', 'agent'), ...met('a', 'user')], { variant })).toBe('MCP_TOOLS_CHANGED');
  });

  it('may differ between agents and attacks, and where the file breaks them', async () => {
    const [one] = twoProcesses();
    await codeOf(one, [server({ add: 'a' }), agent]);
    expect(await codeOf(one, [server({ add: 'b' }), agent], { variant: { attack: 'planted' } })).toBeUndefined();
    expect(await codeOf(one, [server({ add: 'c' }), agent], { variant: { agent: 'codex' } })).toBeUndefined();
    const scenario = { file: 's.yaml', name: 'S', control: { faults: [{ fault: 'tool-removed' }] } };
    expect(await codeOf(one, [server({ add: 'd' }), agent], { scenario })).toBeUndefined();
  });
});
