import { setTimeout as sleep } from 'node:timers/promises';

/** How a database that went away is waited for. */
export interface Patience {
  readonly signal: AbortSignal;
  /** Told once when the database is lost, and once when it is back. */
  tell(message: string): void;
}

const shortestWaitMs = 50;
const longestWaitMs = 2_000;
/** What passes sooner is nobody's concern. */
const toldWaitMs = 400;

/**
 * Does something with the database, again and again while the database cannot be reached: it may be restarted at any
 * time. Whatever is wrong besides that is thrown. The work must be harmless when it is done twice.
 */
export async function patiently<Result>({ signal, tell }: Patience, work: () => Promise<Result>): Promise<Result> {
  let waitMs = 0;
  let isTold = false;
  for (;;) {
    try {
      const result = await work();
      if (isTold) tell('The database answers again.');
      return result;
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error;
      waitMs = Math.min(Math.max(waitMs * 2, shortestWaitMs), longestWaitMs);
      if (!isTold && waitMs >= toldWaitMs) {
        isTold = true;
        tell(`The database cannot be reached, waiting for it: ${messageOf(error)}`);
      }
      await sleep(waitMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
    }
  }
}

const passingCodes =
  /^(08...|57P0.|40001|40P01|53300|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOENT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/;
const passingTexts =
  /Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Client was closed/;

/** True for what goes away by itself: a lost connection, a starting server, two transactions that met. */
export function isPassing(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string' && passingCodes.test(at.code)) return true;
    if (passingTexts.test(at.message)) return true;
    if (at instanceof AggregateError && at.errors.some(isPassing)) return true;
  }
  return false;
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n')[0] ?? '';
}
