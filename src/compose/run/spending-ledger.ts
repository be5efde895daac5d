import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunSpending } from '../../domain/run.ts';
import type { SpendingLedger } from '../../drive/models/spending.ts';
import { GrowingFile } from '../../shared/redacted-files.ts';
import { type Redacted, redactedText } from '../../shared/redaction/redacted.ts';

/**
 * The requests of a run to models, as a file that is written before each request and after each answer: a process that is killed takes
 * nothing along. The page cache keeps what a dead process wrote, so no write waits for the disk.
 */
export class LedgerFile implements SpendingLedger, Disposable {
  #file: GrowingFile | undefined;
  #path: string | undefined;
  #count = 0;

  /** Goes on with what earlier processes of the run wrote, and gives it. */
  async open(projectFolder: string, runId: string): Promise<RunSpending> {
    const path = join(projectFolder, '.assay', 'spending', runId);
    const earlier = spendingIn(await readFile(path, 'utf8').catch(() => ''));
    this.#count = earlier.requests;
    this.#path = path;
    return earlier;
  }

  begin(mostUsd: number): (usd: number | null | 'unsent') => void {
    const id = this.#count++;
    this.#write(redactedText`+${id} ${mostUsd}\n`);
    return (usd) =>
      this.#write(redactedText`=${id} ${usd === 'unsent' ? redactedText`unsent` : (usd ?? redactedText`?`)}\n`);
  }

  /** Spending of all processes of the run so far. */
  async read(): Promise<RunSpending> {
    return spendingIn(this.#path === undefined ? '' : await readFile(this.#path, 'utf8').catch(() => ''));
  }

  [Symbol.dispose](): void {
    this.#file?.[Symbol.dispose]();
    this.#file = undefined;
  }

  #write(line: Redacted): void {
    // Models that are tried without a run are in no ledger.
    if (this.#path === undefined) return;
    this.#file ??= GrowingFile.continue(this.#path);
    this.#file.write(line);
  }
}

/** Sums up a ledger; a last line that was cut counts as not written. */
function spendingIn(text: string): RunSpending {
  const open = new Map<string, number>();
  const sums = { requests: 0, unanswered: 0, costUsd: 0, mostUnknownUsd: 0 };
  for (const [, sign, id = '', amount = ''] of text.matchAll(/^([+=])(\d+) (\S+)\n/gm)) {
    const mostUsd = open.get(id) ?? 0;
    if (sign === '+') {
      open.set(id, Number(amount));
      sums.requests++;
      continue;
    }
    open.delete(id);
    if (amount === 'unsent') sums.requests--;
    else if (amount === '?') {
      sums.unanswered++;
      sums.mostUnknownUsd += mostUsd;
    } else sums.costUsd += Number(amount);
  }
  for (const mostUsd of open.values()) {
    sums.unanswered++;
    sums.mostUnknownUsd += mostUsd;
  }
  return sums;
}
