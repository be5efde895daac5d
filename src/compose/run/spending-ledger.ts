import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { RunSpending } from '../../domain/run.ts';
import type { SpendingLedger } from '../../drive/models/spending.ts';

/**
 * The requests of a run to models, as a file that is written before each request and after each answer: a process that is killed takes
 * nothing along. The page cache keeps what a dead process wrote, so no write waits for the disk.
 */
export class LedgerFile implements SpendingLedger, Disposable {
  #file: number | undefined;
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
    this.#write(`+${id} ${mostUsd}\n`);
    return (usd) => this.#write(`=${id} ${usd ?? '?'}\n`);
  }

  /** Spending of all processes of the run so far. */
  async read(): Promise<RunSpending> {
    return spendingIn(this.#path === undefined ? '' : await readFile(this.#path, 'utf8').catch(() => ''));
  }

  [Symbol.dispose](): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #write(line: string): void {
    // Models that are tried without a run are in no ledger.
    if (this.#path === undefined) return;
    if (this.#file === undefined) {
      mkdirSync(dirname(this.#path), { recursive: true });
      this.#file = openSync(this.#path, 'a', 0o600);
    }
    writeSync(this.#file, line);
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
