import { type Mark, marksOf } from '../../domain/marks.ts';
import type { TrialRecord } from '../../domain/record.ts';
import { type PackedJson, packJson, unpackJson } from '../../shared/packed-json.ts';
import { shorten } from '../../shared/text.ts';
import { type GridTrial, gridTrial } from '../compare/grid/grid-figures.ts';
import type { ListedTrial } from '../compare/grid/listed-trial.ts';
import { namingInput } from './case-name.ts';

/** A trial as an HTML report lists it; its record and trace are unpacked when it is opened. */
export interface ReportedTrial extends ListedTrial, Omit<GridTrial, 'trialId'> {
  readonly startedAt: number;
  readonly faultCode: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** How its input begins, where the name of its case says nothing. */
  readonly input: string | undefined;
  readonly marks: readonly Mark[];
}

/** Neighbouring trials, with the names that they share. */
export type TrialPage = PackedJson;

/** In lists; the trial itself has all of it. */
const longestReason = 300;
/** In the grid; the trial itself has all of it. */
const longestText = 160;

/** Packs neighbouring trials; inputs and answers may be left out of pages that would get too large. */
export class TrialPacker {
  readonly #hasTexts: boolean;
  readonly #trials: ReportedTrial[] = [];
  /** Of inputs, expected values and answers. */
  characters = 0;

  constructor({ hasTexts }: { readonly hasTexts: boolean }) {
    this.#hasTexts = hasTexts;
  }

  get size(): number {
    return this.#trials.length;
  }

  add(record: TrialRecord): void {
    const { ordinal, trialId, scenario, file, caseId, variant, repeat, outcome, startedAt, usage } = record;
    const { verdicts, metrics } = gridTrial(record);
    this.#trials.push({
      ...{ ordinal, trialId, scenario, file, caseId, variant, repeat, outcome, startedAt, verdicts },
      reason: shorten(record.reason, longestReason),
      faultCode: record.fault?.code ?? null,
      durationMs: rounded(record.durationMs, 3),
      costUsd: rounded(record.costUsd, 8),
      inputTokens: usage?.inputTokens ?? null,
      outputTokens: usage?.outputTokens ?? null,
      input: namingInput(record),
      excerpt: this.#hasTexts ? this.#excerptOf(record) : undefined,
      metrics: Object.fromEntries(Object.entries(metrics).map(([name, value]) => [name, rounded(value, 6)])),
      marks: marksOf(record),
    });
  }

  packed(): TrialPage {
    return packJson(this.#trials);
  }

  #excerptOf({ excerpt }: TrialRecord): ReportedTrial['excerpt'] {
    if (!excerpt) return undefined;
    const { input, expected = excerpt.expectedBehavior, answer, metadata } = excerpt;
    const texts = Object.entries({ input, expected, answer }).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, shorten(text, longestText)] as const],
    );
    for (const [, text] of texts) this.characters += text.length;
    return { ...Object.fromEntries(texts), ...(metadata && { metadata }) };
  }
}

function rounded(value: number | null, digits: number): number | null {
  return value !== null && Number.isFinite(value) ? Number(value.toFixed(digits)) : null;
}

/** The trials of a page with the names and texts that they share filled in. */
export function unpackedTrials(page: TrialPage): ReportedTrial[] {
  return unpackJson(page) as ReportedTrial[];
}
