import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, crc32 } from 'node:zlib';
import type { Kysely } from 'kysely';
import type { FinishedTrial } from '../store.ts';
import type { Tables } from './tables.ts';
import { corrupt, findingsLine } from './trial-row.ts';

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** Raw size at which a pack is closed, so reading one trial never unpacks much more than this. */
const packRawLimit = 1_000_000;

/** Two fifths less to store than with Deflate, in the same time. A larger window costs memory. */
const compression = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 16 } };

/** Compressed bytes and their checksum, as a row holds them. */
interface Pack {
  readonly body: Uint8Array;
  readonly checksum: number;
}

/** Packs documents, one JSON line each; the line number is the slot. */
async function packLines(lines: readonly string[]): Promise<Pack> {
  const body = await compress(Buffer.from(lines.join('\n')), compression);
  return { body, checksum: crc32(body) };
}

/** The lines of a pack, or undefined when its bytes are not those that were written. */
async function unpackLines({ body, checksum }: Pack): Promise<string[] | undefined> {
  if (crc32(body) !== checksum) return undefined;
  const text = await decompress(body);
  return text.toString('utf8').split('\n');
}

/** Reads single lines of packs; neighbours usually share a pack, so the last few stay unpacked. */
export class PackReader {
  readonly #db: Kysely<Tables>;
  readonly #openPacks: number;
  /** Readers that want a pack at the same time wait for the same lines. */
  readonly #unpacked = new Map<number, Promise<readonly string[]>>();

  constructor(db: Kysely<Tables>, openPacks = 4) {
    this.#db = db;
    this.#openPacks = openPacks;
  }

  async line(packId: number, slot: number): Promise<string> {
    const line = (await this.#linesOf(packId))[slot];
    if (line === undefined) throw corrupt(`pack ${packId}`);
    return line;
  }

  #linesOf(packId: number): Promise<readonly string[]> {
    const unpacked = this.#unpacked.get(packId);
    if (unpacked) return unpacked;
    const lines = this.#unpack(packId);
    this.#unpacked.set(packId, lines);
    lines.catch(() => this.#unpacked.delete(packId));
    const oldest = this.#unpacked.keys().next().value;
    if (this.#unpacked.size > this.#openPacks && oldest !== undefined) this.#unpacked.delete(oldest);
    return lines;
  }

  async #unpack(packId: number): Promise<readonly string[]> {
    const row = await this.#db
      .selectFrom('packs')
      .select(['body', 'checksum'])
      .where('pack_id', '=', packId)
      .executeTakeFirst();
    const lines = row && (await unpackLines({ body: new Uint8Array(row.body), checksum: Number(row.checksum) }));
    if (!lines) throw corrupt(`pack ${packId}`);
    return lines;
  }
}

/** Trials of one run with their documents, ready to be stored. */
export interface PackedTrials<Trial extends FinishedTrial = FinishedTrial> {
  readonly trials: readonly Trial[];
  readonly findings: Pack;
  readonly traces: Pack;
}

/** Compresses the documents of trials; done before a transaction begins, so no writer waits for it. */
export async function packTrials<Trial extends FinishedTrial>(
  trials: readonly Trial[],
): Promise<PackedTrials<Trial>[]> {
  const groups: Promise<PackedTrials<Trial>>[] = [];
  let members: Trial[] = [];
  let findings: string[] = [];
  let traces: string[] = [];
  let rawSize = 0;
  const close = () => {
    if (members.length > 0) groups.push(packGroup(members, findings, traces));
    [members, findings, traces, rawSize] = [[], [], [], 0];
  };
  for (const trial of trials) {
    const findingsText = findingsLine(trial.record);
    const traceText = JSON.stringify(trial.trace);
    const size = findingsText.length + traceText.length;
    // A pack belongs to one run, so removing a run removes no other run's documents.
    if (rawSize + size > packRawLimit || trial.record.runId !== members[0]?.record.runId) close();
    members.push(trial);
    findings.push(findingsText);
    traces.push(traceText);
    rawSize += size;
  }
  close();
  return Promise.all(groups);
}

async function packGroup<Trial extends FinishedTrial>(
  trials: readonly Trial[],
  findingLines: readonly string[],
  traceLines: readonly string[],
): Promise<PackedTrials<Trial>> {
  const [findings, traces] = await Promise.all([packLines(findingLines), packLines(traceLines)]);
  return { trials, findings, traces };
}
