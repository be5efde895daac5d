import { describe, expect, it } from 'vitest';
import type { SharedWork } from '../../../compose/distributed/describe-work.ts';
import { workersSchema } from '../api/system.ts';
import { readWorkers, sharedWork } from './system.ts';

const facts = { host: 'h', pid: 1, version: '1', protocol: 1, concurrency: 2, tags: ['gpu'], agents: [], env: ['KEY'] };
const running = [{ trialId: 't', runId: 'r', scenario: 's', caseId: 'c', attempt: 1, forMs: 500 }];
const worker = { state: 'working' as const, running: [], notes: [], upMs: 9_000, seenMsAgo: 1_500, isLost: false };

const work: SharedWork = {
  workers: [
    { ...worker, facts: { ...facts, workerId: 'idle' } },
    { ...worker, facts: { ...facts, workerId: 'busy' }, running },
    { ...worker, facts: { ...facts, workerId: 'ending' }, state: 'stopping' },
    { ...worker, facts: { ...facts, workerId: 'gone' }, isLost: true, running },
  ],
  runs: [{ runId: 'r', priority: 0, waiting: 3, running: 1, done: 6, unserved: ['no worker has the tag tpu.'] }],
};

describe('workers', () => {
  it('are shown with their trials, and waiting trials with why no worker takes them', () => {
    const workers = workersSchema.parse(sharedWork(work));
    expect(workers.workers.map(({ workerId, state }) => [workerId, state])).toEqual([
      ['idle', 'idle'],
      ['busy', 'working'],
      ['ending', 'draining'],
      ['gone', 'lost'],
    ]);
    expect(workers.workers[1]).toMatchObject({ secondsSinceHeartbeat: 1.5, current: [{ trialId: 't', sinceMs: 500 }] });
    expect(workers.waiting).toMatchObject([{ runId: 'r', waiting: 3, whyNobody: 'no worker has the tag tpu.' }]);
  });

  it('are missing for a store on this machine, with the reason', async () => {
    expect(await readWorkers({ storeUrl: 'sqlite:x.db' })).toMatchObject({ isShared: false, workers: [] });
  });
});
