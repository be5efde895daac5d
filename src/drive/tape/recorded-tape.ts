import type { TapeLine } from '../../domain/tape.ts';
import type { TapeWords } from './tape-words.ts';

/** A tool whose calls are recorded. */
interface TapedPart {
  /** False for a tool that was started and never answered: a recording of it is of no use. */
  readonly hasBegun: boolean;
  /** Lines about the tool itself, when everything has passed. */
  conclude(words: TapeWords): readonly TapeLine[];
}

/** Records the tool calls of one trial, in the order in which they began. */
export class RecordedTape {
  readonly kind = 'record';
  readonly words: TapeWords;
  readonly #save: (lines: readonly TapeLine[]) => Promise<void>;
  readonly #slots: (TapeLine | undefined)[] = [];
  /** Ticks with every begin and end: calls that ran at the same time have no order. */
  #clock = 0;
  readonly #parts: TapedPart[] = [];

  constructor(words: TapeWords, save: (lines: readonly TapeLine[]) => Promise<void>) {
    this.words = words;
    this.#save = save;
  }

  include(part: TapedPart): void {
    this.#parts.push(part);
  }

  /** Keeps the place of something that has begun; it is left out where it never gets its line. */
  reserve(): (line: TapeLine) => void {
    const index = this.#slots.push(undefined) - 1;
    const begin = this.#clock++;
    let end: number | undefined;
    return (line) => {
      end ??= this.#clock++;
      this.#slots[index] = isEvent(line) ? { ...line, span: [begin, end] } : line;
    };
  }

  /** To be called when the tools have been used: a trial that was given up leaves no recording. */
  async conclude(): Promise<void> {
    if (this.#parts.some(({ hasBegun }) => !hasBegun)) return;
    const about = this.#parts.flatMap((part) => part.conclude(this.words));
    const happened = this.#slots.filter((line) => line !== undefined);
    await this.#save([...about, ...happened.map((line) => this.#written(line))]);
  }

  #written(line: TapeLine): TapeLine {
    const { value, isMasked } = this.words.written(line);
    return isMasked && isEvent(value) ? { ...value, masked: true } : value;
  }
}

type EventLine = Extract<TapeLine, { kind: 'call' | 'request' | 'direct' | 'run' }>;

const eventKinds: ReadonlySet<string> = new Set<EventLine['kind']>(['call', 'request', 'direct', 'run']);

function isEvent(line: TapeLine): line is EventLine {
  return eventKinds.has(line.kind);
}
