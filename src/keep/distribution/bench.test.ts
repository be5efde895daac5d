import { describe, expect, it } from 'vitest';
import type { Lease } from './distribution.ts';
import { groupOf } from './trial-groups.ts';
import { WorkerSlots } from './worker-slots.ts';

const group = groupOf('r-1', { tags: [], agents: [], env: [], protocol: 1 }, {});

function lease(ordinal: number, attempt = 1): Lease {
  const trial = { trialId: `t-${ordinal}`, ordinal, scenario: 'S', file: 'f', caseId: 'c', variant: {}, repeat: 1 };
  return { group, jobId: `job-${ordinal}`, token: 'token', attempt, isLastAttempt: attempt === 3, trial };
}

function beginAll(bench: WorkerSlots): Lease[] {
  const begun: Lease[] = [];
  for (let next = bench.begin(); next; next = bench.begin()) begun.push(next);
  return begun;
}

describe('Bench', () => {
  it('begins as many trials as it has places, in order', () => {
    const bench = new WorkerSlots(2);
    expect(bench.room()).toEqual({ wanted: 2, spare: 0 });
    const leases = [lease(1), lease(2), lease(3)];
    bench.add(leases);

    expect(beginAll(bench)).toEqual(leases.slice(0, 2));
    expect(bench.room()).toEqual({ wanted: 0, spare: 0 });
    bench.finish(lease(1));
    expect(beginAll(bench)).toEqual([leases[2]]);
  });

  it('takes short trials ahead', () => {
    const bench = new WorkerSlots(4);
    bench.add([lease(1)]);
    beginAll(bench);
    bench.finish(lease(1));

    const { wanted, spare } = bench.room();
    expect(wanted).toBe(4);
    expect(spare).toBe(64);
  });

  it('gives back what lies beside a trial on its last attempt, also such ones', () => {
    const bench = new WorkerSlots(4);
    const [one, last, other] = [lease(1), lease(2, 3), lease(3, 3)];
    expect(bench.add([one, last, other])).toEqual([one, other]);
    expect(bench.room()).toEqual({ wanted: 0, spare: 0 });
    expect(beginAll(bench)).toEqual([last]);
  });

  it('begins a last attempt only when everything before is stored, and nothing until it is stored itself', () => {
    const bench = new WorkerSlots(4);
    const [before, last, after] = [lease(1), lease(2, 3), lease(3)];
    bench.add([before]);
    beginAll(bench);
    bench.add([last]);
    expect(beginAll(bench)).toEqual([]);
    bench.finish(before);
    expect(beginAll(bench)).toEqual([]);
    bench.remove(before);
    expect(beginAll(bench)).toEqual([last]);

    bench.finish(last);
    expect(bench.room()).toEqual({ wanted: 0, spare: 0 });
    bench.add([after]);
    expect(beginAll(bench)).toEqual([]);
    bench.remove(last);
    expect(beginAll(bench)).toEqual([after]);
  });
});
