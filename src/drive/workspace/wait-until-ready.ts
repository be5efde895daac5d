import { setTimeout as delay } from 'node:timers/promises';
import { AssayError } from '../../domain/errors.ts';
import { formatDuration } from '../../shared/format.ts';
import type { Readiness } from './service-spec.ts';

/** Checks are made more often than their interval says: a trial need not wait for the next one. */
const longestPauseMs = 500;

/** Runs a check; gives what it printed where it failed. */
type Check = (command: readonly [string, ...string[]], timeoutMs: number) => Promise<string | undefined>;

/** Returns when something is ready; throws where it is not within the time that its checks may take. */
export async function waitUntilReady(
  subject: string,
  { command, intervalSecs, timeoutSecs, startPeriodSecs, retries }: Readiness,
  check: Check,
  signal?: AbortSignal,
): Promise<void> {
  const argv = typeof command === 'string' ? (['/bin/sh', '-c', command] as const) : (command as [string, ...string[]]);
  const limitMs = 1_000 * (startPeriodSecs + retries * intervalSecs);
  const endsAt = performance.now() + limitMs;
  for (;;) {
    const printed = await check(argv, timeoutSecs * 1_000);
    if (printed === undefined || signal?.aborted) return;
    if (performance.now() >= endsAt) {
      const reason = printed === '' ? '.' : `: ${printed}`;
      throw new AssayError(
        'HEALTH_CHECK_FAILED',
        `${subject} was not ready within ${formatDuration(limitMs)}${reason}`,
      );
    }
    await delay(Math.min(intervalSecs * 1_000, longestPauseMs));
  }
}
