import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isLiveStatus, type RunHeader } from '../../domain/run.ts';
import type { JudgedPair } from '../../report/compare/judged-pair.ts';
import { countPairs, type PairwiseCounts } from '../../report/compare/judged-pairs.ts';
import type { JudgedRanking } from '../../report/compare/judged-ranking.ts';
import { canonicalJson } from '../../shared/json.ts';
import { appendLine, writeWhole } from '../../shared/redacted-files.ts';
import { redactedText } from '../../shared/redaction/redacted.ts';
import { type Redact, redactedJson } from '../../shared/redaction/redaction.ts';

/** The sides that a judge compares: two runs, or variants of one. */
export interface JudgedRuns {
  readonly a: RunHeader;
  readonly b: RunHeader;
  /** The part of the variants that is compared; undefined for two runs. */
  readonly by: string | undefined;
}

/** First line of a file of pairs. */
interface Heading {
  readonly model: string;
  readonly server?: string | undefined;
  readonly promptVersion: string;
  /** Pairs that there are to judge. */
  readonly total: number;
}

/** Pairs that were judged so far. */
export interface KeptPairs {
  readonly heading: Heading;
  readonly judged: readonly JudgedPair[];
}

/**
 * Preferences of judges, as files of the project: they cost money, and a judging that was interrupted goes on where it
 * was. Of runs that have ended only, because others can change.
 */
export class KeptJudgings {
  readonly #folder: string;
  readonly #key: readonly unknown[];
  readonly #redact: Redact;

  private constructor(folder: string, key: readonly unknown[], redact: Redact) {
    this.#folder = folder;
    this.#key = key;
    this.#redact = redact;
  }

  /** Undefined while a run goes on. */
  static of(projectFolder: string, { a, b, by }: JudgedRuns, redact: Redact): KeptJudgings | undefined {
    if ([a, b].some(({ status, finishedAt }) => isLiveStatus(status) || finishedAt === null)) return undefined;
    const ofRun = ({ runId, finishedAt }: RunHeader) => [runId, finishedAt];
    return new KeptJudgings(join(projectFolder, '.assay', 'judged-pairs'), [ofRun(a), ofRun(b), by ?? null], redact);
  }

  /** Pairs of two sides; labels count for variants of a run only. */
  pairs(labelA: string, labelB: string): PairFile {
    const isOfVariants = this.#key.at(-1) !== null;
    return new PairFile(this.#path(isOfVariants ? [labelA, labelB] : [], 'jsonl'), this.#redact);
  }

  async readRanking(): Promise<JudgedRanking | undefined> {
    const text = await readFile(this.#path([], 'json'), 'utf8').catch(() => undefined);
    const found = text === undefined ? undefined : parsed<JudgedRanking>(text);
    return found?.schema === 'assay.ranking/1' ? found : undefined;
  }

  async writeRanking(ranking: JudgedRanking): Promise<void> {
    await writeWhole(this.#path([], 'json'), redactedJson(ranking, this.#redact));
  }

  #path(labels: readonly string[], extension: string): string {
    const name = createHash('sha256')
      .update(canonicalJson([...this.#key, ...labels]))
      .digest('hex');
    return join(this.#folder, `${name.slice(0, 32)}.${extension}`);
  }
}

/** The pairs of two sides: a heading, and a line for each pair; the last line about a pair counts. */
export class PairFile {
  readonly #path: string;
  readonly #redact: Redact;

  constructor(path: string, redact: Redact) {
    this.#path = path;
    this.#redact = redact;
  }

  async read(): Promise<KeptPairs | undefined> {
    const text = await readFile(this.#path, 'utf8').catch(() => '');
    const [first = '', ...lines] = text.split('\n');
    const heading = parsed<Heading>(first);
    if (heading === undefined) return undefined;
    const judged = new Map<string, JudgedPair>();
    // A line that a crash cut off is not judged.
    for (const pair of lines.flatMap((line) => parsed<JudgedPair>(line) ?? [])) judged.set(pairKey(pair), pair);
    return { heading, judged: [...judged.values()] };
  }

  /** The counts, once every pair was judged. */
  async readCounts(): Promise<PairwiseCounts | undefined> {
    const kept = await this.read();
    return kept && kept.judged.length >= kept.heading.total ? countPairs(kept.judged, kept.heading) : undefined;
  }

  /** Begins, or goes on where the same judge stopped: gives the pairs that it has judged, by their keys. */
  async begin(heading: Heading, isAfresh: boolean): Promise<ReadonlyMap<string, JudgedPair>> {
    const kept = isAfresh ? undefined : await this.read();
    const written = redactedJson(heading, this.#redact);
    const isSame = kept !== undefined && canonicalJson(kept.heading) === canonicalJson(JSON.parse(written));
    if (!isSame) await writeWhole(this.#path, redactedText`${written}\n`);
    // Pairs that could not be judged are tried again.
    const judged = isSame ? kept.judged.filter(({ winner }) => winner !== 'not-judged') : [];
    return new Map(judged.map((pair) => [pairKey(pair), pair]));
  }

  async add(pair: JudgedPair): Promise<void> {
    await appendLine(this.#path, redactedJson(pair, this.#redact));
  }
}

/** A pair of trials, whichever the sides are called. */
export function pairKey({ trialA, trialB }: Pick<JudgedPair, 'trialA' | 'trialB'>): string {
  return `${trialA} ${trialB}`;
}

function parsed<Value>(text: string): Value | undefined {
  try {
    return JSON.parse(text) as Value;
  } catch {
    return undefined;
  }
}
