import type { Kysely } from 'kysely';
import { unpackLines } from './pack.ts';
import type { Tables } from './tables.ts';
import { corrupt } from './trial-row.ts';

/** Reads single lines of packs; neighbours usually share a pack, so the last few stay unpacked. */
export class PackReader {
  readonly #db: Kysely<Tables>;
  readonly #openPacks: number;
  readonly #unpacked = new Map<number, readonly string[]>();

  constructor(db: Kysely<Tables>, openPacks = 4) {
    this.#db = db;
    this.#openPacks = openPacks;
  }

  async line(packId: number, slot: number): Promise<string> {
    const lines = this.#unpacked.get(packId) ?? (await this.#unpack(packId));
    const line = lines[slot];
    if (line === undefined) throw corrupt(`pack ${packId}`);
    return line;
  }

  async #unpack(packId: number): Promise<readonly string[]> {
    const row = await this.#db
      .selectFrom('packs')
      .select(['body', 'checksum'])
      .where('pack_id', '=', packId)
      .executeTakeFirst();
    const lines = row && (await unpackLines({ body: new Uint8Array(row.body), checksum: Number(row.checksum) }));
    if (!lines) throw corrupt(`pack ${packId}`);
    const oldest = this.#unpacked.keys().next().value;
    if (this.#unpacked.size >= this.#openPacks && oldest !== undefined) this.#unpacked.delete(oldest);
    this.#unpacked.set(packId, lines);
    return lines;
  }
}
