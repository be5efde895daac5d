import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { makeOwnFolder } from '../../keep/store/open-store.ts';
import { parseJson } from '../../shared/json.ts';
import { writeWhole } from '../../shared/redacted-files.ts';
import { type Redact, redactedJson } from '../../shared/redaction/redaction.ts';
import { webhookEvents } from '../config/webhook-config.ts';

const deliverySchema = z.strictObject({
  id: z.string().min(1).describe('the same at each attempt, so a receiver can recognise repetitions'),
  event: z.enum(webhookEvents),
  webhook: z.string().describe('SHA-256 of its URL as the config has it, which may be a secret'),
  host: z.string(),
  body: z.string(),
  createdAt: z.number(),
  attempts: z.int().min(0),
  lastFailure: z.string().nullable(),
});
/** An event that was not yet taken by its webhook. */
export type Delivery = z.infer<typeof deliverySchema>;

const mostDeliveries = 100;

/** Deliveries that wait, one file each, so they outlive the process that made them. */
export class Outbox {
  readonly #folder: string;

  constructor(projectFolder: string) {
    makeOwnFolder(join(projectFolder, '.assay'));
    this.#folder = join(projectFolder, '.assay', 'webhooks');
  }

  /** The oldest first; files that cannot be read are left out. */
  async read(): Promise<Delivery[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const found: Delivery[] = [];
    for (const name of names.filter((each) => each.endsWith('.json'))) {
      const text = await readFile(join(this.#folder, name), 'utf8').catch(() => '');
      const parsed = deliverySchema.safeParse(parseJson(text));
      if (parsed.success) found.push(parsed.data);
    }
    return found.sort((a, b) => a.createdAt - b.createdAt);
  }

  async write(delivery: Delivery, redact: Redact): Promise<void> {
    await writeWhole(this.#file(delivery), redactedJson(delivery, redact));
  }

  async remove(delivery: Delivery): Promise<void> {
    await rm(this.#file(delivery), { force: true });
  }

  /** Removes the oldest beyond the limit, and returns them. */
  async trim(): Promise<Delivery[]> {
    const all = await this.read();
    const dropped = all.slice(0, Math.max(0, all.length - mostDeliveries));
    for (const delivery of dropped) await this.remove(delivery);
    return dropped;
  }

  #file({ id, webhook }: Delivery): string {
    const key = createHash('sha256').update(`${webhook}\n${id}`).digest('hex').slice(0, 32);
    return join(this.#folder, `${key}.json`);
  }
}
