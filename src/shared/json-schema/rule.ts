/** What the rules of a schema can ask of the walk that they are part of. */
export interface Walk {
  /** Whether a schema allows a value. */
  accepts(schema: unknown, seen: Seen): boolean;
  /** The schema that a reference leads to. */
  referred(ref: string): unknown;
  /** Whether a pattern of the schema occurs in a text. */
  matches(pattern: string, text: string): boolean;
  /** Throws when there is nothing left to spend. */
  spend(steps: number): void;
}

/** Decides one keyword of a schema, and tells what is wrong. */
export type Rule = (wanted: never, seen: Seen, schema: Readonly<Record<string, unknown>>, walk: Walk) => boolean;

export type Rules = Readonly<Record<string, Rule>>;

const maxProblems = 10;

/** A value inside of the data, and where problems with it are told. */
export class Seen {
  readonly value: unknown;
  readonly depth: number;
  readonly #place: string | number | undefined;
  readonly #around: Seen | undefined;
  readonly #problems: string[] | undefined;

  constructor(value: unknown, problems: string[] | undefined, around?: Seen, place?: string | number) {
    this.value = value;
    this.depth = around ? around.depth + 1 : 0;
    this.#place = place;
    this.#around = around;
    this.#problems = problems;
  }

  /** Nobody wants to know why: the first thing that is wrong decides. */
  get isSilent(): boolean {
    return this.#problems === undefined || this.#problems.length >= maxProblems;
  }

  /** A part of the value. */
  part(place: string | number, value: unknown): Seen {
    return new Seen(value, this.#problems, this, place);
  }

  /** The same value for another schema. */
  again(): Seen {
    return new Seen(this.value, this.#problems, this);
  }

  /** The same value for a schema that may well not fit. */
  quietly(): Seen {
    return new Seen(this.value, undefined, this);
  }

  fails(problem: string): false {
    if (!this.isSilent) this.#problems?.push(`${this.#where()}: ${problem}`);
    return false;
  }

  #where(): string {
    const around = this.#around === undefined ? '$' : this.#around.#where();
    if (this.#place === undefined) return around;
    const isPlain = typeof this.#place === 'string' && /^[A-Za-z_]\w*$/.test(this.#place);
    return isPlain ? `${around}.${this.#place}` : `${around}[${JSON.stringify(this.#place)}]`;
  }
}
