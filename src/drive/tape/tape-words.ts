import { isRecord } from '../../shared/json.ts';
import type { Clean } from '../../shared/redaction/redaction.ts';
import { redactDeep } from '../../shared/redaction/redaction.ts';
import { type Replacement, replaced, type TrialFolders, TrialPaths } from './trial-paths.ts';

/** Data as it is recorded. */
interface Written<Value> {
  readonly value: Value;
  /** Whether it lost a secret, so it is not exactly what passed. */
  readonly isMasked: boolean;
}

/** Exchanges what belongs to one trial or machine for what a recording keeps: names of folders, and no secrets. */
export class TapeWords {
  readonly #paths: TrialPaths;
  readonly #redact: Clean;

  constructor(folders: TrialFolders, redact: Clean) {
    this.#paths = new TrialPaths(folders);
    this.#redact = redact;
  }

  written<Value>(value: Value): Written<Value> {
    const named = withTexts(value, this.#paths.toNames);
    const clean = redactDeep(named, this.#redact);
    return { value: clean, isMasked: clean !== named };
  }

  /** Recorded data as it is in this trial. */
  read<Value>(value: Value): Value {
    return withTexts(value, this.#paths.toFolders);
  }
}

/** The same data with parts of its texts and keys replaced. */
function withTexts<Value>(value: Value, replacement: Replacement): Value {
  const of = (part: unknown): unknown => {
    if (typeof part === 'string') return replaced(part, replacement);
    if (Array.isArray(part)) return part.map(of);
    if (!isRecord(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [replaced(key, replacement), of(inner)]));
  };
  return of(value) as Value;
}
