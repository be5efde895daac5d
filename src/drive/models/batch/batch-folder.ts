import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { parseJson } from '../../../shared/json.ts';
import { writeWhole } from '../../../shared/redacted-files.ts';
import { type Redact, redactedJson } from '../../../shared/redaction/redaction.ts';

const replySchema = z.object({ status: z.number(), body: z.string() });
/** The answer to one request of a batch, as the provider would have given it to a single request. */
export type BatchedReply = z.infer<typeof replySchema>;

const submissionSchema = z.object({
  id: z.string().describe('chosen here, so a batch is found again whose id never arrived'),
  provider: z.string(),
  keys: z.array(z.string()).describe('of its requests'),
  sentAt: z.number(),
  batchId: z.string().nullable().describe('of the provider; null: it was being sent when the process ended'),
  isDone: z.boolean(),
});
export type Submission = z.infer<typeof submissionSchema>;

/** The batches of a run and their replies, as files; nothing in it holds a prompt or a secret. */
export class BatchFolder {
  readonly #folder: string;
  readonly #redact: Redact;

  constructor(folder: string, redact: Redact) {
    this.#folder = folder;
    this.#redact = redact;
  }

  async readReply(key: string): Promise<BatchedReply | undefined> {
    return read(join(this.#folder, 'replies', `${key}.json`), replySchema);
  }

  async writeReply(key: string, reply: BatchedReply): Promise<void> {
    await this.#write('replies', key, reply);
  }

  /** Lets requests be sent again that a batch did not answer. */
  async forgetFailures(): Promise<void> {
    const folder = join(this.#folder, 'replies');
    for (const name of await readdir(folder).catch(() => [])) {
      const reply = await read(join(folder, name), replySchema);
      if (!reply || reply.status >= 400) await rm(join(folder, name), { force: true });
    }
  }

  async submissions(): Promise<Submission[]> {
    const folder = join(this.#folder, 'submissions');
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
    const found = await Promise.all(names.sort().map((name) => read(join(folder, name), submissionSchema)));
    return found.filter((submission) => submission !== undefined);
  }

  async saveSubmission(submission: Submission): Promise<void> {
    await this.#write('submissions', submission.id, submission);
  }

  /** For one that the provider certainly did not take. */
  async removeSubmission({ id }: Submission): Promise<void> {
    await rm(join(this.#folder, 'submissions', `${id}.json`), { force: true });
  }

  async #write(kind: string, name: string, value: unknown): Promise<void> {
    await writeWhole(join(this.#folder, kind, `${name}.json`), redactedJson(value, this.#redact));
  }
}

async function read<Schema extends z.ZodType>(file: string, schema: Schema): Promise<z.output<Schema> | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : schema.safeParse(parseJson(text)).data;
}
