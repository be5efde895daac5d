import { AssayError } from '../../domain/errors.ts';
import { faultOf, type Outcome } from '../../domain/outcome.ts';
import type { TrialRecord } from '../../domain/record.ts';
import type { RunHeader } from '../../domain/run.ts';
import type { Variant } from '../../domain/variant.ts';
import type { FinishedTrial } from '../../keep/store/store.ts';
import { finishedTrial, runHeader } from '../samples.ts';

/** A stored run of some shape. */
export interface RunShape {
  readonly header: RunHeader;
  readonly trials: readonly FinishedTrial[];
}

/** How trials end, one letter each: pass, fail, error, skipped, reused pass, and a pass that was partly judged. */
const letters: Readonly<Record<string, { outcome: Outcome; changes?: Partial<TrialRecord> }>> = {
  '+': { outcome: 'pass' },
  '-': { outcome: 'fail' },
  '!': { outcome: 'error', changes: { fault: faultOf(new AssayError('TARGET_CRASHED', 'it crashed')) } },
  o: { outcome: 'skipped' },
  r: { outcome: 'pass', changes: { cachedFrom: 't-earlier', costUsd: 0 } },
  n: { outcome: 'pass', changes: { fault: faultOf(new AssayError('NOT_JUDGED', 'the judge was left out')) } },
};

interface ShapeOptions {
  readonly variants?: readonly Variant[];
  readonly costUsd?: (ordinal: number) => number | null;
  /** Trials that were planned beyond those that are stored. */
  readonly unrun?: number;
  readonly header?: Partial<RunHeader>;
  readonly scenario?: Partial<RunHeader['scenarios'][number]>;
}

/** A run with the given cases; a case is a word with a letter for each repeat, under each variant. */
function runShape(name: string, cases: readonly string[], options: ShapeOptions = {}): RunShape {
  const { variants = [{}], costUsd = () => 0, unrun = 0 } = options;
  const runId = `r-${name}`;
  const trials = cases.flatMap((word, index) =>
    variants.flatMap((variant) =>
      [...word].map((letter, repeat) => ({ letter, variant, caseId: `case-${index + 1}`, repeat: repeat + 1 })),
    ),
  );
  const records = trials.map(({ letter, ...place }, ordinal): FinishedTrial => {
    const { outcome, changes } = letters[letter] ?? { outcome: 'error' };
    const sample = finishedTrial(runId, ordinal, { outcome, scenario: `shape ${name}` });
    const trialId = `t-${name}-${ordinal}`;
    return {
      trace: sample.trace,
      record: { ...sample.record, trialId, costUsd: costUsd(ordinal), ...place, ...changes },
    };
  });
  const most = Math.max(0, ...cases.map((word) => word.length));
  const header = runHeader(runId, {
    planned: records.length + unrun,
    status: 'finished',
    finishedAt: 1_700_000_001_000,
    ...options.header,
    scenarios: runHeader(runId).scenarios.map((scenario) => ({
      ...scenario,
      name: `shape ${name}`,
      file: `shape ${name}.yaml`,
      caseCount: cases.length,
      repeat: most,
      ...options.scenario,
    })),
  });
  return { header, trials: records };
}

const twoAgents: readonly Variant[] = [{ agent: 'claude-code' }, { agent: 'codex', guidance: 'v2' }];

/** Runs of many shapes: what one report counts in another way than the others shows in one of them. */
export function runShapes(): readonly RunShape[] {
  return [
    runShape('plain', ['+', '-', '+', '+']),
    runShape('one', ['-']),
    runShape('steady', ['+++', '+++']),
    // As many cases as trials of one case: 12 of 25 trials, and a pass rate that is not 48 %.
    runShape('unbalanced', ['++++++++++', '----------', '++', '--', '-!'], { costUsd: (n) => n / 1_000 }),
    runShape('flaky', ['+-+-+', '++-!-', '+++++', '-----', 'o+--+'], { unrun: 3, header: { status: 'interrupted' } }),
    runShape('unjudged', ['!!', '!!']),
    runShape('unstored', [], { unrun: 3 }),
    runShape('reused', ['+', 'r', '-', 'r', 'r'], {
      scenario: { isAgentDriven: true },
      variants: [{ agent: 'codex' }],
    }),
    runShape('partly-judged', ['n', '+', 'n', '-']),
    runShape('unknown-cost', ['+', '-', '+'], { costUsd: (n) => (n === 1 ? null : 0.25) }),
    runShape('no-cost-known', ['+', '-'], { costUsd: () => null }),
    runShape('agents', ['+-+', '++!', '-+-'], {
      variants: twoAgents,
      costUsd: (n) => 0.01 + n / 700,
      scenario: { isAgentDriven: true },
    }),
    runShape('conversation', ['+-', '++'], { scenario: { isConversation: true }, variants: [{ persona: 'Ann' }] }),
    runShape('server', ['+', '-'], { scenario: { serverPart: 'workflow' } }),
    runShape('imported', ['+', '-', 'o', '+'], {
      costUsd: () => null,
      header: {
        request: {
          ...runHeader('x').request,
          origin: { kind: 'import', file: 'results.json', format: 'tau-bench' },
        },
      },
    }),
  ];
}
