import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AssayError, type ErrorCode, errorTable } from '../../src/domain/errors.ts';
import type { PartSpec, Scenario } from '../../src/domain/scenario.ts';
import { exitCodeOf } from '../../src/entry/cli/run-report.ts';
import { openStore } from '../../src/keep/store/open-store.ts';
import type { Store } from '../../src/keep/store/store.ts';
import { type EngineRun, runOnEngine } from '../../src/testing/support/engine-run.ts';
import {
  type Misbehaviour,
  opensBadly,
  scenarioOf,
  shakyAssertion,
  shakyMetric,
  tool,
  unpreparedAssertion,
  verdict,
} from '../../src/testing/support/faulty-parts.ts';
import { repeatsInFull } from '../../src/testing/support/repetitions.ts';

interface Fault {
  readonly name: string;
  readonly misbehave: Misbehaviour;
  readonly code: ErrorCode;
}

interface Stage {
  readonly name: string;
  readonly faults: readonly Fault[];
  scenario(misbehave: Misbehaviour): Scenario;
}

let store: Store;
let runs = 0;

beforeAll(async () => {
  store = await openStore('sqlite::memory:', '/');
});

afterAll(() => store[Symbol.asyncDispose]());

/** All in one store: opening a new one for each of some thousand runs takes longer than the runs. */
function runFaulty(scenarios: readonly Scenario[], concurrency = 1): Promise<EngineRun> {
  return runOnEngine(scenarios, { targets, evaluators, concurrency, store, runId: `r-${++runs}` });
}

const targets = [tool, opensBadly];
const evaluators = [verdict, shakyAssertion, unpreparedAssertion, shakyMetric];
const passes: PartSpec = { type: 'verdict', config: { state: 'pass' } };
const steady: PartSpec = { type: 'tool', config: {} };

/** Every code of the table, thrown by a part that knows it, and everything that a part may throw without knowing. */
function thrownFaults(unforeseen: ErrorCode): Fault[] {
  const known = (Object.keys(errorTable) as ErrorCode[]).map((code) => ({
    name: code,
    code,
    misbehave: () => Promise.reject(new AssayError(code, 'known')),
  }));
  const values = {
    'an error': new Error('x'),
    'a text': 'x',
    nothing: undefined,
    null: null,
    'an object': { message: 'x' },
  };
  const thrown = Object.entries(values).flatMap(([name, value]) => [
    {
      name: `throws ${name}`,
      code: unforeseen,
      misbehave: () => {
        throw value;
      },
    },
    { name: `rejects with ${name}`, code: unforeseen, misbehave: () => Promise.reject(value) },
  ]);
  return [...known, ...thrown];
}

function oddAnswers(code: ErrorCode): Fault[] {
  const answers = {
    nothing: undefined,
    'an unknown state': { state: 'perhaps', reason: '' },
    'an endless value': { state: 'pass', reason: '', value: Number.POSITIVE_INFINITY },
    'a fault that is none': { state: 'error', error: 'just text' },
  };
  return Object.entries(answers).map(([name, given]) => ({
    name: `gives ${name}`,
    code,
    misbehave: async () => given,
  }));
}

const stages: readonly Stage[] = [
  {
    name: 'open target',
    faults: thrownFaults('INTERNAL'),
    scenario: (misbehave) => scenarioOf('faulty', { type: 'opens-badly', config: { misbehave } }, [passes]),
  },
  {
    name: 'attempt',
    faults: [
      ...thrownFaults('INTERNAL'),
      { name: 'gives no answer', code: 'EVALUATOR_FAILED', misbehave: () => undefined },
    ],
    scenario: (misbehave) => scenarioOf('faulty', { type: 'tool', config: { misbehave } }, [passes]),
  },
  {
    name: 'prepare evaluator',
    faults: thrownFaults('EVALUATOR_FAILED').filter(({ name }) => name.startsWith('throws')),
    scenario: (misbehave) =>
      scenarioOf('faulty', steady, [passes, { type: 'unprepared-assertion', config: { misbehave } }]),
  },
  {
    name: 'evaluate',
    faults: [...thrownFaults('EVALUATOR_FAILED'), ...oddAnswers('EVALUATOR_FAILED')],
    scenario: (misbehave) => scenarioOf('faulty', steady, [passes, { type: 'shaky-assertion', config: { misbehave } }]),
  },
];

const settings = [1, 4].flatMap((concurrency) =>
  (['pass', 'fail'] as const).flatMap((neighbour) =>
    [0, 1, 2].map((position) => ({ concurrency, neighbour, position })),
  ),
);

async function runAmongNeighbours(
  faulty: Scenario,
  { concurrency, neighbour, position }: (typeof settings)[number],
): Promise<EngineRun> {
  const judged = [{ type: 'verdict', config: { state: neighbour } }];
  const scenarios = ['first', 'second'].map((name) => scenarioOf(name, steady, judged));
  scenarios.splice(position, 0, faulty);
  return runFaulty(scenarios, concurrency);
}

