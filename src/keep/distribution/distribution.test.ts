import { describe, expect, it } from 'vitest';
import { isServedBy, lacking, type WorkerFacts } from './distribution.ts';
import { RoundRobin } from './lease-source.ts';
import { groupOf } from './trial-groups.ts';
import { retryWhileDatabaseIsDown } from './work-database.ts';
import type { OpenGroup } from './work-runs.ts';

const nothing = { tags: [], agents: [], env: [], protocol: 1 };
const worker: WorkerFacts = {
  workerId: 'w',
  host: 'h',
  pid: 1,
  version: '1.0.0',
  protocol: 1,
  concurrency: 4,
  tags: ['linux'],
  agents: ['codex'],
  env: ['OPENAI_API_KEY'],
};

describe('needs', () => {
  it('are served by a worker that has everything', () => {
    expect(isServedBy({ tags: ['linux'], agents: ['codex'], env: ['OPENAI_API_KEY'], protocol: 1 }, worker)).toBe(true);
    expect(isServedBy({ ...nothing, env: ['OTHER_KEY|OPENAI_API_KEY'] }, worker)).toBe(true);
    expect(isServedBy({ ...nothing, protocol: 0 }, worker)).toBe(true);
  });

  it('say what a worker lacks', () => {
    const needs = { tags: ['gpu', 'linux'], agents: ['claude-code'], env: ['A|B'], protocol: 2 };
    expect(lacking(needs, worker)).toEqual([
      'protocol 2 (update Assay there)',
      'tag gpu',
      'agent claude-code',
      'variable A or B',
    ]);
  });

  it('make the same group whatever their order', () => {
    const one = groupOf('r-1', { ...nothing, tags: ['a', 'b'] }, { x: 1, y: 2 });
    const other = groupOf('r-1', { ...nothing, tags: ['b', 'a'] }, { y: 2, x: 1 });
    expect(one.groupId).toBe(other.groupId);
    expect(groupOf('r-1', nothing, {}).groupId).not.toBe(one.groupId);
  });
});

describe('turns', () => {
  const group = (runId: string, priority = 0, tags: string[] = []): OpenGroup => ({
    ...groupOf(runId, { ...nothing, tags }, {}),
    priority,
    hasWaiting: true,
  });
  const runsInTurn = (turns: RoundRobin, groups: OpenGroup[]) => turns.inTurn(groups).map(({ runId }) => runId);

  it('go to the highest priority, and round the runs that are equal in that', () => {
    const turns = new RoundRobin(worker);
    const groups = [group('a'), group('b'), group('urgent', 5), group('c', 0, ['gpu'])];
    expect(runsInTurn(turns, groups)).toEqual(['urgent', 'a', 'b']);
    turns.served(group('urgent', 5));
    turns.served(group('a'));
    expect(runsInTurn(turns, groups)).toEqual(['urgent', 'b', 'a']);
    turns.served(group('b'));
    expect(runsInTurn(turns, groups)).toEqual(['urgent', 'a', 'b']);
  });
});

describe('patience', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

  it('does the work again until the database answers, and throws the rest', async () => {
    let calls = 0;
    const logged: string[] = [];
    const patience = { signal: new AbortController().signal, log: (message: string) => void logged.push(message) };
    const result = await retryWhileDatabaseIsDown(patience, async () => {
      calls++;
      if (calls < 3) throw refused;
      return 'answer';
    });
    expect(result).toBe('answer');
    expect(calls).toBe(3);
    await expect(retryWhileDatabaseIsDown(patience, () => Promise.reject(new Error('wrong')))).rejects.toThrow('wrong');
  });
});
