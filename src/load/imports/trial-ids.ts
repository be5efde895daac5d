import { contentKey } from '../../shared/ids.ts';
import { canonicalJson } from '../../shared/json.ts';
import type { ImportedTrial } from './import-format.ts';

/** A trial of an import by its id: the first with it, the same again, or one that contradicts another. */
type Standing = 'first' | 'again' | 'contradicted';

/** Finds trials that the files of an import hold twice. */
export class TrialIds {
  readonly #contents = new Map<string, string>();
  readonly #contradicted: Set<string>;

  /** `before` knows the contradictions, which are found only when all files were read. */
  constructor(before?: TrialIds) {
    this.#contradicted = before ? before.#contradicted : new Set();
  }

  standingOf({ line: _, ...trial }: ImportedTrial, format: string): Standing {
    if (trial.id === undefined) return 'first';
    const key = `${format} ${trial.id}`;
    const content = contentKey([canonicalJson(trial)]);
    const earlier = this.#contents.get(key);
    if (earlier === content) return 'again';
    if (earlier === undefined) this.#contents.set(key, content);
    else this.#contradicted.add(key);
    return this.#contradicted.has(key) ? 'contradicted' : 'first';
  }
}

/** A trial whose id stands for another one as well: it is unknown which of them happened. */
export function contradictedTrial({ fault: _, ...trial }: ImportedTrial): ImportedTrial {
  return { ...trial, verdict: { state: 'error', reason: contradictedReason(trial) } };
}

export function contradictedReason({ id }: Pick<ImportedTrial, 'id'>): string {
  return `the id ${id} stands for several trials that differ`;
}
