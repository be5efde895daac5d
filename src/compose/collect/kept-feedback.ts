import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeOwnFolder } from '../../keep/store/open-store.ts';
import { type Feedback, feedbackSchema } from '../../load/collect/feedback.ts';
import { parseJson } from '../../shared/json.ts';
import { appendLine } from '../../shared/redacted-files.ts';
import { drawnOf, type Redact } from '../../shared/redaction/redaction.ts';

/** Labels of people for collected traces, in a file that only grows: one line each, durable when it is written. */
export class KeptFeedback {
  readonly #folder: string;

  constructor(projectFolder: string) {
    this.#folder = join(projectFolder, '.assay', 'collect');
  }

  async add(labels: readonly Feedback[], redact: Redact): Promise<void> {
    if (labels.length === 0) return;
    makeOwnFolder(this.#folder);
    const lines = drawnOf(labels, redact, (clean) => clean.map((label) => JSON.stringify(label)).join('\n'));
    await appendLine(this.#file, lines, true);
  }

  /** The last label of each person for each trace. */
  async read(): Promise<Feedback[]> {
    const text = await readFile(this.#file, 'utf8').catch(() => '');
    const labels = new Map<string, Feedback>();
    for (const line of text.split('\n')) {
      const parsed = feedbackSchema.safeParse(parseJson(line));
      if (parsed.success) labels.set(JSON.stringify([parsed.data.traceId, parsed.data.rater]), parsed.data);
    }
    return [...labels.values()];
  }

  get #file(): string {
    return join(this.#folder, 'feedback.jsonl');
  }
}
