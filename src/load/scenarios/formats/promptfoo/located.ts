import type { FilePosition } from '../../../../domain/errors.ts';
import type { Problem } from '../../../../domain/problem.ts';
import { isRecord } from '../../../../shared/json.ts';
import { didYouMean } from '../../../../shared/suggest.ts';
import type { DataPath, ParsedSource } from '../../../sources/parsed-source.ts';
import type { ReadContext } from '../../scenario-format.ts';
import type { Findings } from '../tolerant-parse.ts';

/** A config that is being read, with the files that it names. */
export interface PromptfooReading {
  readonly source: ParsedSource;
  readonly context: ReadContext;
  readonly found: Findings;
  /** Absolute: further files that were read. */
  readonly files: Set<string>;
  /** Where given, tests with problems are left out and their problems are put here; otherwise they refuse the config. */
  readonly leftOut?: Problem[] | undefined;
}

/** Runs a step for one test; false where the test is left out because of its problems. */
export async function isKept({ found, leftOut }: PromptfooReading, step: () => Promise<void> | void): Promise<boolean> {
  const before = found.problems.length;
  await step();
  if (!leftOut || found.problems.length === before) return true;
  leftOut.push(...found.problems.splice(before));
  return false;
}

/** A value of a file with its position. */
export class Located {
  readonly value: unknown;
  readonly source: ParsedSource;
  readonly path: DataPath;

  constructor(value: unknown, source: ParsedSource, path: DataPath = []) {
    this.value = value;
    this.source = source;
    this.path = path;
  }

  get at(): FilePosition {
    return this.source.locate(this.path);
  }

  get text(): string | undefined {
    return typeof this.value === 'string' ? this.value : undefined;
  }

  /** The text, or the JSON of anything else. */
  get written(): string {
    return this.text ?? JSON.stringify(this.value) ?? '';
  }

  get isMissing(): boolean {
    return this.value === undefined || this.value === null;
  }

  get(key: string): Located {
    const value = isRecord(this.value) ? this.value[key] : undefined;
    return new Located(value, this.source, [...this.path, key]);
  }

  entries(): [string, Located][] {
    return isRecord(this.value) ? Object.keys(this.value).map((key) => [key, this.get(key)]) : [];
  }

  /** The elements of a list; a single value is a list of one, and a missing one of none. */
  items(): Located[] {
    if (this.isMissing) return [];
    if (!Array.isArray(this.value)) return [this];
    return this.value.map((item, index) => new Located(item, this.source, [...this.path, index]));
  }

  keyAt(key: string): FilePosition {
    return this.source.locateKey(this.path, key);
  }

  /** Position of a character of the text, from 1. */
  characterAt(character: number): FilePosition {
    return this.source.locateInString(this.path, character);
  }

  problem(message: string, hint?: string): Problem {
    return { at: this.at, message, hint };
  }
}

/** Refuses keys that are not supported: a part of a test that is left out could make it pass. */
export function refuseOtherKeys(
  item: Located,
  supported: readonly string[],
  where: string,
  { found }: PromptfooReading,
): void {
  for (const [key, { isMissing }] of item.entries()) {
    if (supported.includes(key) || isMissing) continue;
    const message = `\`${key}\` ${where} has no equal in Assay`;
    const hint = didYouMean(key, supported) ?? 'Remove it to run the rest of the file.';
    found.problems.push({ at: item.keyAt(key), message, hint });
  }
}
