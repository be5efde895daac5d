import { counted } from '../../../../shared/format.ts';
import type { RecordedVerdict } from '../../score-verdict.ts';

interface Tally {
  tests: number;
  skipped: number;
  /** Failures and errors: some runners count both as failures. */
  broken: number;
}

/** The counts that a suite reports of its test cases, and those of the cases in the file. */
export class SuiteCounts {
  readonly #tests: number | undefined;
  readonly #broken: number | undefined;
  readonly #own: Tally = { tests: 0, skipped: 0, broken: 0 };
  readonly #withNested: Tally = { tests: 0, skipped: 0, broken: 0 };

  constructor({ tests, failures, errors }: Readonly<Record<string, string>>) {
    this.#tests = countOf(tests);
    const broken = [countOf(failures), countOf(errors)].filter((count) => count !== undefined);
    this.#broken = broken.length === 0 ? undefined : broken.reduce((sum, count) => sum + count, 0);
  }

  add({ state }: Pick<RecordedVerdict, 'state'>, isNested: boolean): void {
    for (const tally of isNested ? [this.#withNested] : [this.#own, this.#withNested]) {
      tally.tests++;
      if (state === 'skipped') tally.skipped++;
      if (state === 'fail' || state === 'error') tally.broken++;
    }
  }

  /** Why the numbers contradict the cases; undefined where they do not, or where there are none. */
  get contradiction(): string | undefined {
    const { tests, broken } = this.#withNested;
    const parts = [
      ...(this.#areTestsRight ? [] : [[counted(this.#tests ?? 0, 'test'), tests] as const]),
      ...(this.hidesFailures ? [[counted(this.#broken ?? 0, 'failure'), broken] as const] : []),
    ];
    if (parts.length === 0) return undefined;
    const [reported, present] = [parts.map(([text]) => text), parts.map(([, count]) => count)];
    return `reports ${reported.join(' and ')}, and the file has ${present.join(' and ')}`;
  }

  /** Whether one of the cases that look like passes may have failed. */
  get hidesFailures(): boolean {
    return (this.#broken ?? 0) > this.#withNested.broken;
  }

  /** Whether the file has more cases than the suite reports: one of them may be there twice. */
  get isOverfull(): boolean {
    return this.#tests !== undefined && this.#withNested.tests > this.#tests;
  }

  /** Runners count tests that were skipped or not, and those of suites within a suite or not. */
  get #areTestsRight(): boolean {
    if (this.#tests === undefined) return true;
    return [this.#own, this.#withNested].some(
      ({ tests, skipped }) => tests === this.#tests || tests - skipped === this.#tests,
    );
  }
}

function countOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text.trim()) ? Number(text) : undefined;
}
