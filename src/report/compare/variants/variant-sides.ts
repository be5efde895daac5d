import type { TrialRecord } from '../../../domain/record.ts';
import { type Variant, variantParts } from '../../../domain/variant.ts';
import { finishSidesBy, type ReadSide, SideCollector, type SideSource } from '../side-collector.ts';

type Part = keyof Variant;

/** Trials of all sides together: those of more take much memory. */
const mostOfSides = 250_000;
/** Every variant of a usual run is among so many trials of its plan. */
const mostFirst = 200;

/** Takes the trials of a run in the order of its plan, and keeps its sides by each part in which its variants differ. */
export class VariantSides {
  readonly #mostParts: number;
  readonly #byPart = new Map<Part, Map<string, SideCollector>>();
  /** Undefined where it is known which parts differ, or too late to collect by a further one. */
  #first: TrialRecord[] | undefined;

  /** `parts`: those that differ, where that is known before the first trial. */
  constructor(planned: number, parts?: readonly Part[]) {
    this.#mostParts = Math.floor(mostOfSides / Math.max(planned, 1));
    for (const part of (parts ?? []).slice(0, this.#mostParts)) this.#byPart.set(part, new Map());
    this.#first = parts ? undefined : [];
  }

  get parts(): readonly Part[] {
    return [...this.#byPart.keys()];
  }

  /** Whether its memory is used up. */
  get isFull(): boolean {
    return this.#byPart.size >= this.#mostParts;
  }

  add(record: TrialRecord): void {
    for (const [part, collectors] of this.#byPart) addTo(collectors, part, record);
    if (this.#first) this.#addFirst(record, this.#first);
  }

  #addFirst(record: TrialRecord, first: TrialRecord[]): void {
    first.push(record);
    const [{ variant }] = first as [TrialRecord];
    for (const part of variantParts) {
      if (record.variant[part] === variant[part] || this.#byPart.has(part) || this.isFull) continue;
      const collectors = new Map<string, SideCollector>();
      for (const earlier of first) addTo(collectors, part, earlier);
      this.#byPart.set(part, collectors);
    }
    if (first.length === mostFirst) this.#first = undefined;
  }

  /** The sides by a part, in the order in which their trials came. */
  async finish(part: Part, source: Omit<SideSource, 'trials'>): Promise<readonly ReadSide[]> {
    return [...(await finishSidesBy(this.#byPart.get(part) ?? new Map(), source, part)).values()];
  }
}

function addTo(collectors: Map<string, SideCollector>, part: Part, record: TrialRecord): void {
  const value = record.variant[part] ?? '';
  const collector = collectors.get(value) ?? new SideCollector();
  collectors.set(value, collector);
  collector.add(record);
}
