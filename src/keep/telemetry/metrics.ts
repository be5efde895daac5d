/** Attributes of a measurement; undefined values are left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

interface Described {
  readonly name: string;
  readonly unit: string;
  readonly description: string;
}

/** The measurements of one set of attributes. */
export interface Point {
  readonly attributes: Attributes;
  readonly value: number;
}

/** How often values fell between the bounds; one count more than there are bounds. */
export interface HistogramPoint {
  readonly attributes: Attributes;
  readonly counts: readonly number[];
  readonly sum: number;
  readonly min: number;
  readonly max: number;
}

/** An instrument with what it has measured so far. */
export type Metric = Described &
  (
    | { readonly kind: 'counter'; readonly points: readonly Point[] }
    | { readonly kind: 'gauge'; readonly points: readonly Point[] }
    | { readonly kind: 'histogram'; readonly bounds: readonly number[]; readonly points: readonly HistogramPoint[] }
  );

/** Anything that can be read when it is time to send. */
export interface Instrument {
  read(): Metric | Promise<Metric>;
}

/** More than this would be a mistake, and costs memory here and money there. */
const mostSets = 1_000;
const overflow: Attributes = { 'otel.metric.overflow': true };

/** Values by their attributes; when there are too many sets, the rest is counted together. */
class Series<Value extends object> {
  readonly #make: () => Value;
  readonly #sets = new Map<string, { readonly attributes: Attributes; readonly value: Value }>();

  constructor(make: () => Value) {
    this.#make = make;
  }

  of(attributes: Attributes): Value {
    const key = keyOf(attributes);
    const existing = this.#sets.get(key);
    if (existing) return existing.value;
    if (this.#sets.size >= mostSets && attributes !== overflow) return this.of(overflow);
    const made = { attributes, value: this.#make() };
    this.#sets.set(key, made);
    return made.value;
  }

  get all() {
    return [...this.#sets.values()];
  }
}

function keyOf(attributes: Attributes): string {
  return JSON.stringify(Object.entries(attributes).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** A number that only grows. */
export class Counter implements Instrument {
  readonly #about: Described;
  readonly #series = new Series(() => ({ total: 0 }));

  constructor(about: Described) {
    this.#about = about;
  }

  add(amount: number, attributes: Attributes = {}): void {
    this.#series.of(attributes).total += amount;
  }

  read(): Metric {
    const points = this.#series.all.map(({ attributes, value }) => ({ attributes, value: value.total }));
    return { ...this.#about, kind: 'counter', points };
  }
}

/** How values are spread. */
export class Histogram implements Instrument {
  readonly #about: Described;
  readonly #bounds: readonly number[];
  readonly #series: Series<{ counts: number[]; sum: number; min: number; max: number }>;

  /** Bounds go up; a value that equals a bound belongs to the lower side. */
  constructor(about: Described, bounds: readonly number[]) {
    this.#about = about;
    this.#bounds = bounds;
    this.#series = new Series(() => ({
      counts: new Array<number>(bounds.length + 1).fill(0),
      sum: 0,
      min: Number.POSITIVE_INFINITY,
      max: Number.NEGATIVE_INFINITY,
    }));
  }

  record(value: number, attributes: Attributes = {}): void {
    const spread = this.#series.of(attributes);
    const index = this.#bounds.findIndex((bound) => value <= bound);
    const bucket = index === -1 ? this.#bounds.length : index;
    spread.counts[bucket] = (spread.counts[bucket] ?? 0) + 1;
    spread.sum += value;
    spread.min = Math.min(spread.min, value);
    spread.max = Math.max(spread.max, value);
  }

  read(): Metric {
    const points = this.#series.all.map(({ attributes, value }) => ({ attributes, ...value }));
    return { ...this.#about, kind: 'histogram', bounds: this.#bounds, points };
  }
}

/** A current value, read when metrics are sent. */
export class Gauge implements Instrument {
  readonly #about: Described;
  readonly #observe: () => readonly Point[] | Promise<readonly Point[]>;

  constructor(about: Described, observe: () => readonly Point[] | Promise<readonly Point[]>) {
    this.#about = about;
    this.#observe = observe;
  }

  async read(): Promise<Metric> {
    return { ...this.#about, kind: 'gauge', points: await this.#observe() };
  }
}
