import { randomUUID } from 'node:crypto';
import type { TrialRecord } from '../../domain/record.ts';
import type { RunHeader } from '../../domain/run.ts';
import type { Store } from '../../keep/store/store.ts';
import { GrowingColumns, trialsPerText } from './case-columns.ts';
import { JudgedTrials } from './judged-trials.ts';
import { KeptResults } from './kept-results.ts';

/**
 * Takes the trials of a run, those of a case side by side, and keeps what its lists are found and sorted by. Texts are kept as
 * they come: they are most of it.
 */
export class ColumnsCollector {
  readonly #store: Store;
  readonly #textStamp = randomUUID();
  readonly #texts: KeptResults;
  readonly #columns = new GrowingColumns();
  readonly #judged = new JudgedTrials();
  #last: TrialRecord | undefined;

  constructor(runId: string, store: Store) {
    this.#store = store;
    this.#texts = KeptResults.partsOf(runId, store, this.#textStamp);
  }

  add(records: readonly TrialRecord[]): void {
    for (const record of records) {
      if (this.#last && !isSameCase(this.#last, record)) this.#columns.endCase();
      this.#last = record;
      this.#columns.add(record);
      this.#judged.add(record);
    }
  }

  /** Saves the texts of what was added, where there are enough of them; resolves when there is room for more. */
  saveTexts(): Promise<void> {
    return this.#saveTexts(trialsPerText);
  }

  /** Keeps the columns of the run, which has ended. */
  async keep(run: RunHeader): Promise<void> {
    const kept = await KeptResults.of([run], this.#store);
    if (!kept) return;
    if (this.#last) this.#columns.endCase();
    await this.#saveTexts(1);
    await kept.save('judged', this.#judged.found);
    for (const [name, column] of this.#columns.apart()) await kept.save(name, column);
    await kept.save('columns', this.#columns.whole(this.#textStamp));
    await kept.complete('columns');
  }

  async #saveTexts(fewest: number): Promise<void> {
    for (const { number, texts } of this.#columns.takeTexts(fewest, trialsPerText))
      await this.#texts.save(`texts ${number}`, texts);
  }
}

function isSameCase(a: TrialRecord, b: TrialRecord): boolean {
  return a.caseId === b.caseId && a.scenario === b.scenario && a.file === b.file;
}