/** All settings in full; otherwise they take turns, so each meets many faults of a stage, and each fault some setting. */
function settingsOf(fault: number): typeof settings {
  return settings.filter((_, index) => repeatsInFull || index === fault % settings.length);
}

describe.each(stages)('a fault in the stage "$name"', ({ faults, scenario }) => {
  const numbered = faults.map((fault, index) => ({ ...fault, settings: settingsOf(index) }));

  it.each(numbered)('is never a pass or a fail, whatever happens beside it: $name', async (fault) => {
    const { misbehave, code } = fault;
    const { blame } = errorTable[code];
    for (const setting of fault.settings) {
      const { summary, records } = await runAmongNeighbours(scenario(misbehave), setting);
      const neighbours = setting.neighbour === 'pass' ? { pass: 2, fail: 0 } : { pass: 0, fail: 2 };
      expect(summary.totals).toEqual({ planned: 3, ...neighbours, error: 1, skipped: 0, notRun: 0 });
      expect(records.faulty).toMatchObject({ outcome: 'error', fault: { code, blame } });
      // A file that is wrong for one trial does not hide what the others say.
      expect(exitCodeOf(summary)).toBe(setting.neighbour === 'fail' ? 1 : 3);
    }
  });
});

describe('an evaluator that breaks', () => {
  it('is named, and takes no other answer with it', async () => {
    const broken = {
      type: 'shaky-assertion',
      config: {
        misbehave: () => {
          throw new Error('no luck');
        },
      },
    };
    const { records } = await runFaulty([scenarioOf('it', steady, [passes, broken, passes])]);
    expect(records.it?.reason).toBe('shaky-assertion: no luck');
    expect(records.it?.evaluatorResults.map(({ type, state }) => `${type} ${state}`)).toEqual([
      'verdict pass',
      'shaky-assertion error',
      'verdict pass',
    ]);
  });

  it('leaves a failed assertion a fail', async () => {
    const fails = { type: 'verdict', config: { state: 'fail' } };
    const broken = {
      type: 'shaky-assertion',
      config: {
        misbehave: () => {
          throw new Error('no luck');
        },
      },
    };
    const { records } = await runFaulty([scenarioOf('it', steady, [broken, fails])]);
    expect(records.it).toMatchObject({ outcome: 'fail', reason: 'it is a fail' });
  });

  const ends = [...thrownFaults('EVALUATOR_FAILED'), ...oddAnswers('EVALUATOR_FAILED')];
  const [waiting] = ends.filter(({ code }) => code === 'JUDGE_WAITING');

  it('ends the run as one of wrong files where no trial could be judged for them', async () => {
    const unusable = thrownFaults('EVALUATOR_FAILED').find(({ code }) => code === 'CRITERION_UNUSABLE');
    const broken = { type: 'shaky-assertion', config: { misbehave: unusable?.misbehave } };
    const { summary } = await runFaulty([scenarioOf('it', steady, [broken])]);
    expect(summary.totals).toMatchObject({ pass: 0, fail: 0, error: 1 });
    expect(exitCodeOf(summary)).toBe(2);
  });

  it('leaves the trial without a verdict while it waits for a judge, also as a metric', async () => {
    const metric = { type: 'shaky-metric', config: { misbehave: waiting?.misbehave } };
    const { summary, records } = await runFaulty([scenarioOf('it', steady, [passes, metric])]);
    expect(records.it).toMatchObject({ outcome: 'error', fault: { code: 'JUDGE_WAITING' } });
    expect(exitCodeOf(summary)).toBe(3);
  });

  it.each(ends.filter((end) => end !== waiting))(
    'leaves the outcome alone when it is a metric: $name',
    async ({ misbehave, code }) => {
      const metric = { type: 'shaky-metric', config: { misbehave } };
      const { summary, records } = await runFaulty([scenarioOf('it', steady, [passes, metric])]);
      expect(records.it).toMatchObject({ outcome: 'pass', fault: null });
      expect(records.it?.evaluatorResults[1]).toMatchObject({
        type: 'shaky-metric',
        state: 'error',
        fault: { code },
      });
      expect(exitCodeOf(summary)).toBe(0);
    },
  );
});

describe('a target that does not let go', () => {
  it('ends its trial all the same', async () => {
    const scenario = scenarioOf(
      'it',
      { type: 'tool', config: { misbehave: () => new Promise(() => {}) } },
      [passes],
      10,
    );
    const { records } = await runFaulty([scenario]);
    expect(records.it).toMatchObject({ outcome: 'error', fault: { code: 'TARGET_TIMEOUT', blame: 'target' } });
  });

  it('does not keep a run from ending when it never opens', async () => {
    const scenario = scenarioOf(
      'it',
      { type: 'opens-badly', config: { misbehave: () => new Promise(() => {}) } },
      [passes],
      10,
    );
    const { records } = await runFaulty([scenario]);
    expect(records.it).toMatchObject({ outcome: 'error', fault: { code: 'TARGET_TIMEOUT' } });
  });
});
