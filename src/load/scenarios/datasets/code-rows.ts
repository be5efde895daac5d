import type { FilePosition } from '../../../domain/errors.ts';
import { ProblemsError } from '../../../domain/problem.ts';
import { grouped } from '../../../shared/format.ts';
import { isRecord } from '../../../shared/json.ts';
import type { ParsedSource, CodeRows as Produce } from '../../sources/parsed-source.ts';
import { plainData } from '../code/plain-data.ts';
import type { RowSource } from './dataset.ts';
import type { RawRow } from './raw-row.ts';
import { RowSpool } from './row-spool.ts';

/** Code that never ends would fill the disk. */
const mostBytes = 4_000_000_000;

/**
 * Rows that the code of a scenario yields. It runs once: what it yielded is kept, so the rows that were checked are those
 * that are tried, even if the code would yield others the next time.
 */
export class CodeRows implements RowSource {
  readonly start: FilePosition;
  readonly #produce: Produce;
  readonly #spool = new RowSpool();
  #contentHash: string | undefined;

  /** `at` is the position of the code. */
  constructor(produce: Produce, at: FilePosition) {
    this.start = at;
    this.#produce = produce;
  }

  async whyUnreadable(): Promise<undefined> {
    return undefined;
  }

  isSmall(): boolean {
    return this.#spool.isSmall;
  }

  async contentHash(): Promise<string> {
    return this.#contentHash ?? '';
  }

  async *rows(): AsyncGenerator<RawRow, void> {
    if (this.#contentHash === undefined) return yield* this.#produced();
    let number = 0;
    for await (const line of this.#spool.lines())
      yield this.#row(JSON.parse(line) as Readonly<Record<string, unknown>>, ++number);
  }

  async *#produced(): AsyncGenerator<RawRow, void> {
    let number = 0;
    for await (const item of this.#items()) {
      number++;
      const { value, problems } = plainData(item, this.#source(item));
      const flaw =
        problems[0] ?? (isRecord(value) ? undefined : { at: this.start, message: 'a row must be an object' });
      if (!flaw) this.#spool.write(JSON.stringify(value));
      yield { ...this.#row(isRecord(value) ? value : {}, number), flaw: () => flaw };
      if (this.#spool.bytes > mostBytes) throw this.#failure(`has more than ${grouped(mostBytes)} bytes; does it end?`);
    }
    this.#contentHash = this.#spool.end();
  }

  /** The values that the code yields; an error that it throws is a problem of the scenario. */
  async *#items(): AsyncGenerator<unknown, void> {
    let count = 0;
    try {
      for await (const item of this.#produce()) {
        yield item;
        count++;
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw this.#failure(`threw after ${grouped(count)} rows: ${reason}`);
    }
  }

  #failure(what: string): ProblemsError {
    return new ProblemsError([{ at: this.start, message: `the code of the dataset ${what}` }]);
  }

  #row(value: Readonly<Record<string, unknown>>, number: number): RawRow {
    return { value, label: `row ${number}`, source: () => this.#source(value) };
  }

  /** Code has no position for a value that it computes. */
  #source(value: unknown): ParsedSource {
    const at = () => this.start;
    return { file: this.start.file, value, locate: at, locateKey: at, locateInString: at };
  }
}
