import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Channel } from '../../../domain/capability.ts';
import { countedUsage } from '../../../domain/counted-usage.ts';
import { observedCalls } from '../../../domain/tools/tool-calls.ts';
import { eventsOf, type Trace } from '../../../domain/trace.ts';
import { gapsIn } from '../../../domain/trace-coverage/coverage.ts';
import { sumOfUsage } from '../../../domain/usage.ts';
import { readImport } from '../../../testing/fakes/load/read-import.ts';
import { coverageOf } from '../../../testing/support/coverage-of.ts';

const sessions = new URL('fixtures-sessions/', import.meta.url);

/** The files of a session by their paths in its folder, that of the main agent first. */
function filesOf(agent: string): [string, string][] {
  const folder = new URL(`${agent}/`, sessions);
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  const byDepth = names.sort((a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1));
  return byDepth.map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]);
}

async function traceOf(agent: string, damage: (lines: string[]) => string[] = (lines) => lines): Promise<Trace> {
  const [[name, text] = ['', ''], ...others] = filesOf(agent);
  const lines = damage(text.trimEnd().split('\n'));
  const { trials } = await readImport(`${lines.join('\n')}\n`, { name, beside: Object.fromEntries(others) });
  return trials[0]?.trace ?? [];
}

function factsOf(trace: Trace): Readonly<Partial<Record<Channel, string>>> {
  const calls = observedCalls(trace);
  const words = eventsOf(trace, 'message').flatMap(({ role, text }) => (role === 'assistant' ? [text] : []));
  return {
    answers: JSON.stringify(words),
    'tool-calls': JSON.stringify(calls.map(({ tool, input, actor }) => ({ tool, input, actor }))),
    'tool-results': JSON.stringify(calls.map(({ result, error, exitCode }) => ({ result, error, exitCode }))),
    usage: JSON.stringify(sumOfUsage(countedUsage(trace))),
  };
}

/** The damages of one line that are not noticed although they change what is read. */
async function unnoticed(agent: string, index: number, whole: Trace): Promise<string[]> {
  const at = (replace: (line: string) => string[]) => (lines: string[]) =>
    lines.flatMap((line, number) => (number === index ? replace(line) : [line]));
  const damages = {
    cut: at((line) => [line.slice(0, Math.floor(line.length / 2))]),
    double: at((line) => [line, line]),
    retype: at((line) => [line.replace(/"type":"(user|assistant|response_item)"/, '"type":"zz_new"')]),
    'retype item': at((line) => [line.replace(/"type":"(tool_use|tool_result|function_call\w*)"/, '"type":"zz_new"')]),
  };
  const found: string[] = [];
  for (const [operator, damage] of Object.entries(damages)) {
    const trace = await traceOf(agent, damage);
    // A file that is not a session any more has no trial.
    if (trace.length === 0) continue;
    const [facts, before, coverage] = [factsOf(trace), factsOf(whole), coverageOf(trace)];
    for (const channel of ['answers', 'tool-calls', 'tool-results', 'usage'] as const)
      if (facts[channel] !== before[channel] && coverage[channel].state === 'complete')
        found.push(`${operator} line ${index + 1}: ${channel}`);
  }
  return found;
}

it('a stored session of codex has a gap wherever a count of its tokens is missing', async () => {
  const [[, text] = ['', '']] = filesOf('codex');
  const counts = [...text.split('\n').entries()].filter(([, line]) => line.includes('"token_count"'));
  expect(counts).toHaveLength(4);
  for (const [index] of counts) {
    const trace = await traceOf('codex', (lines) => lines.toSpliced(index, 1));
    expect(coverageOf(trace).usage.state, `without line ${index + 1}`).toBe('partial');
  }
});

describe.each(['codex', 'claude'])('a stored session of %s', (agent) => {
  it('has no gap where it is whole', async () => {
    const trace = await traceOf(agent);
    expect(eventsOf(trace, 'gap')).toEqual([]);
    expect(observedCalls(trace).length).toBeGreaterThan(2);
  });

  it('has a gap for a line and an item of an unknown kind', async () => {
    const trace = await traceOf(agent, (lines) => [...lines, '{"type":"zz_new","payload":{"type":"zz_new"}}']);
    expect(gapsIn(trace, 'tool-calls')).toHaveLength(1);
  });

  it('is noticed to be damaged wherever that changes what is read', async () => {
    const whole = await traceOf(agent);
    const lines = (filesOf(agent)[0]?.[1] ?? '').trimEnd().split('\n');
    const found: string[] = [];
    for (const index of lines.keys()) found.push(...(await unnoticed(agent, index, whole)));
    expect(found).toEqual([]);
  });
});
