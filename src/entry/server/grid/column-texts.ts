import { type CaseColumns, textMarks, trialsPerText } from '../../../compose/summaries/case-columns.ts';
import { KeptResults } from '../../../compose/summaries/kept-results.ts';
import type { RunHeader } from '../../../domain/run.ts';
import type { Store } from '../../../keep/store/store.ts';

/** The kept columns are damaged; the trials themselves have to be read. */
export class LostColumn extends Error {}

/** The texts of a trial: case, reason, id, and those of its excerpt, if it has one. */
export type TextFields = readonly (string | undefined)[];

/** The texts of some thousand trials of a run. */
export class TextBlock {
  readonly #first: number;
  readonly #text: string;
  #texts: readonly string[] | undefined;
  #lowered: readonly string[] | undefined;

  constructor(first: number, text: string) {
    this.#first = first;
    this.#text = text;
  }

  fieldsAt(place: number): TextFields {
    const { trial, between, absent } = textMarks;
    this.#texts ??= this.#text.split(trial);
    const text = this.#texts[place - this.#first];
    if (text === undefined) throw new LostColumn('A text of the columns of a run is lost.');
    return text.split(between).map((field) => (field === absent ? undefined : field));
  }

  has(place: number): boolean {
    return place >= this.#first && place < this.#first + trialsPerText;
  }

  /** Whether one of the texts of a trial may have another in it, which is in small letters; where not, none has. */
  mayHold(lower: string, place: number): boolean {
    this.#lowered ??= this.#loweredWith(lower);
    return this.#lowered[place - this.#first]?.includes(lower) === true;
  }

  /** None where the text is nowhere in them, which is found out at once for all of them. */
  #loweredWith(lower: string): readonly string[] {
    const all = this.#text.toLowerCase();
    return all.includes(lower) ? all.split(textMarks.trial) : [];
  }
}

/** The texts of the trials of a run, block by block. */
export class ColumnTexts {
  readonly #kept: KeptResults;
  readonly #blocks: Promise<TextBlock | undefined>[] = [];
  readonly #trials: number;

  constructor({ runId }: RunHeader, store: Store, { textStamp, ordinals }: CaseColumns) {
    this.#kept = KeptResults.partsOf(runId, store, textStamp);
    this.#trials = ordinals.length;
  }

  /** The block with the trial at a place. The following one is unpacked while it is searched. */
  async blockOf(place: number): Promise<TextBlock> {
    const number = Math.floor(place / trialsPerText);
    this.#begin(number);
    this.#begin(number + 1);
    const block = await this.#blocks[number];
    delete this.#blocks[number - 1];
    if (block) return block;
    throw new LostColumn('A text of the columns of a run is lost.');
  }

  #begin(number: number): void {
    if (this.#blocks[number] || number * trialsPerText >= this.#trials) return;
    const read = this.#read(number);
    // Met where the block is wanted; a search that has ended wants no more of them.
    read.catch(() => undefined);
    this.#blocks[number] = read;
  }

  async #read(number: number): Promise<TextBlock | undefined> {
    const text = await this.#kept.read<string>(`texts ${number}`);
    return text === undefined ? undefined : new TextBlock(number * trialsPerText, text);
  }
}
