/** The walk as the rules of a schema see it. */
export interface Walk {
  /** Whether a schema allows a value. */
  accepts(schema: unknown, seen: Seen): boolean;
  /** The schema that a reference in a schema leads to. */
  referred(ref: string, from: Readonly<Record<string, unknown>>, kind: ReferenceKind): unknown;
  /** Whether a pattern of the schema occurs in a text. */
  matches(pattern: string, text: string): boolean;
  /** Throws when there is nothing left to spend. */
  spend(steps: number): void;
}

/** `$ref`, `$dynamicRef`, and the `$recursiveRef` of 2019-09. */
export type ReferenceKind = 'static' | 'dynamic' | 'recursive';

/** Decides one keyword of a schema, and reports problems. */
export type Rule = (wanted: never, seen: Seen, schema: Readonly<Record<string, unknown>>, walk: Walk) => boolean;

export type Rules = Readonly<Record<string, Rule>>;

const maxProblems = 10;

type Place = string | number;

/** A value inside of the data, and where its problems are reported. */
export class Seen {
  readonly value: unknown;
  readonly depth: number;
  readonly #place: Place | undefined;
  readonly #around: Seen | undefined;
  readonly #problems: string[] | undefined;
  /** The names or indices of parts that the schema evaluated; undefined where no keyword asks for them. */
  readonly evaluated: Set<string | number> | undefined;

  private constructor(value: unknown, problems: string[] | undefined, tracks: boolean, around?: Seen, place?: Place) {
    this.value = value;
    this.depth = around ? around.depth + 1 : 0;
    this.evaluated = tracks ? new Set() : undefined;
    this.#place = place;
    this.#around = around;
    this.#problems = problems;
  }

  static whole(value: unknown, problems: string[], tracksEvaluated: boolean): Seen {
    return new Seen(value, problems, tracksEvaluated);
  }

  /** Without reasons: the first problem decides. */
  get isSilent(): boolean {
    return this.#problems === undefined || this.#problems.length >= maxProblems;
  }

  /** A part of the value. */
  part(place: Place, value: unknown): Seen {
    return new Seen(value, this.#problems, this.evaluated !== undefined, this, place);
  }

  /** The same value for another schema. */
  again(): Seen {
    return new Seen(this.value, this.#problems, this.evaluated !== undefined, this);
  }

  /** The same value for a schema that may well not fit. */
  quietly(): Seen {
    return new Seen(this.value, undefined, this.evaluated !== undefined, this);
  }

  /** Whether a further schema allows the same value; if so, the parts that it evaluated are evaluated here too. */
  alsoFits(schema: unknown, walk: Walk, again: Seen = this.again()): boolean {
    if (!walk.accepts(schema, again)) return false;
    for (const part of again.evaluated ?? []) this.evaluated?.add(part);
    return true;
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
