import type { TrialRecord } from '../../domain/record.ts';
import { isReused } from '../../domain/reuse.ts';
import { faultFree } from '../../domain/tool-control/faults.ts';
import type { Variant } from '../../domain/variant.ts';
import { type PassRate, passRate } from '../../shared/stats/pass-rate.ts';
import { caseKeyOf } from './case-key.ts';

/** How trials ended in which calls of one tool were broken by one set of faults. */
export interface ResilienceCell {
  readonly set: string;
  /** Kinds of the faults that broke its calls. */
  readonly faults: readonly string[];
  readonly rate: PassRate;
  /** Trials that could not be judged; not in the rate. */
  readonly unjudged: number;
}

interface ResilienceRow {
  /** With its server, where it has one. */
  readonly tool: string;
  /** Of the same cases without faults. */
  readonly faultFree: PassRate;
  readonly cells: readonly ResilienceCell[];
}

/** How trials ended in which calls failed with one text. */
interface ErrorWording {
  readonly tool: string;
  readonly fault: string;
  readonly message: string;
  readonly rate: PassRate;
  readonly unjudged: number;
}

/** One agent, model or the like, with tools x faults. */
export interface ResilienceTable {
  /** Without its part `faults`. */
  readonly variant: Variant;
  readonly sets: readonly string[];
  readonly rows: readonly ResilienceRow[];
  /** Texts of the same fault of the same tool, the best first; empty where each fault has one text. */
  readonly wordings: readonly ErrorWording[];
  /** Trials of a set of faults in which no fault acted: they say nothing about faults, and are in no cell. */
  readonly unbroken: readonly { readonly set: string; readonly trials: number }[];
}

type Trial = Pick<
  TrialRecord,
  'file' | 'scenario' | 'caseId' | 'variant' | 'outcome' | 'cachedFrom' | 'hasReusedVerdict' | 'brokenCalls'
>;

/** Counts the trials of a run with named sets of faults. */
export class ResilienceTally {
  readonly #groups = new Map<string, Group>();

  add(trial: Trial): void {
    const { faults: set, ...variant } = trial.variant;
    // A reused trial is not evidence.
    if (set === undefined || isReused(trial)) return;
    const key = JSON.stringify(variant);
    const group = this.#groups.get(key) ?? new Group(variant);
    this.#groups.set(key, group);
    group.add(set, trial);
  }

  tables(): ResilienceTable[] {
    return [...this.#groups.values()].map((group) => group.table());
  }
}

type GroupTrial = Omit<Trial, 'variant' | 'cachedFrom' | 'hasReusedVerdict'>;
type Broken = NonNullable<Trial['brokenCalls']>[number];

class Group {
  readonly #variant: Variant;
  readonly #free = new Outcomes();
  readonly #cells = new Map<string, Map<string, { readonly outcomes: Outcomes; readonly faults: Set<string> }>>();
  readonly #wordings = new Map<string, { readonly broken: Broken; readonly outcomes: Outcomes }>();
  readonly #unbroken = new Map<string, number>();
  readonly #sets = new Set<string>();

  constructor(variant: Variant) {
    this.#variant = variant;
  }

  add(set: string, trial: GroupTrial): void {
    if (set === faultFree) {
      this.#free.add(trial);
      return;
    }
    this.#sets.add(set);
    const { brokenCalls = [] } = trial;
    if (brokenCalls.length === 0) this.#unbroken.set(set, (this.#unbroken.get(set) ?? 0) + 1);
    for (const tool of new Set(brokenCalls.map(toolOf))) {
      const row = this.#cells.get(tool) ?? new Map();
      this.#cells.set(tool, row);
      const cell = row.get(set) ?? { outcomes: new Outcomes(), faults: new Set() };
      row.set(set, cell);
      cell.outcomes.add(trial);
      for (const broken of brokenCalls) if (toolOf(broken) === tool) cell.faults.add(broken.fault);
    }
    this.#addWordings(trial, brokenCalls);
  }

  /** A trial that met several texts says nothing about one of them. */
  #addWordings(trial: GroupTrial, brokenCalls: readonly Broken[]): void {
    const [broken, ...others] = brokenCalls;
    if (broken?.message === undefined || others.length > 0) return;
    const key = JSON.stringify([toolOf(broken), broken.fault, broken.message]);
    const wording = this.#wordings.get(key) ?? { broken, outcomes: new Outcomes() };
    this.#wordings.set(key, wording);
    wording.outcomes.add(trial);
  }

  table(): ResilienceTable {
    const rows = [...this.#cells].map(([tool, cells]): ResilienceRow => {
      const cases = new Set([...cells.values()].flatMap(({ outcomes }) => outcomes.cases()));
      return {
        tool,
        faultFree: this.#free.rate(cases),
        cells: [...cells].map(([set, { outcomes, faults }]) => ({ set, faults: [...faults], ...outcomes.figures() })),
      };
    });
    return {
      variant: this.#variant,
      sets: [...this.#sets],
      rows,
      wordings: this.#comparedWordings(),
      unbroken: [...this.#unbroken].map(([set, trials]) => ({ set, trials })),
    };
  }

  #comparedWordings(): ErrorWording[] {
    const all = [...this.#wordings.values()].map(({ broken, outcomes }) => ({
      tool: toolOf(broken),
      fault: broken.fault,
      message: broken.message ?? '',
      ...outcomes.figures(),
    }));
    const keyOf = ({ tool, fault }: ErrorWording): string => JSON.stringify([tool, fault]);
    return [...new Set(all.map(keyOf))].flatMap((key) => {
      const wordings = all.filter((wording) => keyOf(wording) === key);
      return wordings.length > 1 ? wordings.sort((a, b) => (b.rate.rate ?? -1) - (a.rate.rate ?? -1)) : [];
    });
  }
}

class Outcomes {
  readonly #byCase = new Map<string, { passed: number; failed: number }>();
  #unjudged = 0;

  add(trial: GroupTrial): void {
    const { outcome } = trial;
    const key = caseKeyOf(trial);
    const counts = this.#byCase.get(key) ?? { passed: 0, failed: 0 };
    this.#byCase.set(key, counts);
    if (outcome === 'pass') counts.passed++;
    else if (outcome === 'fail') counts.failed++;
    else this.#unjudged++;
  }

  cases(): string[] {
    return [...this.#byCase.keys()];
  }

  rate(cases: ReadonlySet<string>): PassRate {
    const counted = [...this.#byCase].filter(([caseKey]) => cases.has(caseKey));
    return passRate(counted.map(([caseKey, counts]) => ({ caseKey, ...counts })));
  }

  figures(): { readonly rate: PassRate; readonly unjudged: number } {
    return { rate: this.rate(new Set(this.cases())), unjudged: this.#unjudged };
  }
}

function toolOf({ server, tool }: Broken): string {
  return server === undefined ? tool : `${server} › ${tool}`;
}
