import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { TrialRecord } from '../../../domain/record.ts';
import { eachTracedTrial, type Store } from '../../../keep/store/store.ts';
import { mapTexts } from '../../../shared/json.ts';
import { cutMiddle } from '../../../shared/text.ts';
import type { StoredRun } from '../reporter.ts';
import type { ReportedDetail } from './report-document.ts';

/** Longest text of one field; a longer one keeps its beginning and its end. */
const longestText = 64_000;

/** The same value with every very long text cut in its middle; the cut says how much is missing. */
export function withShortTexts<Value>(value: Value): Value {
  return mapTexts(value, (text) => cutMiddle(text, longestText)) as Value;
}

const compress = promisify(gzip);

/** Small enough to be unpacked in a moment, large enough for like trials to share their words. */
const chunkCharacters = 256_000;

/** How large the details may get, in characters of the page. */
export interface DetailBudget {
  /** From here on trials that passed come without their trace. */
  readonly passingTraces: number;
  /** From here on they come without anything but their row. */
  readonly passingRecords: number;
}

/** Keeps a page with traces of any size below about 60 MB unless failures alone take more. */
const detailBudget: DetailBudget = { passingTraces: 32_000_000, passingRecords: 48_000_000 };

/** Trials that are unpacked together: their ordinals, and their details as base64 of gzipped JSON lines. */
export interface DetailChunk {
  readonly ordinals: readonly number[];
  /** How many of them come with their trace. */
  readonly traces: number;
  readonly body: string;
}

/** Trials that did not pass come first and whole; those that passed come as long as there is room. */
export async function* detailChunks(
  { store, summary }: StoredRun,
  budget: DetailBudget = detailBudget,
): AsyncGenerator<DetailChunk, void> {
  const packer = new DetailPacker();
  for (const [outcomes, isAlwaysWhole] of [
    [['fail', 'error'], true],
    [['pass', 'skipped'], false],
  ] as const) {
    for await (const { record, readTrace } of eachTracedTrial(store, summary.run.runId, outcomes)) {
      if (!isAlwaysWhole && packer.size >= budget.passingRecords) break;
      const hasTrace = isAlwaysWhole || packer.size < budget.passingTraces;
      yield* packer.add(record, hasTrace ? await readTrace() : null);
    }
  }
  yield* packer.end();
}

/** Details of trials beside those of the run, as long as there is room. */
export async function* detailChunksOf(
  records: readonly TrialRecord[],
  store: Store,
  mostCharacters = 8_000_000,
): AsyncGenerator<DetailChunk, void> {
  const packer = new DetailPacker();
  for (const record of records) {
    if (packer.size >= mostCharacters) break;
    yield* packer.add(record, (await store.readTrace(record.trialId)) ?? []);
  }
  yield* packer.end();
}

/** How much smaller details get, for a chunk that is still open. */
const expectedRatio = 4;

/** Gives out chunks as they are full. */
class DetailPacker {
  #ordinals: number[] = [];
  #lines: string[] = [];
  #characters = 0;
  #traces = 0;
  #written = 0;

  /** About how many characters of the page the details take. */
  get size(): number {
    return this.#written + this.#characters / expectedRatio;
  }

  async *add(record: TrialRecord, trace: ReportedDetail['trace']): AsyncGenerator<DetailChunk, void> {
    const detail: ReportedDetail = { record, trace };
    const whole = JSON.stringify(detail);
    const line = whole.length <= shortEnough ? whole : JSON.stringify(withShortTexts(detail));
    this.#ordinals.push(record.ordinal);
    if (trace) this.#traces++;
    this.#lines.push(line);
    this.#characters += line.length;
    if (this.#characters >= chunkCharacters) yield* this.end();
  }

  async *end(): AsyncGenerator<DetailChunk, void> {
    if (this.#lines.length === 0) return;
    const packed = await compress(Buffer.from(this.#lines.join('\n')), { level: 5 });
    const chunk = { ordinals: this.#ordinals, traces: this.#traces, body: packed.toString('base64') };
    this.#written += chunk.body.length;
    [this.#ordinals, this.#lines, this.#characters, this.#traces] = [[], [], 0, 0];
    yield chunk;
  }
}

/** No single text in so short a document can be too long. */
const shortEnough = 64_000;
