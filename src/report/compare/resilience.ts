import { isReused } from '../../domain/marks.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { faultFree } from '../../domain/tool-control/faults.ts';
import type { Variant } from '../../domain/variant.ts';
import type { PassRate } from '../../shared/stats/pass-rate.ts';
import { caseKeyOf } from './case-key.ts';
import { CaseTallies, type TemplateOf } from './case-rates.ts';

/** How trials ended in which calls of one tool were broken by one set of faults. */
interface ResilienceCell {
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
  'file' | 'scenario' | 'caseId' | 'cluster' | 'variant' | 'outcome' | 'cachedFrom' | 'hasReusedVerdict' | 'brokenCalls'
>;

/** Counts the trials of a run with named sets of faults. */
export class ResilienceTally {
  readonly #groups = new Map<string, Group>();
  readonly #templateOf: TemplateOf | undefined;

  constructor(templateOf?: TemplateOf) {
    this.#templateOf = templateOf;
  }

  add(trial: Trial): void {
    const { faults: set, ...variant } = trial.variant;
    // A reused trial is not evidence.
    if (set === undefined || isReused(trial)) return;
    const key = JSON.stringify(variant);
    const group = this.#groups.get(key) ?? new Group(variant, this.#templateOf);
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
  readonly #free: Outcomes;
  readonly #templateOf: TemplateOf | undefined;
  readonly #cells = new Map<string, Map<string, { readonly outcomes: Outcomes; readonly faults: Set<string> }>>();
  readonly #wordings = new Map<string, { readonly broken: Broken; readonly outcomes: Outcomes }>();
  readonly #unbroken = new Map<string, number>();
  readonly #sets = new Set<string>();

  constructor(variant: Variant, templateOf: TemplateOf | undefined) {
    this.#variant = variant;
    this.#templateOf = templateOf;
    this.#free = new Outcomes(templateOf);
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
      const cell = row.get(set) ?? { outcomes: new Outcomes(this.#templateOf), faults: new Set() };
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
    const wording = this.#wordings.get(key) ?? { broken, outcomes: new Outcomes(this.#templateOf) };
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
  readonly #tallies: CaseTallies;
  /** Also of trials that could not be judged. */
  readonly #cases = new Set<string>();
  #unjudged = 0;

  constructor(templateOf: TemplateOf | undefined) {
    this.#tallies = new CaseTallies(templateOf);
  }

  add(trial: GroupTrial): void {
    const { outcome } = trial;
    this.#cases.add(caseKeyOf(trial));
    if (outcome === 'pass' || outcome === 'fail') this.#tallies.add(trial, outcome === 'pass');
    else this.#unjudged++;
  }

  cases(): string[] {
    return [...this.#cases];
  }

  rate(cases?: ReadonlySet<string>): PassRate {
    return this.#tallies.rate(cases);
  }

  figures(): { readonly rate: PassRate; readonly unjudged: number } {
    return { rate: this.rate(), unjudged: this.#unjudged };
  }
}

function toolOf({ server, tool }: Broken): string {
  return server === undefined ? tool : `${server} › ${tool}`;
}
